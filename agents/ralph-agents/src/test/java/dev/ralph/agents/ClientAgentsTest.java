package dev.ralph.agents;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.Agent;
import dev.ralph.AgentResult;
import dev.ralph.AgentResult.Cause;
import dev.ralph.AgentResult.Outcome;
import dev.ralph.Usage;
import dev.ralph.core.internal.process.ProcessMark;
import dev.ralph.test.TestTurn;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The command lines of clients, tested with scripts that record their arguments, input and
 * variables.
 */
@Timeout(300)
class ClientAgentsTest {

  private static final Duration LONG = Duration.ofSeconds(50);
  private static final McpServerCommand TOOLS =
      McpServerCommand.of(List.of("/a path/ralph", "mcp", "${HOME}")).variable("A_HOME", "/x");

  private static final String CLAUDE_BEGINS =
      "{\"type\":\"system\",\"subtype\":\"init\",\"mcp_servers\":[{\"name\":\"ralph\",\"status\":\"connected\"}]}\n"
          + "{\"type\":\"assistant\",\"message\":{\"id\":\"m\",\"content\":[{\"type\":\"text\",\"text\":\"I"
          + " did.\"}],\"usage\":{\"input_tokens\":7,\"output_tokens\":3}}}\n";
  private static final String CLAUDE_ENDS =
      "{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":false,\"usage\":{\"input_tokens\":7,\"output_tokens\":3},\"total_cost_usd\":0.5}\n";
  private static final String CODEX_BEGINS =
      "{\"type\":\"thread.started\"}\n{\"type\":\"item.completed\",\"item\":{\"id\":\"i\",\"type\":"
          + "\"agent_message\",\"text\":\"I did.\"}}\n";
  private static final String CODEX_ENDS =
      "{\"type\":\"turn.completed\",\"usage\":{\"input_tokens\":7,\"output_tokens\":3}}\n";

  @TempDir Path folder;

  private final ProcessMark mark = ProcessMark.unique();

  @AfterEach
  void nothingIsLeft() {
    assertThat(mark.endAll(Duration.ZERO)).as("processes left").isEmpty();
  }

  /** Creates a client that records its arguments, input and variables, prints a text and exits. */
  private String client(String says, String more) throws IOException {
    Files.writeString(folder.resolve("says"), says);
    Path program =
        Files.writeString(
            folder.resolve("client"),
            "#!/bin/sh\nprintf '%s\\n' \"$@\" >arguments\nenv >variables\ncat >input\ncat says\n"
                + more
                + "\n");
    Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwx------"));
    return program.toString();
  }

  private AgentResult run(ClientBuilder<?> builder, String prompt, Duration limit)
      throws Exception {
    try (Agent agent = builder.build()) {
      return agent.run(
          TestTurn.inMemory()
              .prompt(prompt)
              .directory(folder)
              .processMark(mark.text())
              .variable("RALPH_STORY", "2")
              .timeLimit(limit));
    }
  }

  private List<String> kept(String file) throws IOException {
    return Files.readAllLines(folder.resolve(file));
  }

  @Test
  void claude_getsArgumentsAndPromptOnInput() throws Exception {
    ClaudeAgent.Builder claude =
        ClaudeAgent.builder()
            .program(client(CLAUDE_BEGINS + CLAUDE_ENDS, ""))
            .model("a model")
            .tools(TOOLS)
            .arguments(List.of("--max-turns", "5"));

    AgentResult result = run(claude, "do $this\n", LONG);

    assertThat(result.outcome()).as(result.summary()).isEqualTo(Outcome.SUCCESS);
    assertThat(result.summary()).isEqualTo("I did.");
    assertThat(result.usage()).isEqualTo(Usage.of(7, 3, new BigDecimal("0.5")));
    assertThat(folder.resolve("input")).hasContent("do $this\n");
    assertThat(kept("arguments"))
        .containsSequence("-p", "--output-format", "stream-json", "--verbose")
        .containsSequence("--model", "a model")
        .containsSequence("--permission-mode", "acceptEdits")
        .containsSequence("--allowedTools", "mcp__ralph,Bash")
        .anyMatch(one -> one.contains("PostToolUse") && one.contains("operator_messages_hook"))
        .endsWith("--max-turns", "5")
        .anyMatch(
            one ->
                one.contains("\"command\":\"/a path/ralph\"")
                    && one.contains("[\"mcp\",\"${RALPH_NEVER_SET:-$}{HOME}\"]"));
    assertThat(kept("variables"))
        .contains("A_HOME=/x", "ENABLE_TOOL_SEARCH=false", "CLAUDE_CODE_MAX_RETRIES=2")
        .contains("MCP_TIMEOUT=120000")
        .contains("RALPH_SESSION=test", "RALPH_STORY=2");
  }

