package dev.ralph.spring.ai;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.ralph.Iteration;
import dev.ralph.LoopResult;
import dev.ralph.Ralph;
import dev.ralph.Session;
import dev.ralph.StopReason;
import dev.ralph.core.ListLog;
import dev.ralph.log.RalphException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Date;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.example.SpringAiChat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.ai.chat.client.ChatClient;
import org.springframework.ai.chat.messages.AssistantMessage;
import org.springframework.ai.chat.messages.Message;
import org.springframework.ai.chat.messages.MessageType;
import org.springframework.ai.chat.messages.SystemMessage;
import org.springframework.ai.chat.messages.ToolResponseMessage;
import org.springframework.ai.chat.messages.UserMessage;
import org.springframework.ai.chat.metadata.ChatResponseMetadata;
import org.springframework.ai.chat.metadata.DefaultUsage;
import org.springframework.ai.chat.model.ChatModel;
import org.springframework.ai.chat.model.ChatResponse;
import org.springframework.ai.chat.model.Generation;
import org.springframework.ai.chat.prompt.ChatOptions;
import org.springframework.ai.chat.prompt.Prompt;
import org.springframework.ai.content.Media;
import org.springframework.ai.model.tool.ToolCallingChatOptions;
import org.springframework.util.MimeTypeUtils;

@SuppressWarnings({"deprecation", "removal"}) // older versions lack the replacement
class SpringAiTest {

  @TempDir Path temp;

  private final List<Prompt> prompts = new ArrayList<>();

  /** Returns a model with scripted answers, without the network. */
  private ChatModel model(Function<Prompt, AssistantMessage> answer) {
    return new ChatModel() {
      @Override
      public ChatResponse call(Prompt prompt) {
        prompts.add(prompt);
        return new ChatResponse(
            List.of(new Generation(answer.apply(prompt))),
            ChatResponseMetadata.builder().usage(new DefaultUsage(100, 10)).build());
      }

      @Override
      public ChatOptions getDefaultOptions() {
        return getOptions();
      }

      @SuppressWarnings("MissingOverride") // older versions have no such method
      public ChatOptions getOptions() {
        return ToolCallingChatOptions.builder().build();
      }
    };
  }

  @Test
  void everyMessageKind_isRestored() {
    try (Ralph ralph = Ralph.inMemory()) {
      RalphChatMemoryRepository memories = RalphChatMemoryRepository.of(ralph, "chats");
      List<Message> messages =
          List.of(
              new SystemMessage("Be brief"),
              UserMessage.builder()
                  .text("What is this? \uD83D\uDE00")
                  .media(
                      Media.builder()
                          .mimeType(MimeTypeUtils.IMAGE_PNG)
                          .data(new byte[] {1, -1})
                          .build(),
                      new Media(MimeTypeUtils.IMAGE_JPEG, URI.create("https://example.org/a.jpg")))
                  .metadata(Map.of("who", "ann", "deep", Map.of("list", List.of("a", true))))
                  .build(),
              AssistantMessage.builder()
                  .content("")
                  .toolCalls(List.of(new AssistantMessage.ToolCall("1", "function", "add", "{}")))
                  .build(),
              ToolResponseMessage.builder()
                  .responses(List.of(new ToolResponseMessage.ToolResponse("1", "add", "2")))
                  .build(),
              new AssistantMessage("Two"));

      memories.saveAll("c/1", messages);

      List<Message> read = memories.findByConversationId("c/1");
      assertThat(read.stream().map(MessageJson::of).toList())
          .isEqualTo(messages.stream().map(MessageJson::of).toList());
      assertThat(read.get(0)).isEqualTo(messages.get(0));
      assertThat(read.get(1).getMetadata()).isEqualTo(messages.get(1).getMetadata());
      UserMessage user = (UserMessage) read.get(1);
      assertThat(user.getMedia().get(0).getDataAsByteArray()).containsExactly(1, -1);
      assertThat(read.get(2)).isEqualTo(messages.get(2));
      assertThat(read.get(3)).isEqualTo(messages.get(3));
      assertThat(memories.findConversationIds()).containsExactly("c/1");

      memories.deleteByConversationId("c/1");

      assertThat(memories.findConversationIds()).isEmpty();
      assertThat(memories.findByConversationId("c/1")).isEmpty();
    }
  }

