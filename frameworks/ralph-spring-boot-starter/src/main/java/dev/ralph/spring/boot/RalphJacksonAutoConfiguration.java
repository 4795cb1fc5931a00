package dev.ralph.spring.boot;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import tools.jackson.databind.module.SimpleModule;

/** Serializes tasks, messages, events and other parts of sessions that a controller returns. */
@AutoConfiguration
@ConditionalOnClass(SimpleModule.class)
public class RalphJacksonAutoConfiguration {

  @Bean
  RalphJacksonModule ralphJacksonModule() {
    return new RalphJacksonModule();
  }
}