  @Test
  void userPermissions_overrideDefaultsOfClaude() throws Exception {
    ClaudeAgent.Builder claude =
        ClaudeAgent.builder()
            .program(client(CLAUDE_BEGINS + CLAUDE_ENDS, ""))
            .tools(TOOLS)
            .arguments(List.of("--allowedTools=Read", "--settings", "mine.json"));

    run(claude, "hello", null);

    assertThat(kept("arguments"))
        .containsOnlyOnce("--settings")
        .containsSequence(
            "--allowedTools", "mcp__ralph", "--allowedTools=Read", "--settings", "mine.json")
        .doesNotContain("--permission-mode");
    assertThat(kept("variables")).noneMatch(one -> one.startsWith("CLAUDE_CODE_MAX_RETRIES"));
  }

  @Test
  void codex_getsArgumentsAndPromptOnInput() throws Exception {
    CodexAgent.Builder codex =
        CodexAgent.builder()
            .program(client(CODEX_BEGINS + CODEX_ENDS, ""))
            .model("a model")
            .tools(TOOLS)
            .arguments(List.of("--ephemeral"));

    AgentResult result = run(codex, "do $this\n", LONG);

    assertThat(result.outcome()).as(result.summary()).isEqualTo(Outcome.SUCCESS);
    assertThat(result.summary()).isEqualTo("I did.");
    assertThat(result.usage().inputTokens()).isEqualTo(7);
    assertThat(folder.resolve("input")).hasContent("do $this\n");
    assertThat(kept("arguments"))
        .startsWith("exec", "--json", "--skip-git-repo-check", "--model", "a model")
        .containsSequence("--sandbox", "workspace-write", "-c", "approval_policy=\"never\"")
        .containsSequence("--disable", "unbounded_connection_retries")
        .contains(
            "mcp_servers.ralph.command=\"/a path/ralph\"",
            "mcp_servers.ralph.args=[\"mcp\",\"${HOME}\"]",
            "mcp_servers.ralph.env_vars=[\"A_HOME\",\"" + ProcessMark.VARIABLE + "\"]",
            "mcp_servers.ralph.required=true")
        .anyMatch(one -> one.startsWith("hooks={PostToolUse="))
        .endsWith("--ephemeral", "-");
    assertThat(kept("variables")).contains("A_HOME=/x");
  }

  @Test
  void codexWithoutHookSupport_runsWithoutHook() throws Exception {
    client(CODEX_BEGINS + CODEX_ENDS, "");
    Files.writeString(
        folder.resolve("client"),
        """
        #!/bin/sh
        cat >/dev/null
        case "$*" in
          *hooks=*) echo 'Error loading config.toml: unknown variant `mcp_tool`' >&2; exit 1 ;;
        esac
        cat says
        """);
    TestTurn turn = TestTurn.inMemory().prompt("hello").directory(folder).processMark(mark.text());

    AgentResult result =
        CodexAgent.builder()
            .program(folder.resolve("client").toString())
            .tools(TOOLS)
            .build()
            .run(turn);

    assertThat(result.outcome()).as(result.summary()).isEqualTo(Outcome.SUCCESS);
    assertThat(turn.notices()).singleElement().asString().contains("too old");
  }

  @Test
  void userPermissions_overrideDefaultsOfCodex() throws Exception {
    CodexAgent.Builder codex =
        CodexAgent.builder()
            .program(client(CODEX_BEGINS + CODEX_ENDS, ""))
            .arguments(List.of("-c", "sandbox_mode=\"danger-full-access\""));

    run(codex, "hello", null);

    assertThat(kept("arguments"))
        .doesNotContain("--sandbox", "approval_policy=\"never\"", "--disable");
  }

