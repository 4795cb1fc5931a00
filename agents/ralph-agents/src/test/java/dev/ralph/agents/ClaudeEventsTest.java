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
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Parses recorded output of Claude Code 2.1.329. */
class ClaudeEventsTest {

  private static final McpServerCommand TOOLS = ToolServer.asServer();

  private final List<String> output = new ArrayList<>();
  private final List<RecordEntry> entries = new ArrayList<>();
  private final RunRecord record = new RunRecord(output::add, entries::add);
  private final ClaudeEvents events = new ClaudeEvents(record, TOOLS, Prices.builtIn());

  @Test
  void runWithTools_isRecordedCompletely() throws IOException {
    read("claude-tools.jsonl");

    assertThat(record.givenUp()).isNull();
    assertThat(record.error()).isNull();
    assertThat(record.finished()).isTrue();
    assertThat(record.finalText()).isEqualTo("All done.");
    assertThat(record.usage()).isEqualTo(Usage.of(500, 100, new BigDecimal("0.004")));
    assertThat(record.toolCalls())
        .containsExactly(
            new ToolCall("mcp__ralph__echo", "{\"text\":\"hi\"}", false),
            new ToolCall("Bash", "echo made > x.txt; cat x.txt", false),
            new ToolCall("Bash", "exit 3", true),
            new ToolCall("WebFetch", "http://127.0.0.1:9/", true));
    assertThat(output)
        .containsSubsequence(
            "[Bash] exit 3",
            "[Bash] failed: Exit code 3",
            "[WebFetch] http://127.0.0.1:9/",
            "All done.",
            "[1 call of tools not permitted]");
    assertThat(entries)
        .extracting(entry -> entry.json().json())
        .startsWith(
            "{\"type\":\"client\",\"name\":\"Claude Code\",\"model\":\"claude-opus-5-5\"}",
            "{\"type\":\"tool_call\",\"id\":\"toolu_1_0\",\"tool\":\"mcp__ralph__echo\","
                + "\"arguments\":{\"text\":\"hi\"}}",
            "{\"type\":\"tool_result\",\"id\":\"toolu_1_0\",\"text\":\"hear: hi\"}")
        .contains(
            "{\"type\":\"tool_result\",\"id\":\"toolu_3_0\",\"failed\":true,"
                + "\"text\":\"Exit code 3\"}",
            "{\"type\":\"text\",\"text\":\"All done.\"}")
        .endsWith(
            "{\"type\":\"permission\",\"asked\":\"WebFetch\",\"answer\":\"denied\","
                + "\"id\":\"toolu_4_0\"}");
  }

  @Test
  void missingToolServer_failsAtFirstEvent() throws IOException {
    read("claude-tools-missing.jsonl");

    assertThat(record.givenUp().cause()).isEqualTo(Cause.TOOLS_MISSING);
    assertThat(record.givenUp().outcome()).isEqualTo(Outcome.FAILURE);
    assertThat(record.givenUp().summary())
        .contains("status failed")
        .contains(TOOLS.command().get(0));
  }

  @Test
  void foreignToolServer_isNotAccepted() throws IOException {
    read(
        "{\"type\":\"system\",\"subtype\":\"init\",\"mcp_servers\":[{\"name\":\"other\","
            + "\"status\":\"connected\"}]}");

    assertThat(record.givenUp().summary()).contains("status unknown");
  }

  @ParameterizedTest
  @CsvSource({
    "claude-401, FATAL, NOT_LOGGED_IN, scripted 401",
    "claude-logged-out, FATAL, NOT_LOGGED_IN, Not logged in",
    "claude-429, RATE_LIMITED, RATE_LIMITED, scripted 429",
    "claude-500, FAILURE, MODEL_ERROR, API Error: 500",
    "claude-too-long, FATAL, PROMPT_TOO_LONG, Prompt is too long",
  })
  void failures_areDistinguishedByMessage(String name, Outcome outcome, Cause cause, String words)
      throws IOException {
    read(name + ".jsonl");

    AgentResult result = record.error().result(ClientName.CLAUDE, record.answered());
    assertThat(record.finished()).isFalse();
    assertThat(result.outcome()).isEqualTo(outcome);
    assertThat(result.cause()).isEqualTo(cause);
    assertThat(result.summary()).contains(words);
  }

  @Test
  void repeatedlyRejectedKey_isHopeless() throws IOException {
    for (int i = 0; i < Retries.ENOUGH; i++) {
      assertThat(record.retries().hopeless(false)).isEmpty();
      read(retry(i + 1, 401, "authentication_failed", 8000));
    }

    assertThat(record.retries().hopeless(false).get().cause()).isEqualTo(Cause.NOT_LOGGED_IN);
  }