  @Test
  void mediaWithAnyText_comesBack() {
    try (Ralph ralph = Ralph.inMemory()) {
      RalphChatMemoryRepository memories = RalphChatMemoryRepository.of(ralph, "chats");
      List<String> data =
          List.of("no URI: a b", "", "data:image/png;base64,AAAA", "https://e.org/a");
      Media[] media =
          data.stream()
              .map(text -> Media.builder().mimeType(MimeTypeUtils.IMAGE_PNG).data(text).build())
              .toArray(Media[]::new);

      memories.saveAll("c", List.of(UserMessage.builder().text("x").media(media).build()));

      UserMessage read = (UserMessage) memories.findByConversationId("c").get(0);
      assertThat(read.getMedia().stream().map(Media::getData).toList()).isEqualTo(data);
    }
  }

  @Test
  void unreadableMessage_hidesNoValidMessage() {
    try (Ralph ralph = Ralph.inMemory()) {
      RalphChatMemoryRepository memories = RalphChatMemoryRepository.of(ralph, "chats");
      memories.saveAll("c", List.of(new UserMessage("one")));
      ListLog.of(ralph, "chats")
          .append("c", List.of("no JSON", "{\"type\":\"NEW\"}", "{}", "{\"type\":1}"));
      ListLog.of(ralph, "chats").append("c", List.of(MessageJson.of(new UserMessage("two"))));

      assertThat(memories.findByConversationId("c").stream().map(Message::getText).toList())
          .containsExactly("one", "two");
    }
  }

  @Test
  void unpairedSurrogate_isReplacedEverywhere() {
    String bad = "a\uD83D";
    String good = "a\uFFFD";
    try (Ralph ralph = Ralph.inMemory()) {
      RalphChatMemoryRepository memories = RalphChatMemoryRepository.of(ralph, "chats");
      memories.saveAll(
          "c",
          List.of(
              UserMessage.builder()
                  .text(bad)
                  .metadata(Map.of(bad, List.of(bad)))
                  .media(Media.builder().mimeType(MimeTypeUtils.TEXT_PLAIN).data(bad).build())
                  .build(),
              AssistantMessage.builder()
                  .content(bad)
                  .toolCalls(List.of(new AssistantMessage.ToolCall(bad, bad, bad, bad)))
                  .build(),
              ToolResponseMessage.builder()
                  .responses(List.of(new ToolResponseMessage.ToolResponse(bad, bad, bad)))
                  .build()));

      List<Message> read = memories.findByConversationId("c");
      assertThat(read.get(0).getText()).isEqualTo(good);
      assertThat(read.get(0).getMetadata()).containsEntry(good, List.of(good));
      assertThat(((AssistantMessage) read.get(1)).getToolCalls())
          .containsExactly(new AssistantMessage.ToolCall(good, good, good, good));
      assertThat(((ToolResponseMessage) read.get(2)).getResponses())
          .containsExactly(new ToolResponseMessage.ToolResponse(good, good, good));
    }
  }

  @Test
  @SuppressWarnings("NullAway") // models may omit the ids
  void missingIdsOfToolCalls_stayMissing() {
    try (Ralph ralph = Ralph.inMemory()) {
      RalphChatMemoryRepository memories = RalphChatMemoryRepository.of(ralph, "chats");
      List<Message> messages =
          List.of(
              AssistantMessage.builder()
                  .content("")
                  .toolCalls(List.of(new AssistantMessage.ToolCall(null, null, "add", "")))
                  .build(),
              ToolResponseMessage.builder()
                  .responses(List.of(new ToolResponseMessage.ToolResponse(null, "add", "")))
                  .build());

      memories.saveAll("c", messages);

      assertThat(memories.findByConversationId("c")).isEqualTo(messages);
    }
  }