  @Test
  void tooLongPromptForCodex_isRefusedBeforeStart() throws Exception {
    CodexAgent.Builder codex = CodexAgent.builder().program(client("", ""));

    AgentResult result = run(codex, "€".repeat(CodexAgent.LONGEST_PROMPT + 1), null);

    assertThat(result.outcome()).isEqualTo(Outcome.FATAL);
    assertThat(result.cause()).isEqualTo(Cause.PROMPT_TOO_LONG);
    assertThat(result.summary()).contains("1048577", "1048576");
    assertThat(folder.resolve("arguments")).doesNotExist();
  }

  @Test
  void missingClient_isFatalWithInstallCommand() throws Exception {
    AgentResult claude = run(ClaudeAgent.builder().program("/nowhere/claude"), "hello", null);
    AgentResult codex = run(CodexAgent.builder().program("/nowhere/codex"), "hello", null);

    assertThat(List.of(claude, codex))
        .allMatch(result -> result.outcome() == Outcome.FATAL)
        .allMatch(result -> result.cause() == Cause.NOT_INSTALLED);
    assertThat(claude.summary()).contains("npm install -g @anthropic-ai/claude-code");
    assertThat(codex.summary()).contains("npm install -g @openai/codex");
  }

  @Test
  void clientExitingEarly_isFailure() throws Exception {
    AgentResult claude =
        run(ClaudeAgent.builder().program(client(CLAUDE_BEGINS, "")), "hello", null);
    AgentResult codex = run(CodexAgent.builder().program(client(CODEX_BEGINS, "")), "hello", null);

    assertThat(List.of(claude, codex))
        .allMatch(result -> result.outcome() == Outcome.FAILURE)
        .allMatch(
            result ->
                String.valueOf(result.summary()).contains("ended before its work was complete"));
    assertThat(claude.usage().inputTokens()).as("tokens of a client without totals").isEqualTo(7);
  }

  @Test
  void clientWithoutToolReport_hasToolsMissing() throws Exception {
    AgentResult result =
        run(ClaudeAgent.builder().program(client(CLAUDE_ENDS, "")).tools(TOOLS), "hello", null);

    assertThat(result.cause()).as(result.summary()).isEqualTo(Cause.TOOLS_MISSING);
  }

  @Test
  void killedClient_isDistinguishedFromFailure() throws Exception {
    AgentResult killed =
        run(CodexAgent.builder().program(client(CODEX_BEGINS, "kill -9 $$")), "hello", null);
    AgentResult failed =
        run(CodexAgent.builder().program(client("", "echo why >&2; exit 7")), "hello", null);

    assertThat(killed.cause()).isEqualTo(Cause.KILLED);
    assertThat(failed.cause()).isNull();
    assertThat(failed.summary()).contains("exit code 7", "why");
  }

  /** Creates a client that prints a version and fails. It records each request for its version. */
  private Path clientOfVersion(String says) throws IOException {
    client("", "");
    return Files.writeString(
        folder.resolve("client"),
        "#!/bin/sh\nif [ \"$1\" = --version ]; then echo asked >>asked; echo '"
            + says
            + "'; exit; fi\ncat >input; exit 7\n");
  }

  private List<String> noticesOfTwoTurns(ClientBuilder<?> builder) throws Exception {
    TestTurn turn = TestTurn.inMemory().prompt("hello").directory(folder).processMark(mark.text());
    try (Agent agent = builder.program(folder.resolve("client").toString()).build()) {
      assertThat(agent.run(turn).outcome()).isEqualTo(Outcome.FAILURE);
      assertThat(agent.run(turn).outcome()).isEqualTo(Outcome.FAILURE);
    }
    return turn.notices();
  }

