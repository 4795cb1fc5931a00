package dev.ralph.agents;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ralph.AgentResult.Cause;
import dev.ralph.AgentResult.Outcome;
import dev.ralph.RecordEntry;
import dev.ralph.Usage;
import dev.ralph.agents.RunRecord.ToolCall;
import dev.ralph.agents.internal.ClientName;
import java.io.IOException;
import java.io.InputStream;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Parses recorded output of opencode 1.18.33, and the messages that its server stored. */
class OpencodeEventsTest {

  private static final Usage ONE_ANSWER = Usage.of(100, 20, new BigDecimal("0.00014"));
  private static final Usage TWO_ANSWERS = ONE_ANSWER.plus(ONE_ANSWER);

  private final List<String> output = new ArrayList<>();
  private final List<RecordEntry> entries = new ArrayList<>();
  private final RunRecord record = new RunRecord(output::add, entries::add);
  private final OpencodeEvents events =
      new OpencodeEvents(record, true, "a/model", Prices.builtIn());
  private final EventLines lines = new EventLines(events, record::show);

  @Test
  void plainRun_isReadFromEvents() throws IOException {
    events("plain-tool-events.jsonl");

    assertThat(record.finalText()).isEqualTo("final text 25");
    assertThat(record.toolCalls()).containsExactly(new ToolCall("bash", "echo hi", false));
    assertThat(record.usage()).isEqualTo(TWO_ANSWERS);
    assertThat(record.error()).isNull();
    assertThat(output).containsExactly("[bash] echo hi", "final text 25");
  }

  @Test
  void linesInPieces_areJoined() throws IOException {
    String all = resource("plain-tool-events.jsonl");
    for (int i = 0; i < all.length(); ) {
      int newline = all.indexOf('\n', i) + 1;
      int end = Math.min(i + 100, newline);
      lines.accept(all.substring(i, end));
      i = end;
    }

    assertThat(output).containsExactly("[bash] echo hi", "final text 25");
  }

  @Test
  void lostEvents_areReadFromServer() throws IOException {
    events("attached-tool-events.jsonl");
    assertThat(record.finalText()).as("lost by the client").isEmpty();

    events.acceptMessages(json("attached-tool-messages.json"), false);

    assertThat(record.finalText()).startsWith("final text");
    assertThat(record.toolCalls()).containsExactly(new ToolCall("bash", "echo hi", false));
    assertThat(record.usage()).isEqualTo(TWO_ANSWERS);
    assertThat(output).as("no duplicates").containsExactly("[bash] echo hi", record.finalText());
    assertThat(entries)
        .extracting(entry -> entry.json().json())
        .satisfiesExactly(
            session -> assertThat(session).contains("\"client\"", "\"session\":\"ses_e0287f"),
            call ->
                assertThat(call)
                    .isEqualTo(
                        "{\"type\":\"tool_call\",\"id\":\"call_601\",\"tool\":\"bash\","
                            + "\"arguments\":{\"command\":\"echo hi\",\"description\":\"x\"}}"),
            result ->
                assertThat(result)
                    .isEqualTo("{\"type\":\"tool_result\",\"id\":\"call_601\",\"text\":\"hi\\n\"}"),
            used -> assertThat(used).contains("\"used\"", "\"cost_usd\":0.00014"),
            model -> assertThat(model).contains("\"client\"", "\"model\":\"stub/m\""),
            text -> assertThat(text).contains("\"text\":\"final text"),
            used -> assertThat(used).contains("\"used\"", "\"model\":\"a/model\""));
  }

  @Test
  void serverMessages_sufficeAlone() throws IOException {
    events.acceptMessages(json("attached-tool-messages.json"), false);

    assertThat(record.answered()).isTrue();
    assertThat(output).containsExactly("[bash] echo hi", record.finalText());
  }

  @Test
  void abortAfterLastAnswer_isIgnored() throws IOException {
    JsonNode messages =
        ScriptedModelServer.JSON.readTree(
            """
            [{"info":{"role":"assistant"},"parts":[{"id":"a","messageID":"1","type":"text",
              "text":"I have done it."}]},
             {"info":{"role":"user"},"parts":[{"id":"b","type":"text","text":"One more thing"}]},
             {"info":{"role":"assistant","error":{"name":"MessageAbortedError","data":{}}},
              "parts":[{"id":"c","messageID":"2","type":"text","text":"I beg"}]}]
            """);

    events.acceptMessages(messages, true);

    assertThat(record.error()).isNull();
    assertThat(record.finalText()).isEqualTo("I have done it.");
    events.acceptMessages(messages, false);
    assertThat(record.error()).isNotNull();
  }

  @Test
  void rejectedKey_isFatalInEventsAndMessages() throws IOException {
    events("plain-401-events.jsonl");
    assertThat(record.error().result(ClientName.OPENCODE, false).outcome())
        .isEqualTo(Outcome.FATAL);

    RunRecord attached = new RunRecord(output::add, entries::add);
    new OpencodeEvents(attached, true, null, Prices.builtIn())
        .acceptMessages(json("attached-401-messages.json"), false);
    assertThat(attached.error().result(ClientName.OPENCODE, false).outcome())
        .isEqualTo(Outcome.FATAL);
    assertThat(attached.error().result(ClientName.OPENCODE, false).summary())
        .contains("stub says 401")
        .contains("opencode auth login");
    assertThat(attached.answered()).isFalse();
  }

