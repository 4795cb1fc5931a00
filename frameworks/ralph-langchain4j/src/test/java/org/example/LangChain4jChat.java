package org.example;

import dev.langchain4j.memory.chat.MessageWindowChatMemory;
import dev.langchain4j.model.chat.ChatModel;
import dev.langchain4j.service.AiServices;
import dev.langchain4j.service.MemoryId;
import dev.langchain4j.service.UserMessage;
import dev.ralph.LoopResult;
import dev.ralph.Ralph;
import dev.ralph.Session;
import dev.ralph.langchain4j.ChatModelAgent;
import dev.ralph.langchain4j.RalphChatMemoryStore;
import java.nio.file.Path;

/** A service with durable conversations, and a loop in which a model works. */
public final class LangChain4jChat {

  interface Assistant {
    String chat(@MemoryId String conversation, @UserMessage String text);
  }

  private LangChain4jChat() {}

  /** Answers in a conversation; continues the conversation of an earlier process. */
  public static String answer(Path store, ChatModel model, String text) {
    try (Ralph ralph = Ralph.open(store)) {
      RalphChatMemoryStore chats = RalphChatMemoryStore.of(ralph, "chats");
      Assistant assistant =
          AiServices.builder(Assistant.class)
              .chatModel(model)
              .chatMemoryProvider(
                  id ->
                      MessageWindowChatMemory.builder()
                          .id(id)
                          .maxMessages(20)
                          .chatMemoryStore(chats)
                          .build())
              .build();
      return assistant.chat("user:42/café", text);
    }
  }

  /** Runs a loop in which the model works until its task is complete. */
  public static LoopResult work(Path store, ChatModel model, String task) {
    try (Ralph ralph = Ralph.open(store)) {
      Session session = ralph.session("work");
      session.tasks().add(task);
      return session
          .loop(new ChatModelAgent(model))
          .doneWhen(done -> true)
          .maxIterations(5)
          .directory(store.getParent())
          .run();
    }
  }
}