  @Test
  void untestedVersion_isNamedAtFirstFailure() throws Exception {
    clientOfVersion("client 99.1");
    assertThat(noticesOfTwoTurns(ClaudeAgent.builder()))
        .containsExactly("tested with Claude Code 2.1.330, found client 99.1");
    assertThat(noticesOfTwoTurns(CodexAgent.builder()))
        .containsExactly("tested with Codex 0.169.0, found client 99.1");
    assertThat(noticesOfTwoTurns(OpencodeAgent.builder().withoutServer()))
        .containsExactly("tested with opencode 1.18.33, found client 99.1");
    assertThat(kept("asked")).hasSize(3);
  }

  @Test
  void testedVersion_isNotReported() throws Exception {
    clientOfVersion("2.1.330 (Claude Code)");
    assertThat(noticesOfTwoTurns(ClaudeAgent.builder())).isEmpty();
    assertThat(kept("asked")).hasSize(1);
  }

  @Test
  void understoodFailure_doesNotQueryVersion() throws Exception {
    TestTurn turn = TestTurn.inMemory().prompt("hello").directory(folder).processMark(mark.text());
    String program = client(CODEX_BEGINS, "kill -9 $$");
    try (Agent agent = CodexAgent.builder().program(program).build()) {
      assertThat(agent.run(turn).cause()).isEqualTo(Cause.KILLED);
    }
    assertThat(turn.notices()).isEmpty();
    assertThat(kept("arguments")).doesNotContain("--version");
  }

  @Test
  void clientEndedDuringTool_isReportedWithCall() throws Exception {
    String begins =
        "{\"type\":\"assistant\",\"message\":{\"id\":\"n\",\"content\":["
            + tool("1", "echo made")
            + ","
            + tool("2", "npm start")
            + "]}}\n"
            + "{\"type\":\"user\",\"message\":{\"content\":[{\"type\":\"tool_result\","
            + "\"tool_use_id\":\"%s\",\"content\":\"\"}]}}\n";
    Duration silence = Duration.ofSeconds(3);

    AgentResult first =
        run(
            ClaudeAgent.builder()
                .program(client(CLAUDE_BEGINS + begins.formatted("2"), "sleep 300"))
                .longestSilence(silence),
            "hello",
            null);
    AgentResult second =
        run(
            ClaudeAgent.builder()
                .program(client(CLAUDE_BEGINS + begins.formatted("1"), "sleep 300"))
                .longestSilence(silence),
            "hello",
            null);
    AgentResult codex =
        run(
            CodexAgent.builder()
                .program(
                    client(
                        CODEX_BEGINS
                            + "{\"type\":\"item.started\",\"item\":{\"id\":\"j\",\"type\":"
                            + "\"command_execution\",\"command\":\"npm start\"}}\n",
                        "sleep 300"))
                .longestSilence(silence),
            "hello",
            null);

    assertThat(first.summary())
        .matches("Claude Code was stopped: .* for 3 s; \\[Bash] echo made was running for \\d+ s");
    assertThat(second.summary())
        .matches("Claude Code was stopped: .* for 3 s; \\[Bash] npm start was running for \\d+ s");
    assertThat(codex.summary())
        .matches("Codex was stopped: .* for 3 s; \\[shell] npm start was running for \\d+ s");
  }