  @Test
  void rateLimit_keepsRetryDelayOfProvider() throws IOException {
    events("plain-429-events.jsonl");

    assertThat(record.error().result(ClientName.OPENCODE, false).outcome())
        .isEqualTo(Outcome.RATE_LIMITED);
    assertThat(record.error().result(ClientName.OPENCODE, false).retryAfter())
        .isEqualTo(Duration.ofSeconds(7));
  }

  @Test
  void cutOffAnswers_areToleratedForWhile() throws IOException {
    events("plain-cut-off-events.jsonl");
    assertThat(record.givenUp()).as("three cut-off answers").isNull();
    events("plain-tool-events.jsonl");
    events("plain-cut-off-events.jsonl");
    assertThat(record.givenUp()).as("three more after a whole answer").isNull();
    events("plain-cut-off-events.jsonl");

    assertThat(record.givenUp().summary()).contains("cut off");
  }

  @Test
  void clientOnlyCompacting_isAbandoned() throws IOException {
    String step =
        "{\"type\":\"step_finish\",\"part\":{\"type\":\"step-finish\",\"reason\":\"stop\",\"tokens\":"
            + "{\"input\":10,\"output\":1,\"cache\":{\"read\":5,\"write\":2}}}}\n";
    for (int i = 0; i < 20; i++) {
      lines.accept(step);
    }
    events("plain-tool-events.jsonl");
    assertThat(record.givenUp()).as("after a tool call").isNull();
    for (int i = 0; i < 20; i++) {
      lines.accept(step);
    }

    assertThat(record.givenUp().outcome()).isEqualTo(Outcome.FAILURE);
    assertThat(record.givenUp().summary()).contains("without calling a tool");
    assertThat(record.usage())
        .isEqualTo(TWO_ANSWERS.plus(Usage.of(40 * 12, 40, null).withCachedTokens(40 * 5)));
  }

  private static final String OVERFLOW =
      "{\"type\":\"error\",\"error\":{\"name\":\"ContextOverflowError\",\"data\":{\"message\":"
          + "\"prompt is too long: 300000 tokens > 200000 maximum\"}}}\n";
  private static final String SUMMARY =
      "{\"type\":\"step_finish\",\"part\":{\"type\":\"step-finish\",\"reason\":\"stop\","
          + "\"tokens\":{\"input\":10,\"output\":1}}}\n";

  @Test
  void tooLongPrompt_isFatalBeforeCompaction() {
    lines.accept(OVERFLOW);

    assertThat(record.givenUp().outcome()).isEqualTo(Outcome.FATAL);
    assertThat(record.givenUp().cause()).isEqualTo(Cause.PROMPT_TOO_LONG);
  }

  @Test
  void overflowAfterCompaction_isFailure() throws IOException {
    events("plain-tool-events.jsonl");
    lines.accept(OVERFLOW);
    assertThat(record.givenUp()).as("before the summary").isNull();
    lines.accept(SUMMARY);
    events("plain-tool-events.jsonl");
    lines.accept(OVERFLOW);
    lines.accept(SUMMARY);
    assertThat(record.givenUp()).as("first overflow after more work").isNull();
    lines.accept(OVERFLOW);

    assertThat(record.givenUp().outcome()).isEqualTo(Outcome.FAILURE);
    assertThat(record.givenUp().cause()).isEqualTo(Cause.PROMPT_TOO_LONG);
  }

  @Test
  void tokensWithoutCost_arePricedByRequestedModel() {
    RunRecord priced = new RunRecord(output::add, entries::add);
    new EventLines(
            new OpencodeEvents(priced, true, "any/claude-sonnet-4-5", Prices.builtIn()),
            output::add)
        .accept(SUMMARY);
    lines.accept(SUMMARY);

    assertThat(priced.usage()).isEqualTo(Usage.of(10, 1, new BigDecimal("0.000045")).asEstimate());
    assertThat(record.usage()).isEqualTo(Usage.of(10, 1, null));
    assertThat(record.unpriced()).contains("a/model");
  }

  @Test
  void usageOfSubAgents_isCountedOnce() throws IOException {
    JsonNode children =
        ScriptedModelServer.JSON.readTree(
            "[{\"cost\":0.5,\"tokens\":{\"input\":3,\"output\":4}},{\"tokens\":{\"input\":1}}]");
    events("plain-tool-events.jsonl");
    events.acceptChildren(children);
    events.acceptChildren(children);

    assertThat(record.usage())
        .isEqualTo(
            TWO_ANSWERS.plus(Usage.of(3, 4, new BigDecimal("0.5"))).plus(Usage.of(1, 0, null)));
  }

  @Test
  void unknownLine_isShownUnchanged() {
    lines.accept("a plugin says hello\n");

    assertThat(output).containsExactly("a plugin says hello");
    assertThat(record.answered()).isFalse();
  }

  private void events(String name) throws IOException {
    resource(name).lines().forEach(line -> lines.accept(line + "\n"));
  }

  private static JsonNode json(String name) throws IOException {
    return ScriptedModelServer.JSON.readTree(resource(name));
  }

  private static String resource(String name) throws IOException {
    try (InputStream in = OpencodeEventsTest.class.getResourceAsStream(name)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }
}