  @Test
  void repeatedModelError_isHopelessUnderTimeLimit() throws IOException {
    for (int i = 0; i < Retries.ENOUGH; i++) {
      assertThat(record.retries().hopeless(true)).isEmpty();
      read(retry(i + 1, 500, "server_error", 8000));
    }

    assertThat(record.retries().hopeless(false)).isEmpty();
    assertThat(record.retries().hopeless(true).get().cause()).isEqualTo(Cause.MODEL_ERROR);
  }

  @Test
  void longRetryDelay_isRateLimit() throws IOException {
    read(retry(1, 429, "rate_limit", 90_000));

    AgentResult result =
        record.retries().hopeless(false).get().result(ClientName.CLAUDE, record.answered());
    assertThat(result.outcome()).isEqualTo(Outcome.RATE_LIMITED);
    assertThat(result.retryAfter()).isEqualTo(Duration.ofSeconds(90));
  }

  @Test
  void resetTimeOfLimit_isRetryDelay() throws IOException {
    long resets = Instant.now().plusSeconds(7200).getEpochSecond();
    read(
        "{\"type\":\"rate_limit_event\",\"rate_limit_info\":{\"status\":\"rejected\",\"resetsAt\":"
            + resets
            + "}}");
    read("claude-429.jsonl");

    assertThat(record.error().retryAfter())
        .isBetween(Duration.ofSeconds(7100), Duration.ofSeconds(7200));
  }

  @Test
  void turnLimit_isReportedAsFailure() throws IOException {
    read("claude-max-turns.jsonl");

    assertThat(record.givenUp().outcome()).isEqualTo(Outcome.FAILURE);
    assertThat(record.givenUp().summary())
        .contains("error_max_turns")
        .contains("Reached maximum number of turns");
    assertThat(record.usage().inputTokens()).isEqualTo(100);
  }

  @Test
  void usageBeforeEarlyEnd_isCounted() throws IOException {
    String piece =
        "{\"type\":\"assistant\",\"parent_tool_use_id\":null,\"message\":{\"id\":\"m1\",\"content\":"
            + "[{\"type\":\"text\",\"text\":\"hm\"}],"
            + "\"usage\":{\"input_tokens\":7,\"cache_read_input_tokens\":3,\"output_tokens\":1}}}";
    read(piece);
    read(piece);

    assertThat(record.usage()).isEqualTo(Usage.of(7, 1, null).withCachedTokens(3));

    read(
        "{\"type\":\"stream_event\",\"api_message_id\":\"m1\",\"event\":{\"type\":\"message_delta\","
            + "\"usage\":{\"output_tokens\":20}}}");

    assertThat(record.usage()).isEqualTo(Usage.of(7, 20, null).withCachedTokens(3));
  }

  private static String started(String id, String model, int input) {
    return "{\"type\":\"stream_event\",\"event\":{\"type\":\"message_start\",\"message\":{\"id\":\""
        + id
        + "\",\"model\":\""
        + model
        + "\",\"usage\":{\"input_tokens\":"
        + input
        + ",\"output_tokens\":1}}}}";
  }

  private static String ended(String id, int output) {
    return "{\"type\":\"stream_event\",\"api_message_id\":\""
        + id
        + "\",\"event\":{\"type\":\"message_delta\",\"usage\":{\"output_tokens\":"
        + output
        + "}}}";
  }

  @Test
  void tokens_arePricedAsTheyArrive() throws IOException {
    read(started("m1", "claude-sonnet-4-5-20250929", 100_000));

    assertThat(record.usage())
        .isEqualTo(Usage.of(100_000, 1, new BigDecimal("0.300015")).asEstimate());

    read(ended("m1", 1_000));
    read(ended("m1", 1_000));

    assertThat(record.usage())
        .isEqualTo(Usage.of(100_000, 1_000, new BigDecimal("0.315")).asEstimate());
    assertThat(record.unpriced()).isEmpty();
  }

  @Test
  void modelWithoutPrice_hasPartialCost() throws IOException {
    read(started("m1", "claude-sonnet-4-5", 1_000_000));
    read(started("m2", "a-model", 7));

    assertThat(record.usage().costUsd()).isEqualByComparingTo("3.000015");
    assertThat(record.usage().isPartial()).isTrue();
    assertThat(record.unpriced()).contains("a-model");
  }

  @Test
  void reportedCostAtEnd_isNoEstimate() throws IOException {
    read(started("m1", "claude-sonnet-4-5", 100));
    // Output of Claude Code 2.1.330 at the end of its budget: the total omits a message.
    read(result("list", "0.0012"));

    assertThat(record.usage()).isEqualTo(Usage.of(400, 40, new BigDecimal("0.0012")));
    assertThat(record.givenUp().summary())
        .contains("error_max_budget_usd", "Reached maximum budget ($1)");
  }