  @ParameterizedTest
  @ValueSource(strings = {"exec sleep 300", "sleep 300"})
  void finishedButRunningClient_isSuccess(String stays) throws Exception {
    for (boolean isClaude : new boolean[] {true, false}) {
      String says = isClaude ? CLAUDE_BEGINS + CLAUDE_ENDS : CODEX_BEGINS + CODEX_ENDS;
      ClientBuilder<?> client = isClaude ? ClaudeAgent.builder() : CodexAgent.builder();
      TestTurn turn =
          TestTurn.inMemory().prompt("hello").directory(folder).processMark(mark.text());
      AgentResult result;
      try (Agent agent =
          client.program(client(says, stays)).longestSilence(Duration.ofSeconds(2)).build()) {
        result = agent.run(turn);
      }

      assertThat(result.outcome()).as(result.toString()).isEqualTo(Outcome.SUCCESS);
      assertThat(result.summary()).isEqualTo("I did.");
      assertThat(turn.notices())
          .singleElement()
          .asString()
          .endsWith("did not exit after its final event and was stopped");
      assertThat(mark.find()).isEmpty();
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void failedClientThatStays_keepsItsFailure(boolean isClaude) throws Exception {
    String says =
        isClaude
            ? CLAUDE_BEGINS
                + "{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":true,"
                + "\"api_error_status\":404,\"result\":\"no such model\"}\n"
            : CODEX_BEGINS
                + "{\"type\":\"turn.failed\",\"error\":{\"message\":\"no such model\"}}\n";
    ClientBuilder<?> client = isClaude ? ClaudeAgent.builder() : CodexAgent.builder();
    TestTurn turn = TestTurn.inMemory().prompt("hello").directory(folder).processMark(mark.text());
    AgentResult result;
    try (Agent agent =
        client
            .program(client(says, "exec sleep 300"))
            .longestSilence(Duration.ofSeconds(2))
            .build()) {
      result = agent.run(turn);
    }

    assertThat(result.outcome()).isNotEqualTo(Outcome.SUCCESS);
    assertThat(result.cause()).isNotEqualTo(Cause.HUNG);
    assertThat(result.summary()).contains("no such model");
    assertThat(turn.notices())
        .singleElement()
        .asString()
        .endsWith("did not exit after its final event and was stopped");
    assertThat(mark.find()).isEmpty();
  }

  @Test
  void eventAfterFinalEvent_continuesTurn() throws Exception {
    String program = client(CLAUDE_BEGINS + CLAUDE_ENDS + CLAUDE_BEGINS, "exec sleep 300");

    AgentResult result =
        run(
            ClaudeAgent.builder().program(program).longestSilence(Duration.ofSeconds(2)),
            "hello",
            null);

    assertThat(result.cause()).isEqualTo(Cause.HUNG);
  }

  @ParameterizedTest
  @CsvSource({
    "29, 100, 900, false",
    "31, 31, 900, true",
    "31, 29, 900, false",
    "31, 29, 0, false",
    "901, 1, 900, true",
    "901, 1, 0, false",
    "3, 3, 2, true",
  })
  void finishedClient_isEndedAfterSilenceWithoutWork(
      int silent, int workless, int longestSilence, boolean expected) {
    assertThat(
            ClientRun.isOver(
                Duration.ofSeconds(silent),
                Duration.ofSeconds(workless),
                Duration.ofSeconds(longestSilence)))
        .isEqualTo(expected);
  }

  private static String tool(String id, String command) {
    return "{\"type\":\"tool_use\",\"id\":\"%s\",\"name\":\"Bash\",\"input\":{\"command\":\"%s\"}}"
        .formatted(id, command);
  }

  @Test
  void runningClient_isEndedWithChildProcesses() throws Exception {
    String program =
        client(CODEX_BEGINS, "trap '' TERM; setsid sh -c 'trap \"\" TERM; sleep 300' & sleep 300");

    AgentResult late = run(CodexAgent.builder().program(program), "hello", Duration.ofSeconds(1));
    AgentResult hung =
        run(
            CodexAgent.builder().program(program).longestSilence(Duration.ofSeconds(1)),
            "hello",
            null);

    assertThat(late.cause()).isEqualTo(Cause.TIMED_OUT);
    assertThat(hung.cause()).isEqualTo(Cause.HUNG);
    assertThat(hung.summary()).contains("no output for 1 s");
    assertThat(mark.find()).isEmpty();
  }

  // ---- budgets

  private TestTurn turn(BigDecimal budget) {
    return TestTurn.inMemory()
        .prompt("hello")
        .directory(folder)
        .processMark(mark.text())
        .maxCost(budget);
  }

  @Test
  void claude_getsRemainingBudget() throws Exception {
    String program = client(CLAUDE_BEGINS + CLAUDE_ENDS, "");
    try (Agent agent = ClaudeAgent.builder().program(program).build()) {
      agent.run(turn(new BigDecimal("0.12345678")));
    }
    assertThat(kept("arguments")).containsSequence("--max-budget-usd", "0.123457");

    try (Agent agent =
        ClaudeAgent.builder()
            .program(program)
            .arguments(List.of("--max-budget-usd", "9"))
            .build()) {
      agent.run(turn(BigDecimal.ONE));
    }
    assertThat(kept("arguments")).containsOnlyOnce("--max-budget-usd").contains("9");
  }

  @Test
  void claudeWithoutBudgetOption_runsWithNotice() throws Exception {
    String program = client(CLAUDE_BEGINS + CLAUDE_ENDS, "");
    Path script = Path.of(program);
    Files.writeString(
        script,
        Files.readString(script)
            .replace(
                "#!/bin/sh\n",
                "#!/bin/sh\ncase \"$*\" in *--max-budget-usd*) echo \"error: unknown option"
                    + " '--max-budget-usd'\" >&2; exit 1; esac\n"));
    TestTurn turn = turn(BigDecimal.ONE);

    try (Agent agent = ClaudeAgent.builder().program(program).build()) {
      assertThat(agent.run(turn).outcome()).isEqualTo(Outcome.SUCCESS);
    }

    assertThat(turn.notices()).first().asString().contains("too old to enforce a budget");
  }

  @Test
  void claudeMentioningOption_isNotRestarted() throws Exception {
    String words = "It says unknown option '--max-budget-usd' now.";
    String begins = CLAUDE_BEGINS.replace("I did.", words);
    TestTurn turn = turn(BigDecimal.ONE);

    try (Agent agent = ClaudeAgent.builder().program(client(begins + CLAUDE_ENDS, "")).build()) {
      AgentResult result = agent.run(turn);
      assertThat(result.summary()).isEqualTo(words);
      assertThat(result.outcome()).isEqualTo(Outcome.SUCCESS);
    }

    assertThat(turn.notices()).noneMatch(notice -> notice.contains("too old to enforce"));
    assertThat(kept("arguments")).contains("--max-budget-usd");
  }

  @Test
  void ownPrices_disableBudgetOfClaude() throws Exception {
    Path prices = Files.writeString(folder.resolve("prices"), "mine 1 1 1 1\n");
    try (Agent agent =
        ClaudeAgent.builder()
            .program(client(CLAUDE_BEGINS + CLAUDE_ENDS, ""))
            .prices(Prices.read(prices))
            .build()) {
      agent.run(turn(BigDecimal.ONE));
    }
    assertThat(kept("arguments")).doesNotContain("--max-budget-usd");
  }

  @Test
  void codexWithoutRollout_hasUnknownUsage() throws Exception {
    TestTurn turn = turn(null).timeLimit(Duration.ofSeconds(2));

    AgentResult result;
    try (Agent agent =
        CodexAgent.builder()
            .program(client(CODEX_BEGINS, "sleep 300"))
            .environment("CODEX_HOME", folder.resolve("none").toString())
            .arguments(List.of("--ephemeral"))
            .build()) {
      result = agent.run(turn);
    }

    assertThat(result.cause()).isEqualTo(Cause.TIMED_OUT);
    assertThat(result.usage()).isEqualTo(Usage.UNKNOWN);
    assertThat(turn.notices()).hasSize(1).first().asString().contains("usage only at the end");
  }

  @Test
  void modelWithoutPrice_isNamedUnderCostLimit() throws Exception {
    String program =
        client(CLAUDE_BEGINS.replace("\"m\",", "\"m\",\"model\":\"a-model\","), "sleep 1");
    Path prices = Files.writeString(folder.resolve("prices"), "a-* 1000000 0 0 1000000\n");
    TestTurn unpriced = turn(BigDecimal.TEN);
    TestTurn priced = turn(BigDecimal.TEN);

    try (Agent agent = ClaudeAgent.builder().program(program).build()) {
      agent.run(unpriced);
    }
    AgentResult result;
    try (Agent agent = ClaudeAgent.builder().program(program).prices(Prices.read(prices)).build()) {
      result = agent.run(priced);
    }

    assertThat(unpriced.notices())
        .first()
        .isEqualTo(
            "the price of the model 'a-model' is not known; add the model to a price table"
                + " (ralph build --prices FILE)");
    assertThat(priced.notices()).noneMatch(notice -> notice.contains("price"));
    assertThat(result.usage()).isEqualTo(Usage.of(7, 3, BigDecimal.TEN).asEstimate());
  }
}
