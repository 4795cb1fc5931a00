package dev.ralph.agents;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.AgentResult;
import dev.ralph.AgentResult.Cause;
import dev.ralph.AgentResult.Outcome;
import dev.ralph.RecordEntry;
import dev.ralph.Usage;
import dev.ralph.agents.RunRecord.ToolCall;
import dev.ralph.agents.internal.ClientName;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Parses recorded output of Codex 0.169.0. */
class CodexEventsTest {

  private final List<String> output = new ArrayList<>();
  private final List<RecordEntry> entries = new ArrayList<>();
  private final RunRecord record = new RunRecord(output::add, entries::add);

  @Test
  void runWithTools_isRecordedCompletely() throws IOException {
    read("codex-tools.jsonl");

    assertThat(record.error()).as("the warning of each run is no error").isNull();
    assertThat(record.finished()).isTrue();
    assertThat(record.finalText()).isEqualTo("All done.");
    assertThat(record.usage()).isEqualTo(Usage.of(400, 80, null));
    assertThat(record.toolCalls())
        .containsExactly(
            new ToolCall("ralph.echo", "{\"text\":\"hi\"}", false),
            new ToolCall("shell", "/bin/bash -lc 'echo made > x.txt; cat x.txt'", false),
            new ToolCall("shell", "/bin/bash -lc 'exit 3'", true));
    assertThat(output)
        .containsExactly(
            "[ralph.echo] {\"text\":\"hi\"}",
            "[shell] /bin/bash -lc 'echo made > x.txt; cat x.txt'",
            "[shell] /bin/bash -lc 'exit 3'",
            "[shell] failed: exit code 3",
            "All done.");
    assertThat(entries)
        .extracting(entry -> entry.json().json())
        .containsExactly(
            "{\"type\":\"client\",\"name\":\"Codex\",\"session\":\"\"}",
            "{\"type\":\"tool_call\",\"id\":\"item_1\",\"tool\":\"ralph.echo\","
                + "\"arguments\":{\"text\":\"hi\"}}",
            "{\"type\":\"tool_result\",\"id\":\"item_1\",\"text\":\"null: hi\"}",
            "{\"type\":\"tool_call\",\"id\":\"item_2\",\"tool\":\"shell\","
                + "\"arguments\":{\"command\":\"/bin/bash -lc 'echo made > x.txt; cat x.txt'\"}}",
            "{\"type\":\"tool_result\",\"id\":\"item_2\",\"text\":\"made\\n\"}",
            "{\"type\":\"tool_call\",\"id\":\"item_3\",\"tool\":\"shell\","
                + "\"arguments\":{\"command\":\"/bin/bash -lc 'exit 3'\"}}",
            "{\"type\":\"tool_result\",\"id\":\"item_3\",\"failed\":true,\"text\":\"\"}",
            "{\"type\":\"text\",\"text\":\"All done.\"}");
  }

  @Test
  void deniedTool_isShownAsFailed() throws IOException {
    read("codex-tool-denied.jsonl");

    assertThat(record.toolCalls())
        .containsExactly(new ToolCall("ralph.echo", "{\"text\":\"hi\"}", true));
    assertThat(output).anyMatch(line -> line.contains("failed: MCP tool call requires approval"));
  }

  @ParameterizedTest
  @CsvSource({
    "codex-401, FATAL, NOT_LOGGED_IN, scripted 401",
    "codex-logged-out, FATAL, NOT_LOGGED_IN, STUB_KEY",
    "codex-429, RATE_LIMITED, RATE_LIMITED, 429 Too Many Requests",
    "codex-500, FAILURE, MODEL_ERROR, high demand",
    "codex-400, FAILURE, MODEL_ERROR, scripted 400",
  })
  void failures_areDistinguished(String name, Outcome outcome, Cause cause, String words)
      throws IOException {
    read(name + ".jsonl");

    AgentResult result = record.error().result(ClientName.CODEX, record.answered());
    assertThat(record.finished()).isFalse();
    assertThat(result.outcome()).isEqualTo(outcome);
    assertThat(result.cause()).isEqualTo(cause);
    assertThat(result.summary()).contains(words).doesNotContain("{");
  }

  @Test
  void retries_areCountedUntilModelAnswers() throws IOException {
    read("codex-500.jsonl");
    assertThat(record.retries().hopeless(false)).isEmpty();
    assertThat(record.retries().hopeless(true)).isPresent();

    read("codex-tools.jsonl");
    assertThat(record.retries().hopeless(true)).isEmpty();
  }

