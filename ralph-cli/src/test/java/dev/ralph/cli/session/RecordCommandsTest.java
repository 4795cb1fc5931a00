package dev.ralph.cli.session;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.ralph.Agent;
import dev.ralph.AgentResult;
import dev.ralph.Gate;
import dev.ralph.Loop;
import dev.ralph.Ralph;
import dev.ralph.RecordEntry;
import dev.ralph.StatusChange;
import dev.ralph.Task;
import dev.ralph.Turn;
import dev.ralph.Usage;
import dev.ralph.Verdict;
import dev.ralph.cli.Terminal;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Commands that show the records of iterations: {@code iterations --show} and {@code cost}. */
class RecordCommandsTest {

  private static final ObjectMapper JSON = new ObjectMapper();

  @TempDir Path folder;
  private Terminal terminal;

  @BeforeEach
  void beginASession() {
    terminal = new Terminal(folder).with("RALPH_SESSION", "auth");
    run("task", "add", "--create", "one");
    run("task", "add", "two");
  }

  private String run(String... words) {
    Terminal.Result result = terminal.call(words);
    assertThat(result.code()).as(result.err()).isZero();
    return result.out();
  }

  private JsonNode json(String... words) throws IOException {
    return JSON.readTree(run(words));
  }

  private void iterate(Agent agent, UnaryOperator<Loop.Builder> settings) {
    try (Ralph ralph = Ralph.open(folder.resolve(".ralph/store"))) {
      settings
          .apply(ralph.session("auth").loop(agent).directory(folder).prompt("Say\u001b\nhi"))
          .maxIterations(1)
          .run();
    }
  }

  private void iterate(Agent agent) {
    iterate(agent, loop -> loop);
  }

  private static AgentResult work(Turn turn) {
    turn.record(
        RecordEntry.client("Claude Code", "2.1", "opus", List.of("--max-turns", "5"), "a-b"));
    turn.record(RecordEntry.text("I look\nfirst."));
    turn.record(RecordEntry.toolCall("1", "Bash", "{\"command\":\"ls -l\"}"));
    turn.record(RecordEntry.toolCall("2", "Read", "{\"file\":\"a\",\"from\":1}"));
    turn.record(RecordEntry.toolResult("2", false, "line\nline"));
    turn.record(RecordEntry.toolResult("1", true, "no\u001b such file"));
    turn.record(RecordEntry.permission("1", "WebFetch", "denied"));
    turn.record(RecordEntry.retry("overloaded", 2, Duration.ofMillis(2_600)));
    turn.record(RecordEntry.used("opus", Usage.of(10, 2, new BigDecimal("0.02"))));
    return AgentResult.success();
  }

  @Test
  void record_readsAsConversation() {
    iterate(RecordCommandsTest::work);

    String shown = run("iterations", "--show", "1").replaceAll("(?m)^\\d\\d:\\d\\d:\\d\\d ", "");
    assertThat(shown.lines().map(String::strip))
        .containsExactly(
            "in " + folder.toAbsolutePath(),
            shown
                .lines()
                .map(String::strip)
                .filter(it -> it.startsWith("prompt of"))
                .findFirst()
                .get(),
            "Claude Code 2.1, model opus, session a-b, arguments --max-turns 5",
            "I look",
            "first.",
            "[Bash] ls -l",
            "[Read] {\"file\":\"a\",\"from\":1}",
            "→ line ⏎ line",
            "→ [Bash] failed: no\\u001b such file",
            "permission for WebFetch: denied",
            "the model failed: overloaded; attempt 2, in 3 s",
            "used 10 tokens in, 2 out, $0.02 (opus)",
            "ended");
    assertThat(run("iterations", "--show", "1", "--prompt")).contains("Say\\u001b\n         hi");
  }

  @Test
  void record_endsWithGateResults() throws IOException {
    iterate(
        turn -> {
          StatusChange done = StatusChange.to(Task.Status.COMPLETED);
          turn.session().tasks().status("t1", done);
          turn.session().tasks().status("t2", done);
          turn.session().control().complete();
          return AgentResult.success();
        },
        loop ->
            loop.gate(Gate.named("no TODOs", context -> Verdict.failed("one\nand two")))
                .gate(Gate.named("format", context -> Verdict.passed()))
                .gate(Gate.named("tests", context -> Verdict.ofExit(3, ""))));

    assertThat(run("iterations", "--show", "1").replaceAll("(?m)^\\d\\d:\\d\\d:\\d\\d ", ""))
        .endsWith(
            """
            ended
            gate failed: no TODOs
                     one
                     and two
            gate passed: format
            gate failed with exit code 3: tests
                     It printed nothing.
            """);
    List<String> lines = run("iterations", "--show", "1", "--json").lines().toList();
    JsonNode last = JSON.readTree(lines.get(lines.size() - 1));
    assertThat(last.get("type").asText()).isEqualTo("gate");
    assertThat(last.get("name").asText()).isEqualTo("tests");
    assertThat(last.get("passed").asBoolean()).isFalse();
    assertThat(last.get("exit_code").asInt()).isEqualTo(3);
  }