  @Test
  void metadata_keepsTypes() {
    Map<String, Object> metadata = new HashMap<>();
    metadata.put("none", null);
    metadata.put("texts", List.of("", "5"));
    metadata.put("a/b~c", Map.of("x", Map.of("y", List.of(1, 2L, (short) 3, (byte) 4, 5.0f))));
    metadata.put("double", List.of(1.0, -0.0, Double.NaN, Double.NEGATIVE_INFINITY, 1e300, 0.1));
    metadata.put("float", Float.NaN);
    metadata.put("long", Long.MAX_VALUE);
    metadata.put(
        "decimals", List.of(new BigDecimal("1.50"), new BigDecimal("5E+3"), BigDecimal.ONE));
    metadata.put("integer", BigInteger.TEN.pow(30));
    metadata.put("char", 'c');
    metadata.put("set", Set.of(1, 2));
    metadata.put("enum", StopReason.COMPLETED);
    metadata.put("uuid", new UUID(1, 2));
    metadata.put("uri", URI.create("urn:x"));
    metadata.put("date", new Date(17));
    metadata.put(
        "times",
        List.of(
            Instant.EPOCH,
            Duration.ofMillis(1),
            LocalDate.of(2026, 2, 28),
            LocalDateTime.of(2026, 2, 28, 1, 0),
            OffsetDateTime.parse("2026-02-28T00:00:00+01:00")));
    try (Ralph ralph = Ralph.inMemory()) {
      RalphChatMemoryRepository memories = RalphChatMemoryRepository.of(ralph, "chats");
      UserMessage message = UserMessage.builder().text("x").metadata(metadata).build();

      memories.saveAll("c", List.of(message));
      Message read = memories.findByConversationId("c").get(0);
      memories.saveAll("c", List.of(read));

      assertThat(read.getMetadata()).isEqualTo(message.getMetadata());
      assertThat(MessageJson.of(read)).isEqualTo(MessageJson.of(message));
    }
  }

  @Test
  void valuesWithoutJson_areRefusedByName() {
    assertRefused(
        UserMessage.builder().text("x").metadata(Map.of("at", List.of(temp))).build(), "at/0");
    assertRefused(
        UserMessage.builder().text("x").metadata(Map.of("n", new AtomicInteger(1))).build(),
        "java.util.concurrent.atomic.AtomicInteger");
    assertRefused(
        UserMessage.builder().text("x").metadata(Map.of("m", Map.of(1, 2))).build(),
        "java.lang.Integer");
    assertRefused(new Reasoned("x", "because"), "reasoning");
    assertRefused(new Foreign(), Foreign.class.getName());
  }

  private static void assertRefused(Message message, String name) {
    try (Ralph ralph = Ralph.inMemory()) {
      RalphChatMemoryRepository memories = RalphChatMemoryRepository.of(ralph, "chats");
      assertThatThrownBy(() -> memories.saveAll("c", List.of(message)))
          .isInstanceOf(RalphException.class)
          .hasMessageContaining(name);
      assertThat(memories.findConversationIds()).isEmpty();
    }
  }

  private static final class Reasoned extends AssistantMessage {
    private final String reasoning;

    Reasoned(String text, String reasoning) {
      super(text);
      this.reasoning = reasoning;
    }

    @Override
    public String toString() {
      return reasoning;
    }
  }

  private static final class Foreign implements Message {
    @Override
    public MessageType getMessageType() {
      return MessageType.USER;
    }

    @Override
    public String getText() {
      return "x";
    }

    @Override
    public Map<String, Object> getMetadata() {
      return Map.of();
    }
  }

  @Test
  void exampleConversation_survivesReopening() {
    Path place = temp.resolve("store");
    ChatModel model =
        model(prompt -> new AssistantMessage("answer " + prompt.getInstructions().size()));

    assertThat(SpringAiChat.answer(place, model, "Hello")).isEqualTo("answer 1");
    assertThat(SpringAiChat.answer(place, model, "And?")).isEqualTo("answer 3");
  }

  @Test
  void exampleModel_completesTaskWithTools() {
    Path place = temp.resolve("store");
    boolean calledByClient = isThere("org.springframework.ai.chat.client.advisor.UsageAccumulator");
    ChatModel model = model(calledByClient ? this::asksForTools : this::callsTools);

    LoopResult result = SpringAiChat.work(place, model, "Write {it}");

    assertThat(result.reason()).isEqualTo(StopReason.COMPLETED);
    assertThat(result.usage().inputTokens()).isEqualTo(100L * prompts.size());
    assertThat(prompts).hasSize(calledByClient ? 3 : 1);
    assertThat(prompts.get(0).getContents()).contains("Write {it}");
    try (Ralph ralph = Ralph.openExisting(place)) {
      Session session = ralph.session("work");
      assertThat(session.iterations().last().orElseThrow().summary()).isEqualTo("Wrote it");
      assertThat(session.tasks().list().open()).isEmpty();
    }
  }

