package org.example;

import dev.ralph.LoopResult;
import dev.ralph.Ralph;
import dev.ralph.Session;
import dev.ralph.spring.ai.ChatClientAgent;
import dev.ralph.spring.ai.RalphChatMemoryRepository;
import java.nio.file.Path;
import org.springframework.ai.chat.client.ChatClient;
import org.springframework.ai.chat.client.advisor.MessageChatMemoryAdvisor;
import org.springframework.ai.chat.memory.ChatMemory;
import org.springframework.ai.chat.memory.MessageWindowChatMemory;
import org.springframework.ai.chat.model.ChatModel;

/** A client with durable conversations, and a loop in which the client works. */
public final class SpringAiChat {

  private SpringAiChat() {}

  /** Answers in a conversation; continues the conversation of an earlier process. */
  public static String answer(Path store, ChatModel model, String text) {
    try (Ralph ralph = Ralph.open(store)) {
      ChatMemory memory =
          MessageWindowChatMemory.builder()
              .chatMemoryRepository(RalphChatMemoryRepository.of(ralph, "chats"))
              .build();
      return ChatClient.builder(model)
          .defaultAdvisors(MessageChatMemoryAdvisor.builder(memory).build())
          .build()
          .prompt()
          .user(text)
          .advisors(advisor -> advisor.param(ChatMemory.CONVERSATION_ID, "user:42/café"))
          .call()
          .content();
    }
  }

  /** Runs a loop in which the client works until its task is complete. */
  public static LoopResult work(Path store, ChatModel model, String task) {
    try (Ralph ralph = Ralph.open(store)) {
      Session session = ralph.session("work");
      session.tasks().add(task);
      return session
          .loop(new ChatClientAgent(ChatClient.create(model)))
          .doneWhen(done -> true)
          .maxIterations(5)
          .directory(store.getParent())
          .run();
    }
  }
}