  @Test
  void guessedCost_isEstimate() throws IOException {
    read(result("unknown", "0.0012").replace("claude-sonnet-4-5", "a-model"));
    assertThat(record.usage()).isEqualTo(Usage.of(400, 40, new BigDecimal("0.0012")).asEstimate());

    read(result("unknown", "9"));
    assertThat(record.usage())
        .as("priced by the built-in table")
        .isEqualTo(Usage.of(400, 40, new BigDecimal("0.0018")).asEstimate());
  }

  private static String result(String basis, String cost) {
    return "{\"type\":\"result\",\"subtype\":\"error_max_budget_usd\",\"is_error\":true,"
        + "\"errors\":[\"Reached maximum budget ($1)\"],\"total_cost_usd\":"
        + cost
        + ",\"usage\":{\"input_tokens\":300,\"output_tokens\":30},\"modelUsage\":{"
        + "\"claude-sonnet-4-5\":{\"inputTokens\":400,\"outputTokens\":40,\"costUSD\":"
        + cost
        + ",\"costBasis\":\""
        + basis
        + "\"}}}";
  }

  @Test
  void usageOfCutOffRequest_isUnknown() throws IOException {
    record.cutOff();
    assertThat(record.usage()).as("before the first event").isEqualTo(Usage.UNKNOWN);

    read(started("m1", "a-model", 100));
    read("{\"type\":\"assistant\",\"message\":{\"id\":\"m1\",\"content\":[]}}");
    record.cutOff();
    assertThat(record.usage()).isEqualTo(Usage.of(100, 1, null).plus(Usage.UNKNOWN));

    read(ended("m1", 20));
    record.cutOff();
    assertThat(record.usage()).as("while a tool runs").isEqualTo(Usage.of(100, 20, null));

    read("{\"type\":\"system\",\"subtype\":\"status\",\"status\":\"requesting\"}");
    record.cutOff();
    assertThat(record.usage().isPartial()).as("during a request").isTrue();
  }

  @Test
  void unknownModel_isFatal() throws IOException {
    read(
        "{\"type\":\"assistant\",\"error\":\"model_not_found\",\"api_error_status\":404,"
            + "\"message\":{\"content\":[{\"type\":\"text\",\"text\":\"There's an issue\"}]}}");

    AgentResult result = record.error().result(ClientName.CLAUDE, record.answered());
    assertThat(result.outcome()).isEqualTo(Outcome.FATAL);
    assertThat(result.cause()).isEqualTo(Cause.MODEL_UNKNOWN);
  }

  @Test
  void retry_isReportedOnceWithNumber() throws IOException {
    read(retry(3, 529, "overloaded", 8_201));
    read(retry(3, 529, "overloaded", 8_201));

    assertThat(record.retries().news().get().describe(ClientName.CLAUDE))
        .isEqualTo(
            "the model failed: overloaded (HTTP 529); Claude Code retries (attempt 3 of 10, in"
                + " 8 s)");
    assertThat(record.retries().news()).isEmpty();
  }

  @Test
  void textOfSubAgent_isIgnored() throws IOException {
    read(
        "{\"type\":\"assistant\",\"parent_tool_use_id\":\"toolu_9\",\"message\":{\"id\":\"m\","
            + "\"content\":[{\"type\":\"text\",\"text\":\"from below\"}]}}");

    assertThat(record.finalText()).isEmpty();
    assertThat(output).isEmpty();
  }

  @Test
  void unknownEvents_areSkipped() throws IOException {
    read("{\"type\":\"something_new\",\"message\":{\"content\":7}}");
    read("{\"type\":\"system\",\"subtype\":\"something_new\"}");
    read("[1,2]");
    read("a hook says hello");

    assertThat(record.answered()).isFalse();
    assertThat(output).containsExactly("[1,2]", "a hook says hello");
  }

  private static String retry(int attempt, int status, String error, int delay) {
    return "{\"type\":\"system\",\"subtype\":\"api_retry\",\"max_retries\":10,\"attempt\":"
        + attempt
        + ",\"retry_delay_ms\":"
        + delay
        + ",\"error_status\":"
        + status
        + ",\"error\":\""
        + error
        + "\"}";
  }

  /** Parses the events of a file, or of a single line. */
  private void read(String nameOrLine) throws IOException {
    if (nameOrLine.endsWith(".jsonl")) {
      RecordedEvents.read(nameOrLine, events, record::show);
    } else {
      new EventLines(events, record::show).accept(nameOrLine + "\n");
    }
  }
}