  @Test
  void refusalOfTool_isShown() {
    new EventLines(events(), record::show)
        .accept(
            "{'type':'item.completed','item':{'id':'i','type':'mcp_tool_call','server':'ralph','tool':'session_complete','arguments':{},'result':{'content':[{'type':'text','text':'ERROR: not complete: 1 task is open\\nMend that'}],'structured_content':null},'error':null,'status':'failed'}}\n"
                .replace('\'', '"'));

    assertThat(output)
        .containsExactly(
            "[ralph.session_complete] failed: ERROR: not complete: 1 task is open ⏎ Mend that");
  }

  @Test
  void repeatedlyRejectedKey_isHopeless() throws IOException {
    read("codex-401.jsonl");

    assertThat(record.retries().hopeless(false).get().cause()).isEqualTo(Cause.NOT_LOGGED_IN);
  }

  @Test
  void cachedTokens_areCountedSeparately() {
    new EventLines(events(), record::show)
        .accept(
            "{\"type\":\"turn.completed\",\"usage\":{\"input_tokens\":300,"
                + "\"cached_input_tokens\":120,\"output_tokens\":60}}\n");

    assertThat(record.usage()).isEqualTo(Usage.of(180, 60, null).withCachedTokens(120));
  }

  @Test
  void retry_isReportedOnceWithNumber() throws IOException {
    accept("Reconnecting... 2/5 (high demand)");

    assertThat(record.retries().news().get().describe(ClientName.CODEX))
        .isEqualTo("the model failed: high demand; Codex retries (attempt 2 of 5)");
    assertThat(record.retries().news()).isEmpty();
  }

  @Test
  void waitingForNetwork_isRetry() {
    for (int i = 0; i < Retries.ENOUGH; i++) {
      accept("Reconnecting... waiting for network (Connection failed: error sending request)");
    }

    assertThat(record.error()).isNull();
    assertThat(record.retries().hopeless(true).get().text()).startsWith("Connection failed");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "You've hit your usage limit. Try again in 3 days 4 hours 1 minute. | RATE_LIMITED |"
            + " 273660",
        "Rate limit reached for gpt-5. Please try again in 1.5s. | RATE_LIMITED | 1",
        "stream failed: Rate limit reached. Please try again in 1h2m | RATE_LIMITED | 3720",
        "You've hit your usage limit. Upgrade to Plus | RATE_LIMITED | -1",
        "Your input exceeds the context window of this model. | PROMPT_TOO_LONG | -1",
        "Codex ran out of room in the model's context window. | PROMPT_TOO_LONG | -1",
        "unexpected status 404 Not Found: no such model | MODEL_UNKNOWN | -1",
      })
  void providerMessage_determinesCauseAndDelay(String message, Cause cause, long seconds) {
    ModelError error = CodexEvents.error(message);

    assertThat(error.cause()).isEqualTo(cause);
    Duration wait = error.retryAfter();
    assertThat(wait == null ? -1 : wait.toSeconds()).isEqualTo(seconds);
  }

  @Test
  void unknownEvents_areSkipped() {
    new EventLines(events(), record::show)
        .accept("{\"type\":\"item.completed\",\"item\":{\"type\":\"something_new\"}}\n");

    assertThat(record.answered()).isFalse();
    assertThat(output).isEmpty();
  }

  @Test
  void unknownModel_isHopelessImmediately() {
    accept(
        "Reconnecting... 1/5 (unexpected status 404 Not Found: The model x does not exist, url:"
            + " http://127.0.0.1:1/v1/responses)");

    AgentResult result =
        record.retries().hopeless(false).get().result(ClientName.CODEX, record.answered());
    assertThat(result.outcome()).isEqualTo(Outcome.FATAL);
    assertThat(result.cause()).isEqualTo(Cause.MODEL_UNKNOWN);
  }

  /** Returns a parser for a Codex without session files. */
  private CodexEvents events() {
    return new CodexEvents(
        record, new CodexRollouts(Path.of("/no/such/folder"), record, Prices.builtIn(), null));
  }

  private void accept(String error) {
    events()
        .accept(
            ScriptedModelServer.JSON.createObjectNode().put("type", "error").put("message", error));
  }

  private void read(String name) throws IOException {
    RecordedEvents.read(name, events(), record::show);
  }
}
