package dev.ralph.langchain4j;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.langchain4j.agent.tool.ToolExecutionRequest;
import dev.langchain4j.agent.tool.ToolSpecification;
import dev.langchain4j.data.message.AiMessage;
import dev.langchain4j.data.message.ChatMessage;
import dev.langchain4j.data.message.CustomMessage;
import dev.langchain4j.data.message.ImageContent;
import dev.langchain4j.data.message.SystemMessage;
import dev.langchain4j.data.message.TextContent;
import dev.langchain4j.data.message.ToolExecutionResultMessage;
import dev.langchain4j.data.message.UserMessage;
import dev.langchain4j.exception.RateLimitException;
import dev.langchain4j.memory.chat.MessageWindowChatMemory;
import dev.langchain4j.model.chat.ChatModel;
import dev.langchain4j.model.chat.request.ChatRequest;
import dev.langchain4j.model.chat.request.json.JsonArraySchema;
import dev.langchain4j.model.chat.request.json.JsonEnumSchema;
import dev.langchain4j.model.chat.response.ChatResponse;
import dev.langchain4j.model.output.TokenUsage;
import dev.ralph.Iteration;
import dev.ralph.LoopResult;
import dev.ralph.Ralph;
import dev.ralph.Session;
import dev.ralph.StopReason;
import dev.ralph.core.ListLog;
import dev.ralph.log.RalphException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Stream;
import org.example.LangChain4jChat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LangChain4jTest {

  @TempDir Path temp;

  private final List<ChatRequest> requests = new ArrayList<>();

  /** Returns a model with scripted answers, without the network. */
  private ChatModel model(Function<ChatRequest, AiMessage> answer) {
    return new ChatModel() {
      @Override
      public ChatResponse doChat(ChatRequest request) {
        requests.add(request);
        return ChatResponse.builder()
            .aiMessage(answer.apply(request))
            .tokenUsage(new TokenUsage(100, 10))
            .build();
      }
    };
  }

  @Test
  void everyMessageKind_isRestored() {
    try (Ralph ralph = Ralph.inMemory()) {
      RalphChatMemoryStore store = RalphChatMemoryStore.of(ralph, "chats");
      ToolExecutionRequest call =
          ToolExecutionRequest.builder().id("1").name("add").arguments("{\"a\":1}").build();
      List<ChatMessage> messages =
          List.of(
              SystemMessage.from("Be brief"),
              UserMessage.from(
                  TextContent.from("What is this? \uD83D\uDE00"),
                  ImageContent.from("https://example.org/a.png")),
              AiMessage.from(List.of(call)),
              ToolExecutionResultMessage.from(call, "2"),
              AiMessage.from("Two"));

      store.updateMessages(42, messages);

      assertThat(store.getMessages(42)).isEqualTo(messages);
      assertThat(store.getMessages("43")).isEmpty();
      assertThat(store.ids("", "", 10)).containsExactly("42");
    }
  }

  @Test
  void unreadableMessage_hidesNoValidMessage() {
    try (Ralph ralph = Ralph.inMemory()) {
      RalphChatMemoryStore store = RalphChatMemoryStore.of(ralph, "chats");
      store.updateMessages("c", List.of(UserMessage.from("one")));
      ListLog.of(ralph, "chats")
          .append("c", List.of("no JSON", "{}", "{\"type\":\"NEW\"}", "null"));
      store.updateMessages("d", List.of(UserMessage.from("two")));
      ListLog.of(ralph, "chats").append("c", ListLog.of(ralph, "chats").get("d"));

      assertThat(store.getMessages("c"))
          .containsExactly(UserMessage.from("one"), UserMessage.from("two"));
    }
  }

  @Test
  void unpairedSurrogate_isReplaced() {
    try (Ralph ralph = Ralph.inMemory()) {
      RalphChatMemoryStore store = RalphChatMemoryStore.of(ralph, "chats");

      store.updateMessages("c", List.of(UserMessage.from("a\uD83D"), AiMessage.from("\uDE00b")));

      assertThat(store.getMessages("c"))
          .containsExactly(UserMessage.from("a\uFFFD"), AiMessage.from("\uFFFDb"));
    }
  }

  @Test
  void missingIdsOfToolCalls_stayMissing() {
    try (Ralph ralph = Ralph.inMemory()) {
      RalphChatMemoryStore store = RalphChatMemoryStore.of(ralph, "chats");
      ToolExecutionRequest call =
          ToolExecutionRequest.builder().name("add").arguments("{}").build();
      List<ChatMessage> messages =
          List.of(AiMessage.from(List.of(call)), ToolExecutionResultMessage.from(call, "2"));

      store.updateMessages("c", messages);

      assertThat(store.getMessages("c")).isEqualTo(messages);
    }
  }

  @Test
  void unsupportedAttribute_isRefusedByName() {
    assertRefused(CustomMessage.from(Map.of("count", 5L)), "count");
    assertRefused(CustomMessage.from(Map.of("path", temp)), CustomMessage.class.getName());
    assertRefused(new NamedSystemMessage("x"), NamedSystemMessage.class.getName());
  }

  private static void assertRefused(ChatMessage message, String name) {
    try (Ralph ralph = Ralph.inMemory()) {
      RalphChatMemoryStore store = RalphChatMemoryStore.of(ralph, "chats");
      assertThatThrownBy(() -> store.updateMessages("c", List.of(message)))
          .isInstanceOf(RalphException.class)
          .hasMessageContaining(name);
      assertThat(store.ids("", "", 10)).isEmpty();
    }
  }

  private static final class NamedSystemMessage extends SystemMessage {
    private final String name = "name";

    NamedSystemMessage(String text) {
      super(text);
    }

    @Override
    public String toString() {
      return name;
    }
  }

  @Test
  void window_movesOnAndClearErasesFiles() throws Exception {
    Path place = temp.resolve("store");
    try (Ralph ralph = Ralph.open(place)) {
      MessageWindowChatMemory memory =
          MessageWindowChatMemory.builder()
              .id("ann")
              .maxMessages(3)
              .chatMemoryStore(RalphChatMemoryStore.of(ralph, "chats"))
              .build();
      memory.add(SystemMessage.from("Be brief"));
      for (int i = 1; i <= 5; i++) {
        memory.add(UserMessage.from("secret " + i));
      }
      assertThat(RalphChatMemoryStore.of(ralph, "chats").getMessages("ann"))
          .containsExactly(
              SystemMessage.from("Be brief"),
              UserMessage.from("secret 4"),
              UserMessage.from("secret 5"));

      memory.clear();

      RalphChatMemoryStore store = RalphChatMemoryStore.of(ralph, "chats");
      assertThat(store.getMessages("ann")).isEmpty();
      assertThat(store.ids("", "", 10)).isEmpty();
    }
    assertThat(bytesBelow(place)).doesNotContain("secret");
  }

  @Test
  void exampleConversation_survivesReopening() {
    Path place = temp.resolve("store");
    ChatModel model = model(request -> AiMessage.from("answer " + request.messages().size()));

    assertThat(LangChain4jChat.answer(place, model, "Hello")).isEqualTo("answer 1");
    assertThat(LangChain4jChat.answer(place, model, "And?")).isEqualTo("answer 3");
  }

  @Test
  void exampleModel_completesTaskWithTools() {
    Path place = temp.resolve("store");
    ChatModel model =
        model(
            request -> {
              long answered =
                  request.messages().stream()
                      .filter(ToolExecutionResultMessage.class::isInstance)
                      .count();
              if (answered == 0) {
                return AiMessage.from("On it", List.of(call("task_next", "")));
              }
              return answered == 1
                  ? AiMessage.from(
                      List.of(call("task_status", "{\"id\":\"t1\",\"status\":\"completed\"}")))
                  : AiMessage.from("Wrote it");
            });

    LoopResult result = LangChain4jChat.work(place, model, "Write it");

    assertThat(result.reason()).isEqualTo(StopReason.COMPLETED);
    assertThat(result.usage().inputTokens()).isEqualTo(300);
    assertThat(result.usage().outputTokens()).isEqualTo(30);
    assertThat(((UserMessage) requests.get(0).messages().get(0)).singleText()).contains("Write it");
    try (Ralph ralph = Ralph.openExisting(place)) {
      Session session = ralph.session("work");
      assertThat(session.iterations().last().orElseThrow().summary()).isEqualTo("Wrote it");
      assertThat(session.tasks().list().open()).isEmpty();
    }
  }

  @Test
  void tools_areSpecifiedWithSchemas() {
    try (Ralph ralph = Ralph.inMemory();
        var tools = ralph.session("s").openTools()) {
      List<ToolSpecification> specifications = SessionTools.specifications(tools);

      ToolSpecification add =
          specifications.stream().filter(tool -> tool.name().equals("task_add")).findAny().get();
      assertThat(specifications).hasSameSizeAs(tools.definitions());
      assertThat(add.parameters().properties().get("tasks")).isInstanceOf(JsonArraySchema.class);
      assertThat(add.parameters().properties().get("status")).isInstanceOf(JsonEnumSchema.class);
      assertThat(SessionTools.call(tools, call("no_such_tool", "{}")).text()).startsWith("ERROR:");
    }
  }

  @Test
  void modelException_determinesIterationStatus() {
    assertThat(endOf(new RateLimitException("slower")).status())
        .isEqualTo(Iteration.Status.RATE_LIMITED);
    assertThat(endOf(new IllegalStateException("broken")).status())
        .isEqualTo(Iteration.Status.FAILURE);
    assertThat(endOf(new IllegalStateException("broken")).summary()).contains("broken");
  }

  private Iteration endOf(RuntimeException thrown) {
    try (Ralph ralph = Ralph.inMemory()) {
      Session session = ralph.session("s");
      ChatModel model =
          model(
              request -> {
                throw thrown;
              });
      session.loop(new ChatModelAgent(model)).directory(temp).maxIterations(1).run();
      return session.iterations().last().orElseThrow();
    }
  }

  private static ToolExecutionRequest call(String name, String arguments) {
    return ToolExecutionRequest.builder().id(name).name(name).arguments(arguments).build();
  }

  private static String bytesBelow(Path folder) throws IOException {
    StringBuilder all = new StringBuilder();
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        all.append(new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1));
      }
    }
    return all.toString();
  }
}
