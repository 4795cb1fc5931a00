package dev.ralph.spring.boot;

import dev.langchain4j.store.memory.chat.ChatMemoryStore;
import dev.ralph.Ralph;
import dev.ralph.langchain4j.RalphChatMemoryStore;
import dev.ralph.spring.ai.RalphChatMemoryRepository;
import org.springframework.ai.chat.memory.ChatMemoryRepository;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * Provides durable chat memories if {@code ralph-spring-ai} or {@code ralph-langchain4j} is
 * present.
 */
@AutoConfiguration(
    after = RalphAutoConfiguration.class,
    // takes precedence over Spring AI's repository in memory
    beforeName =
        "org.springframework.ai.model.chat.memory.autoconfigure.ChatMemoryAutoConfiguration")
public class RalphChatMemoryAutoConfiguration {

  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass({RalphChatMemoryRepository.class, ChatMemoryRepository.class})
  static class SpringAi {

    @Bean
    @ConditionalOnMissingBean(ChatMemoryRepository.class)
    RalphChatMemoryRepository ralphChatMemoryRepository(Ralph ralph, RalphProperties properties) {
      return RalphChatMemoryRepository.of(ralph, properties.chats());
    }
  }

  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass({RalphChatMemoryStore.class, ChatMemoryStore.class})
  static class LangChain4j {

    @Bean
    @ConditionalOnMissingBean(ChatMemoryStore.class)
    RalphChatMemoryStore ralphChatMemoryStore(Ralph ralph, RalphProperties properties) {
      return RalphChatMemoryStore.of(ralph, properties.chats());
    }
  }
}