  /** Before 2.0 the model called the tools, so only the model could answer unknown names. */
  @Test
  void unknownTool_yieldsError() {
    assumeTrue(isThere("org.springframework.ai.chat.client.advisor.UsageAccumulator"));
    ChatModel model =
        model(
            prompt ->
                switch (prompts.size()) {
                  case 1 -> asking("no_such_tool", "{}");
                  case 2 ->
                      AssistantMessage.builder()
                          .content("")
                          .toolCalls(List.of(call("1", "task_next"), call("2", "")))
                          .build();
                  case 3 -> asking("task_next", "{}");
                  case 4 -> asking("task_status", "{\"id\":\"t1\",\"status\":\"completed\"}");
                  default -> new AssistantMessage("Wrote it");
                });

    LoopResult result = SpringAiChat.work(temp.resolve("store"), model, "Write it");

    assertThat(result.reason()).isEqualTo(StopReason.COMPLETED);
    assertThat(result.usage().inputTokens()).isEqualTo(500);
    assertThat(answers(1)).hasSize(1);
    assertThat(answers(1).get(0)).startsWith("ERROR: unknown tool 'no_such_tool'; use one of ");
    assertThat(answers(2)).hasSize(2);
    assertThat(answers(2).get(0)).startsWith("ERROR: not called");
    assertThat(answers(2).get(1)).startsWith("ERROR: unknown tool ''");
    assertThat(answers(3)).singleElement().asString().contains("t1");
  }

  @Test
  void endlessUnknownTools_failIteration() {
    assumeTrue(isThere("org.springframework.ai.chat.client.advisor.UsageAccumulator"));
    ChatModel model = model(prompt -> asking("no_such_tool", "{}"));
    try (Ralph ralph = Ralph.inMemory()) {
      Session session = ralph.session("s");
      session
          .loop(new ChatClientAgent(ChatClient.create(model)))
          .directory(temp)
          .maxIterations(1)
          .run();

      Iteration end = session.iterations().last().orElseThrow();
      assertThat(end.status()).isEqualTo(Iteration.Status.FAILURE);
      assertThat(end.summary()).contains("no_such_tool");
      assertThat(prompts).hasSize(11);
    }
  }

  /** Returns the results of tools at the end of a prompt. */
  private List<String> answers(int prompt) {
    List<Message> messages = prompts.get(prompt).getInstructions();
    return ((ToolResponseMessage) messages.get(messages.size() - 1))
        .getResponses().stream().map(ToolResponseMessage.ToolResponse::responseData).toList();
  }

  private static AssistantMessage.ToolCall call(String id, String tool) {
    return new AssistantMessage.ToolCall(id, "function", tool, "{}");
  }

  private static boolean isThere(String type) {
    try {
      return Class.forName(type) != null;
    } catch (ClassNotFoundException e) {
      return false;
    }
  }

  /** Since 2.0 the client calls the requested tools. */
  private AssistantMessage asksForTools(Prompt prompt) {
    return switch (prompts.size()) {
      case 1 -> asking("task_next", "{}");
      case 2 -> asking("task_status", "{\"id\":\"t1\",\"status\":\"completed\"}");
      default -> new AssistantMessage("Wrote it");
    };
  }

  private static AssistantMessage asking(String tool, String arguments) {
    return AssistantMessage.builder()
        .content("")
        .toolCalls(List.of(new AssistantMessage.ToolCall("1", "function", tool, arguments)))
        .build();
  }

  /** Before 2.0 the model called the tools. */
  private AssistantMessage callsTools(Prompt prompt) {
    call(prompt, "task_next", "");
    call(prompt, "task_status", "{\"id\":\"t1\",\"status\":\"completed\"}");
    return new AssistantMessage("Wrote it");
  }

  private static void call(Prompt prompt, String tool, String arguments) {
    ((ToolCallingChatOptions) prompt.getOptions())
        .getToolCallbacks().stream()
            .filter(each -> each.getToolDefinition().name().equals(tool))
            .findAny()
            .orElseThrow()
            .call(arguments);
  }

  @Test
  void modelException_failsIteration() {
    ChatModel model =
        model(
            prompt -> {
              throw new IllegalStateException("broken");
            });
    try (Ralph ralph = Ralph.inMemory()) {
      Session session = ralph.session("s");
      session
          .loop(new ChatClientAgent(ChatClient.create(model)))
          .directory(temp)
          .maxIterations(1)
          .run();

      Iteration end = session.iterations().last().orElseThrow();
      assertThat(end.status()).isEqualTo(Iteration.Status.FAILURE);
      assertThat(end.summary()).contains("broken");
    }
  }
}