  @Test
  void recordInJson_hasEntryPerLine() throws IOException {
    iterate(RecordCommandsTest::work);

    List<JsonNode> lines = new ArrayList<>();
    for (String line : run("iterations", "--show", "1", "--json").lines().toList()) {
      lines.add(JSON.readTree(line));
    }
    assertThat(lines)
        .extracting(line -> line.get("type").asText())
        .containsExactly(
            "begin",
            "client",
            "text",
            "tool_call",
            "tool_call",
            "tool_result",
            "tool_result",
            "permission",
            "retry",
            "used",
            "end");
    assertThat(lines).allMatch(line -> line.get("kind").asText().equals("record"));
    assertThat(lines).allMatch(line -> line.get("n").asInt() == 1 && line.has("time"));
    assertThat(lines.get(0).get("prompt").asText()).startsWith("Say\u001b\nhi");
    assertThat(lines.get(3).get("arguments").get("command").asText()).isEqualTo("ls -l");
  }

  @Test
  void missingRecord_namesTranscriptCommand() {
    iterate(turn -> AgentResult.success(), loop -> loop.record(false));

    Terminal.Result none = terminal.call("iterations", "--show", "1");
    assertThat(none.code()).isZero();
    assertThat(none.out()).isEmpty();
    assertThat(none.err())
        .contains("iteration 1 has no record")
        .contains("ralph iterations -n auth --transcript 1");
    assertThat(terminal.call("iterations", "--show", "2").code()).isEqualTo(1);
  }

  @Test
  void cost_isGroupedByModelTaskAgentOrDay() throws IOException {
    iterate(
        turn -> {
          turn.record(RecordEntry.client("Codex", null, "gpt", List.of(), null));
          StatusChange done = StatusChange.to(Task.Status.COMPLETED).iteration(turn.iteration());
          turn.session().tasks().status("t1", done);
          turn.session().tasks().status("t2", done);
          return AgentResult.success().usage(Usage.of(100, 20, new BigDecimal("0.50")));
        });
    iterate(
        turn -> {
          turn.record(RecordEntry.client("Claude Code", null, "opus", List.of(), null));
          turn.record(
              RecordEntry.used("opus", Usage.of(10, 2, new BigDecimal("0.02")).asEstimate()));
          turn.record(RecordEntry.used("haiku", Usage.of(4, 1, null)));
          turn.record(
              RecordEntry.used("opus", Usage.of(10, 2, new BigDecimal("0.02")).asEstimate()));
          return AgentResult.failure("no").usage(Usage.of(24, 5, new BigDecimal("0.05")));
        });
    iterate(turn -> AgentResult.success().usage(Usage.UNKNOWN));
    iterate(turn -> AgentResult.success());

    assertThat(run("cost"))
        .isEqualTo(
            """
            #1      100 tokens in, 20 out, $0.50
            #2      24 tokens in, 5 out, $0.05
            #3      unknown
            #4      not reported
            in all  at least 124 tokens in, 25 out, $0.55
            """);
    assertThat(run("cost", "--by", "task"))
        .isEqualTo(
            """
            t1      50 tokens in, 10 out, about $0.25
            t2      50 tokens in, 10 out, about $0.25
            none    at least 24 tokens in, 5 out, $0.05
            in all  at least 124 tokens in, 25 out, $0.55
            """);
    assertThat(run("cost", "--by", "agent"))
        .isEqualTo(
            """
            Codex        100 tokens in, 20 out, $0.50
            Claude Code  24 tokens in, 5 out, $0.05
            unknown      unknown
            in all       at least 124 tokens in, 25 out, $0.55
            """);
    assertThat(run("cost", "--by", "model"))
        .isEqualTo(
            """
            gpt      100 tokens in, 20 out, $0.50
            opus     20 tokens in, 4 out, about $0.04
            haiku    4 tokens in, 1 out
            unknown  unknown
            in all   at least 124 tokens in, 25 out, $0.55
            """);
    JsonNode day = json("cost", "--by", "day", "--json");
    assertThat(day.get("parts")).hasSize(1);
    assertThat(day.get("parts").get(0).get("usage")).isEqualTo(day.get("usage"));
    assertThat(day.has("budget")).isFalse();
    assertThat(terminal.call("cost", "--by", "hour").code()).isEqualTo(2);
  }

  @Test
  void cost_showsBudgetOfNewestRun() throws IOException {
    iterate(turn -> AgentResult.success().usage(Usage.of(1, 1, new BigDecimal("9"))));
    iterate(
        turn -> AgentResult.success().usage(Usage.of(100, 20, new BigDecimal("0.50"))),
        loop -> loop.maxCost(new BigDecimal("5")).maxTokens(1_000));

    assertThat(run("cost"))
        .endsWith("The last run used 100 tokens in, 20 out, $0.50 of $5.00 and 1000 tokens\n");
    JsonNode budget = json("cost", "--json").get("budget");
    assertThat(budget.get("max_cost_usd").asInt()).isEqualTo(5);
    assertThat(budget.get("used").get("cost_usd").asDouble()).isEqualTo(0.5);
  }
}
