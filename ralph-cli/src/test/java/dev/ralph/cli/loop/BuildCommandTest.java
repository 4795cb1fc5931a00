package dev.ralph.cli.loop;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.ralph.cli.Terminal;
import dev.ralph.cli.Terminal.Result;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code ralph build} with real processes as agents. */
@Timeout(value = 300, unit = TimeUnit.SECONDS)
class BuildCommandTest {

  @TempDir Path folder;
  private Terminal terminal;

  @BeforeEach
  void writeASpec() throws IOException {
    terminal = new Terminal(folder).with("RALPH_SESSION", "auth");
    Files.createDirectory(folder.resolve("specs"));
    Files.writeString(folder.resolve("specs/SPEC.md"), "# A spec\n");
  }

  private Result build(String agent, String... more) {
    List<String> words = new ArrayList<>(List.of("build", "--agent", agent));
    words.addAll(List.of(more));
    return terminal.call(words.toArray(new String[0]));
  }

  @Test
  void plainOutput_showsIterationsAndEnd() {
    Result result = build("echo 'hello  there' \"you\"", "-i", "2");

    assertThat(result.code()).isEqualTo(3);
    assertThat(withoutTimes(result.out()))
        .isEqualTo(
            """
            auth - Iteration #1...
              hello  there you
            Done!

            auth - Iteration #2...
              hello  there you
            Done!

            auth: no tasks; 2 iterations, TIME
            auth: loop ended: max_iterations after 2 iterations; exit code 3; continue with: ralph build -n \
            auth --agent 'echo '\\''hello  there'\\'' "you"' -i 2
            """);
    assertThat(result.err())
        .isEqualTo("ralph: created the store " + folder.resolve(".ralph/store") + "\n");
    assertThat(terminal.call("iterations", "--transcript", "2").out()).contains("hello  there you");
  }

  private static String withoutTimes(String out) {
    return out.replaceAll("\\b(\\d+m)?\\d+(\\.\\d)?s\\b", "TIME");
  }

  /** The examples of agent options in docs/agents.md. */
  static Stream<String> argumentsForAgents() throws IOException {
    Path page = Path.of("").toAbsolutePath().resolveSibling("docs/agents.md");
    return Pattern.compile("`(--agent-arg -[^`]+)`")
        .matcher(Files.readString(page))
        .results()
        .map(found -> found.group(1));
  }

  @Test
  void argumentsDocument_hasExamples() throws IOException {
    assertThat(argumentsForAgents()).hasSizeGreaterThanOrEqualTo(3);
  }

  @ParameterizedTest
  @MethodSource("argumentsForAgents")
  @ValueSource(strings = {"--agent-arg --json --agent-arg=-x --agent-arg --", "--agent-arg -i"})
  void agentArguments_arePassedUnchanged(String arguments) {
    List<String> words = new ArrayList<>(List.of(arguments.split(" ")));
    words.addAll(List.of("-i", "1"));

    Result result = build("echo [", words.toArray(new String[0]));

    assertThat(result.code()).as(result.err()).isEqualTo(3);
    assertThat(result.out())
        .contains("  [ " + arguments.replaceAll("--agent-arg[ =]", "") + "\nDone!");
  }

  @Test
  void completedSession_exitsWithZero() {
    terminal.call("task", "add", "--create", "one");
    terminal.call("task", "done", "t1");
    terminal.call("complete");

    Result result = build("true", "--gate", "test -f specs/SPEC.md");

    assertThat(result.code()).as(result.out()).isZero();
    assertThat(result.out()).contains("gate passed", "completed");
  }

  @Test
  void failedStore_endIsPrintedBeforeExit() {
    Result result =
        terminal.callBeforeSlowReader("build", "--agent", "rm -rf .ralph/store", "-i", "3");

    assertThat(result.code()).isEqualTo(1);
    assertThat(result.out()).contains("auth: loop ended: store_failed after 1 iteration");
  }

  @Test
  void interruptedThread_printsEndAndRunsHook() throws Exception {
    Thread looping = Thread.currentThread();
    CompletableFuture<Void> interrupter =
        CompletableFuture.runAsync(
            () -> {
              while (!Files.exists(folder.resolve("begun"))) {
                Thread.onSpinWait();
              }
              looping.interrupt();
            });

    Result result =
        terminal.callBeforeSlowReader(
            "build",
            "--agent",
            "sh -c 'touch begun; sleep 100'",
            "--on-end",
            "sh -c 'sleep 0.5; touch told'");

    assertThat(Thread.interrupted()).as("interrupt status kept").isTrue();
    interrupter.get();
    assertThat(result.code()).isEqualTo(130);
    assertThat(result.out()).contains("auth: loop ended: interrupted after 1 iteration: ");
    assertThat(folder.resolve("told")).exists();
  }

  @Test
  void failureLimit_endsLoop() {
    Result result = build("false", "--max-failures", "1");

    assertThat(result.code()).isEqualTo(5);
    assertThat(result.out())
        .contains("Failed: 'false' ended with exit code 1 and printed nothing\n")
        .contains("1 iteration: the iteration failed; continue with: ralph build ");
  }

  @Test
  void printedOutput_isNotRepeatedByFailure() {
    Result result = build("sh -c 'echo one; echo two; exit 3'", "-i", "1");

    assertThat(withoutTimes(result.out()))
        .startsWith(
            """
            auth - Iteration #1...
              one
              two
            Failed: 'sh' ended with exit code 3

            auth: no tasks; 1 iteration, TIME
            auth: loop ended: max_iterations after 1 iteration: the last iteration failed; \
            exit code 5; \
            """);
    assertThat(result.code()).as("the last iteration failed").isEqualTo(5);
    assertThat(build("sh -c 'echo one; exit 3'", "-i", "1", "--quiet").out())
        .contains("Failed: 'sh' ended with exit code 3; its last lines:\n  one\n")
        .contains(
            "; to see why: ralph iterations -n auth --transcript 2; continue with: ralph build ");
  }

  private static final String TELLS =
      "sh -c 'echo \"{\\\"input_tokens\\\":30,\\\"output_tokens\\\":6,\\\"cost_usd\\\":0.4}\""
          + " >>\"$RALPH_USAGE\"'";

  @Test
  void usage_isEqualInEveryView() {
    Result result = build(TELLS, "--max-cost", "1", "--json");

    assertThat(result.code()).as(result.out() + result.err()).isEqualTo(7);
    String all = "\"usage\":{\"input_tokens\":90,\"output_tokens\":18,\"cost_usd\":1.2}";
    String each = "\"usage\":{\"input_tokens\":30,\"output_tokens\":6,\"cost_usd\":0.4}";
    assertThat(result.out())
        .contains("the budget of $1.00 is used up: $1.20", all)
        .doesNotContain("in force");
    assertThat(terminal.call("status", "--json").out()).contains(all);
    assertThat(terminal.call("status").out()).contains("used        90 tokens in, 18 out, $1.20");
    assertThat(terminal.call("iterations", "--json").out()).contains(each);
    assertThat(terminal.call("log").out()).contains(each);
  }

  @Test
  void unenforceableLimits_areNamedAtStart() {
    Result result =
        build(
            "true", "-i", "1", "--max-cost", "1", "--iteration-max-tokens", "9", "--timeout", "1h");

    assertThat(result.err().lines())
        .filteredOn(line -> line.contains("not enforced"))
        .hasSize(2)
        .allMatch(line -> line.contains("RALPH_USAGE"))
        .anyMatch(line -> line.contains("--max-cost is not enforced"))
        .anyMatch(line -> line.contains("--iteration-max-tokens is not enforced"));
    assertThat(result.out()).contains("reports no usage");
  }

  @Test
  void costLimitWithoutPrice_isNamedAtStart() {
    Result result =
        terminal.call(
            "build", "--agent", "codex", "-i", "1", "--max-cost", "1", "--max-tokens", "5");

    assertThat(result.err())
        .contains("--max-cost is not enforced while the price of the model is unknown")
        .doesNotContain("--max-tokens is");
  }

  @Test
  void protocolOptions_areCheckedBeforeStore() {
    terminal.with("PATH", "/usr/bin:/bin");
    assertThat(terminal.call("build", "--agent", "claude", "--agent-mode", "x").err())
        .contains("--agent-mode is for copilot, gemini, kilo and acp:COMMAND");
    assertThat(terminal.call("build", "--agent", "acp:cat", "--agent-permission", "no").err())
        .contains("--agent-permission must be allow, deny or ask, not 'no'");
    assertThat(terminal.call("build", "--agent", "acp:").err()).contains("--agent ''");
    assertThat(terminal.call("build", "--agent", "acp:no-such-agent --acp").err())
        .contains("the agent's program 'no-such-agent' is not on the PATH");
    assertThat(folder.resolve(".ralph")).doesNotExist();
  }

  @Test
  void protocolAgent_getsToolsOfMcpServer() {
    Result result =
        terminal.call(
            "build",
            "--agent",
            "acp:cat --acp",
            "--dry-run",
            "--max-cost",
            "1",
            "--max-tokens",
            "5");

    assertThat(result.out()).contains("tools of the MCP server ralph", "- task_next: takes");
    assertThat(result.err())
        .contains("--max-cost is not enforced unless the agent reports its cost")
        .contains("--max-tokens is not enforced before the end of an iteration");
  }

  @Test
  void invalidPrices_areRefusedBeforeStore() throws Exception {
    Files.writeString(folder.resolve("prices"), "claude-x 1 2\n");

    Result result = terminal.call("build", "--agent", "claude", "--prices", "prices");

    assertThat(result.code()).isEqualTo(1);
    assertThat(result.err()).contains("prices:1: invalid price line");
    assertThat(folder.resolve(".ralph")).doesNotExist();
    assertThat(build("true", "--prices", "prices").err()).contains("--prices is for opencode");
  }

  @Test
  void idleAgent_endsLoopWithNoProgress() {
    Result result = build("true", "--max-idle", "3");

    assertThat(result.code()).isEqualTo(6);
    assertThat(result.out())
        .contains("waiting 1 s after an iteration that changed nothing\n")
        .contains("loop ended: no_progress after 3 iterations: nothing has changed in 3 iterations")
        .contains("; continue with: ralph build -n auth ");
  }

  @Test
  void openTasks_areCountedAtEnd() {
    terminal.call("task", "add", "--create", "one");
    assertThat(build("true", "-i", "1").out())
        .contains(
            "max_iterations after 1 iteration: 1 task left; exit code 3; continue with: ralph build ");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "--max-cost 0",
        "--max-cost -1",
        "--max-cost 1e9",
        "--iteration-max-cost much",
        "--max-tokens 0",
        "--iteration-max-tokens 1.5",
        "--max-idle -1"
      })
  void invalidLimit_isRefused(String option) {
    String[] words = option.split(" ");
    Result result = build("true", words[0] + "=" + words[1]);
    assertThat(result.code()).isEqualTo(2);
    assertThat(result.err()).contains(words[0] + " must be").hasLineCount(1);
  }

  @Test
  void costLimit_isAccepted() {
    assertThat(build("true", "-i", "1", "--max-cost", "0.50", "--max-tokens", "2000000").code())
        .isEqualTo(3);
  }

  @Test
  void earlierFailure_doesNotFailRun() {
    Result result = build("sh -c 'test -f there || ! touch there'", "-i", "2");

    assertThat(result.out()).contains("Failed: ", "Done!");
    assertThat(result.code()).isEqualTo(3);
  }

  @Test
  void controlSequencesOfAgent_areEscaped() {
    Result result =
        build(
            "printf '\\033[31mred\\033[0m\\033]0;t\\007 10%%\\r99%%\\r\\n\\033c\\tx\\n'",
            "-i", "1");
    assertThat(result.out()).contains("Iteration #1...\n  99%\n  \\u001bc\tx\nDone!\n");
  }

  @Test
  void completedRun_suggestsNoNextCommand() {
    terminal.call("task", "add", "--create", "one");
    terminal.call("task", "done", "t1");
    terminal.call("complete");
    assertThat(build("true").out())
        .endsWith("auth: loop ended: completed after 0 iterations; no open work\n");
  }

  @Test
  void pausedSession_explainsResume() throws Exception {
    terminal.call("task", "add", "--create", "one");
    terminal.call("stop");
    terminal.call("pause");
    Result result = build("true", "--time-limit", "300ms", "--store", ".ralph/store");

    assertThat(result.out())
        .containsPattern(
            "^paused since \\d\\d:\\d\\d; continue with: ralph resume -n auth --store .ralph/store\n")
        .contains("loop ended: time_limit after 0 iterations");
  }

  @Test
  void earlierStopOrder_doesNotEndNextRun() {
    terminal.call("task", "add", "--create", "one");
    terminal.call("stop", "--reason", "enough");
    assertThat(build("true", "-i", "1").out()).contains("Done!");
  }

  @Test
  void openQuestion_printsAnswerCommand() {
    terminal.call("task", "add", "--create", "one");
    terminal.call("ask", "Which port?");
    assertThat(build("true", "--wait", "--time-limit", "300ms").out())
        .startsWith("waiting for an answer to q1 (ralph answer -n auth q1 TEXT)\n");
  }

  @Test
  void pipedPrompt_isNamedInNextCommand() {
    assertThat(terminal.pipe("Do it", "build", "--agent", "true", "-i", "1").out())
        .endsWith(
            "; continue with the same text piped into: ralph build -n auth --agent true -i 1\n");
    assertThat(terminal.pipe("", "build", "--agent", "true", "-i", "1").out())
        .as("empty standard input, as from /dev/null")
        .contains("continue with: ralph build -n auth --agent true -i 1\n");
  }

  @Test
  void missingAgentProgram_isFoundBeforeStore() {
    terminal.with("PATH", "/usr/bin:/bin");
    assertNotThere(build("no-such-program-at-all"), "'no-such-program-at-all' is not on the PATH");
    assertNotThere(build("./no/agent x"), "'./no/agent' is not an executable file");
    terminal.with("PATH", folder.toString());
    assertNotThere(build("claude"), "npm install -g @anthropic-ai/claude-code");
  }

  private void assertNotThere(Result result, String said) {
    assertThat(result.code()).isEqualTo(2);
    assertThat(result.err()).contains(said);
    assertThat(folder.resolve(".ralph")).doesNotExist();
  }

  @Test
  void timeLimit_endsLoop() {
    Result result = build("sleep 600", "--time-limit", "300ms");

    assertThat(result.code()).isEqualTo(4);
  }

  @Test
  void iterationTimeout_endsIteration() {
    Result result = build("sleep 600", "--timeout", "300ms", "--max-failures", "1");

    assertThat(result.code()).isEqualTo(5);
    assertThat(terminal.call("iterations").out()).contains("#1 timeout");
  }

  // ---- hooks

  /** Creates a hook that saves its input and variables, and returns its command line. */
  private String hook(String file) throws IOException {
    Files.writeString(
        folder.resolve("hook.sh"),
        "cat >\"$1.new\"; echo \"$RALPH_EVENT $RALPH_SESSION $RALPH_STORE\" >>\"$1.new\"\n"
            + "mv \"$1.new\" \"$1\"\n");
    return "sh hook.sh '" + file + "'";
  }

  private JsonNode given(String file, String kind) throws IOException {
    List<String> lines = Files.readAllLines(folder.resolve(file));
    assertThat(lines).hasSize(2);
    assertThat(lines.get(1)).isEqualTo(kind + " auth " + folder.resolve(".ralph/store"));
    return new ObjectMapper().readTree(lines.get(0));
  }

  @Test
  void failureAndEndHooks_areRun() throws IOException {
    Result result =
        build(
            "sh -c 'exit 3'",
            List.of("-i", "1", "--on-failure", hook("the failure"), "--on-end", hook("the end"))
                .toArray(new String[0]));

    assertThat(result.code()).isEqualTo(5);
    assertThat(result.err()).startsWith("ralph: created the store ").hasLineCount(1);
    JsonNode failure = given("the failure", "failure");
    assertThat(failure.get("kind").asText()).isEqualTo("event");
    assertThat(failure.get("type").asText()).isEqualTo("iteration_ended");
    assertThat(failure.get("iteration").asInt()).isEqualTo(1);
    assertThat(failure.at("/data/status").asText()).isEqualTo("failure");
    assertThat(given("the end", "end").at("/data/reason").asText()).isEqualTo("max_iterations");
  }

  @Test
  void questionHook_runsWhileQuestionIsOpen() throws Exception {
    terminal.call("task", "add", "--create", "one");
    String agent = "sh -c 'touch begun; until test -f asked; do sleep 0.1; done'";
    CompletableFuture<Result> loop =
        CompletableFuture.supplyAsync(
            () -> {
              try {
                return build(agent, "-i", "1", "--on-question", hook("asked"));
              } catch (IOException e) {
                throw new java.io.UncheckedIOException(e);
              }
            });
    while (!Files.exists(folder.resolve("begun"))) {
      TimeUnit.MILLISECONDS.sleep(10);
    }
    terminal.call("ask", "Which port?");

    assertThat(loop.get().out())
        .contains("question q1: Which port? (ralph answer -n auth q1 TEXT)\n");
    assertThat(given("asked", "question").at("/data/text").asText()).isEqualTo("Which port?");
  }

  @Test
  void failingHook_isReportedOnly() {
    terminal.call("task", "add", "one");
    Result result =
        build(
            "true",
            "-i",
            "1",
            "--json",
            "--on-end",
            "sh -c 'echo no; echo \"no \033[31mnetwork\" >&2; exit 7'");
    assertThat(result.code()).isEqualTo(3);
    assertThat(result.err()).startsWith("ralph: warning: --on-end sh ").hasLineCount(1);
    assertThat(result.err()).endsWith(": exit code 7, no network\n");
    assertThat(result.out().lines()).allMatch(line -> line.startsWith("{\"v\":1,"));

    assertThat(build("true", "-i", "1", "--on-end", "no-such-hook").err())
        .startsWith("ralph: warning: --on-end no-such-hook: ")
        .hasLineCount(1);
    assertThat(build("true", "--on-end", "not 'closed").code()).isEqualTo(2);
  }

  @Test
  void hangingHook_isTimedOut() {
    Result result = build("true", "-i", "1", "--on-end", "sleep 1000");
    assertThat(result.code()).isEqualTo(3);
    assertThat(result.err()).contains("ended after 10 s");
  }

  @Test
  void stopOrder_endsLoop() throws Exception {
    Path begun = folder.resolve("begun");
    Path ordered = folder.resolve("ordered");
    String waits = "touch %s; until [ -e %s ]; do sleep 0.05; done".formatted(begun, ordered);
    CompletableFuture<Result> loop =
        CompletableFuture.supplyAsync(() -> build("sh -c '" + waits + "'"));
    while (!Files.exists(begun)) {
      assertThat(loop).isNotDone();
      Thread.onSpinWait();
    }
    Result second = build("true");
    assertThat(second.code()).as("second loop of the session").isEqualTo(1);
    assertThat(second.err()).startsWith("ralph: ").hasLineCount(1);
    assertThat(terminal.call("stop").out()).startsWith("Stop requested");
    Files.createFile(ordered);

    assertThat(loop.get().code()).isEqualTo(9);
    assertThat(loop.get().out())
        .contains("stopped after 1 iteration; exit code 9; continue with: ");
  }

  @Test
  void events_areLinesOfJson() throws IOException {
    Result result = build("echo hi", "-i", "1", "--json");

    List<String> types = new ArrayList<>();
    for (String line : result.out().lines().toList()) {
      JsonNode event = new ObjectMapper().readTree(line);
      assertThat(event.get("v").asInt()).isEqualTo(1);
      assertThat(event.get("kind").asText()).isEqualTo("event");
      types.add(event.get("type").asText());
    }
    assertThat(types)
        .containsExactly(
            "loop_started", "iteration_started", "output", "iteration_ended", "loop_ended");
  }

  @Test
  void quietMode_hidesAgentOutput() {
    assertThat(build("echo secret", "-i", "1", "--quiet").out())
        .contains("Iteration #1...\nDone!\n");
  }

  @Test
  void terminalOutput_showsTimeAndTasks() {
    terminal.call("task", "add", "--create", "one");
    terminal.call("task", "add", "two");
    terminal.call("task", "done", "t1");

    terminal.terminals("012");

    terminal.call("message", "hello");
    Result result =
        build("true", "-i", "1", "--timeout", "1h", "--max-cost", "5", "--gate", "sh -c true");
    assertThat(result.out())
        .startsWith("auth in " + folder.resolve(".ralph/store") + "\n")
        .contains("  tasks: 1 of 2 completed, 1 remaining, 1 unread message\n")
        .contains("  spec: specs/SPEC.md; complete after an agent declares completion\n")
        .contains(
            "  agent: true\n  permissions: decided by the command\n  limits: 1 iteration at most,"
                + " timeout 1h, max cost 5 (not enforced until the agent reports its usage in the"
                + " file of RALPH_USAGE)\n  gate: sh -c true\n\n")
        .containsPattern("Iteration #1\\.\\.\\. \\d+\\.\\ds, 1 of 2 tasks done\n")
        .containsPattern("Done! \\d+\\.\\ds, 1 of 2 tasks done\n")
        .containsPattern(
            "max_iterations after 1 iteration: 1 task left; 1 message is not read yet: m1 hello\n"
                + "  tasks: 1 completed, 1 left\n  run: 1 iteration, \\d+\\.\\ds\n  exit code 3\n"
                + "  continue with: ralph build")
        .as("no redrawing without TERM")
        .doesNotContain("\u001b", "\r");
  }

  @Test
  void statusLine_staysBelowOutput() {
    terminal.call("task", "add", "--create", "the \u001b[2J\uD83D\uDE00 first " + "x".repeat(200));
    terminal.call("task", "status", "t1", "in_progress");
    terminal.terminals("012").with("TERM", "xterm");

    // The status line is in no file, so the agent waits until the line has shown the first second.
    String out = build("sh -c 'echo first; sleep 2.5; echo second'", "-i", "1").out();

    assertThat(out)
        .contains("#1, 1 of 1  1s  0 of 1 tasks done  t1 the \\u001b[2J\uD83D\uDE00 first xx")
        .contains("\r\u001b[J  second\n")
        .doesNotContain("x".repeat(60))
        .doesNotContain("\u001b[2J");
    int end = out.lastIndexOf("\r\u001b[J");
    assertThat(out.substring(end)).as("status line removed at the end").isEqualTo("\r\u001b[J");
  }

  @Test
  void agent_readsPromptFromStandardInput() {
    assertThat(build("cat", "-i", "1", "--prompt", "Only {{session}}").out()).contains("Only auth");
    assertThat(build("cat", "-i", "1").out())
        .contains(folder.resolve("specs/SPEC.md").toString(), "'" + Terminal.LAUNCHER + "'")
        .contains("\"$RALPH\" tasks\n");
  }

  @Test
  void pipedText_becomesPrompt() {
    Result result = terminal.pipe("Piped {{session}}\n", "build", "--agent", "cat", "-i", "1");
    assertThat(result.out()).contains("  Piped auth\n");
    Result empty = terminal.pipe("", "build", "--agent", "cat", "-i", "1");
    assertThat(empty.out()).contains("## Instructions");
  }

  @Test
  void pipedText_fillsNamedTemplate() throws IOException {
    Files.writeString(folder.resolve("t"), "first {{ extra }} last {{inbox}}\n");
    String[] build = {"build", "--dry-run", "--template", "t"};

    assertThat(terminal.pipe("piped\n", build).out()).startsWith("first piped last");
    assertThat(terminal.pipe("", build).out()).startsWith("first  last");
    Files.writeString(folder.resolve("t"), "only {{session}} {{inbox}}\n");
    assertThat(terminal.pipe("piped {{tasks}}\n", build).out())
        .startsWith("only auth")
        .endsWith("\npiped {{tasks}}\n");
    assertThat(
            terminal
                .pipe("piped", "build", "--dry-run", "--template", "t", "--extra", "given")
                .out())
        .endsWith("\ngiven\n\npiped\n");
  }

  @Test
  void template_isFoundAndChecked() throws IOException {
    Files.writeString(folder.resolve(".ralph.template"), "own {{iteration}} {{inbox}}");
    assertThat(build("cat", "-i", "1").out()).contains("own 1");
    Files.writeString(folder.resolve("t"), "named {{extra}} {{inbox}}");
    assertThat(build("cat", "-i", "1", "--template", "t", "--extra", "more").out())
        .contains("named more");
    Result unknown = build("cat", "--template", "nowhere");
    assertThat(unknown.code()).isEqualTo(1);
    Files.writeString(folder.resolve("t"), "{{inbox}}\n- {spec}\n");
    assertThat(build("true", "-i", "1", "--template", "t").out())
        .contains(folder.resolve("t") + ":2: {spec} is not replaced; write {{spec}}");
    Files.writeString(folder.resolve("t"), "first\n{{nonsense}}");
    Result wrong = build("cat", "--template", "t");
    assertThat(wrong.code()).isEqualTo(1);
    assertThat(wrong.err())
        .startsWith(
            "ralph: " + folder.resolve("t") + ":2: unknown placeholder '{{nonsense}}'; known")
        .hasLineCount(1);
  }

  @Test
  void dryRun_showsPromptAndCreatesNothing() {
    Result result = build("cat", "--dry-run");

    assertThat(result.code()).isZero();
    assertThat(result.out())
        .contains("- Iteration: 1", "- Store: " + folder.resolve(".ralph/store"), "No tasks yet");
    assertThat(folder.resolve(".ralph")).doesNotExist();

    terminal.call("task", "add", "--create", "one");
    String before = terminal.call("log").out();
    assertThat(build("cat", "--dry-run").out()).contains("one");
    assertThat(terminal.call("log").out()).isEqualTo(before);
  }

  @Test
  void missingSpec_isRefusedWithoutPrompt() throws IOException {
    Files.delete(folder.resolve("specs/SPEC.md"));

    Result result = build("cat");
    assertThat(result.code()).isEqualTo(1);
    assertThat(result.err()).contains("specs/SPEC.md", "--spec", "--prompt").hasLineCount(1);
    assertThat(folder.resolve(".ralph")).doesNotExist();
    Path empty = Files.createDirectory(folder.resolve("empty"));
    assertThat(build("cat", "--store", "empty")).isEqualTo(result);
    assertThat(empty).isEmptyDirectory();
    assertThat(build("cat", "-i", "1", "--prompt", "do it").code()).isEqualTo(3);
  }

  @Test
  void missingSpec_fallsBackToOpenTasks() throws IOException {
    Files.delete(folder.resolve("specs/SPEC.md"));
    terminal.call("task", "add", "Write the parser");

    for (String more : List.of("--dry-run", "--quiet")) {
      Result result = build("cat", "-i", "1", more);
      assertThat(result.code()).as(result.err()).isEqualTo(more.equals("--quiet") ? 3 : 0);
      assertThat(result.err()).contains("no ./specs/SPEC.md;").hasLineCount(1);
    }
    assertThat(build("cat", "-i", "1").out()).contains("- Spec: none", "Write the parser");
    assertThat(build("cat", "--spec", "specs/SPEC.md").code()).isEqualTo(1);
  }

  @Test
  void dryRun_printsEveryWarning() throws IOException {
    terminal.with("PATH", "/usr/bin:/bin");
    Files.writeString(folder.resolve("own.template"), "Do {{spec}}\n");
    Result result =
        build("no-such-agent", "--dry-run", "--gate", "no-such-gate", "--template", "own.template");
    assertThat(result.code()).isZero();
    assertThat(result.out()).contains("specs/SPEC.md").doesNotContain("warning");
    assertThat(result.err())
        .contains(
            "'no-such-agent' is not on the PATH",
            "'no-such-gate' of the gate is not on the PATH",
            "the template has no {{tools}}");
    assertThat(folder.resolve(".ralph")).doesNotExist();
  }

  @Test
  void givenClientIsMissing_namesInstalledClients() throws IOException {
    Path bin = Files.createDirectory(folder.resolve("bin"));
    assertThat(Files.createFile(bin.resolve("codex")).toFile().setExecutable(true)).isTrue();
    terminal.with("PATH", bin.toString());
    assertThat(build("opencode").err())
        .startsWith("ralph: 'opencode' is not on the PATH; install it with: ")
        .endsWith("; or use an installed agent: --agent codex\n");
  }

  @Test
  void promptOption_reportsIgnoredPipedText() {
    Result result = terminal.pipe("PIPED", "build", "--agent", "cat", "-i", "1", "-p", "own");
    assertThat(result.err()).contains("standard input is ignored because --prompt is given\n");
    assertThat(result.out()).contains("own").doesNotContain("PIPED");
    assertThat(terminal.pipe("", "build", "--agent", "cat", "-i", "1", "-p", "own").err())
        .doesNotContain("piped");
  }

  @Test
  void repeatedTaskList_addsNewItemsOnly() throws IOException {
    Files.delete(folder.resolve("specs/SPEC.md"));
    Path list = folder.resolve("todo.md");
    Files.writeString(list, "# To do\n- [ ] a form\n  - [ ] a field\n- [ ] a form\n- [x] a page\n");
    assertThat(build("cat", "-i", "1", "--tasks", "todo.md").code()).isEqualTo(3);
    String tasks = terminal.call("tasks").out();
    assertThat(tasks)
        .containsPattern("^t1 .* a field\nt2 .* a form \\(waits for t1\\)\nt3 .* a form\n$");

    build("cat", "-i", "1", "--tasks", "todo.md");
    assertThat(terminal.call("tasks").out()).isEqualTo(tasks);
    Files.writeString(list, "- [ ] another\n" + Files.readString(list));
    assertThat(build("cat", "--dry-run", "--tasks", "todo.md").code()).isZero();
    assertThat(terminal.call("tasks").out()).isEqualTo(tasks);
    build("cat", "-i", "1", "--tasks", "todo.md");
    assertThat(terminal.call("tasks").out()).startsWith(tasks).contains("t4 ");

    terminal.call("task", "done", "t1", "t2", "t3", "t4");
    Result done = build("cat", "--tasks", "todo.md");
    assertThat(done.code()).as(done.err()).isZero();
    Files.writeString(list, "- [x] nothing is open\n");
    assertThat(terminal.call("build", "-n", "new", "--agent", "cat", "--tasks", "todo.md").err())
        .contains("no open work; to begin, add an open item '- [ ] text' to todo.md");
    assertThat(build("cat", "--tasks", "none.md").code()).isEqualTo(1);
  }

  @Test
  void missingGate_endsTheLoopBeforeAnAgentRuns() {
    terminal.with("PATH", System.getenv("PATH"));

    Result result = build("true", "-i", "1", "--gate", "no-such-gate now", "--gate", "./later");

    assertThat(result.code()).isEqualTo(10);
    assertThat(result.out())
        .contains("cannot_start after 0 iterations")
        .contains("'no-such-gate'")
        .doesNotContain("Iteration #1");
  }

  /** A spec may ask for more than the tasks, so only a declaration completes the session. */
  @Test
  void undeclaredCompletion_isReportedAtEnd() {
    terminal.call("task", "add", "--create", "one");
    terminal.call("task", "done", "t1");
    String undeclared = "; to declare completion: ralph complete -n auth; continue with: ralph";

    assertThat(build("true", "-i", "1").out())
        .contains("no task is left, but no agent called complete; exit code 3" + undeclared);
    assertThat(build("true", "--max-idle", "1").out())
        .contains(
            "no_progress", "; all tasks are done, but nobody declared completion" + undeclared);
    assertThat(build("false", "-i", "1").out()).as("a failure").doesNotContain(undeclared);
    terminal.call("task", "add", "two");
    assertThat(build("true", "-i", "1").out()).as("an open task").doesNotContain(undeclared);

    terminal.call("task", "done", "t2");
    terminal.call("complete");
    assertThat(build("true").code()).isZero();
  }

  @Test
  void jsonEnd_hasSummary() {
    terminal.call("task", "add", "--create", "one");

    String last = build("true", "-i", "1", "--json").out().lines().reduce("", (a, b) -> b);

    assertThat(last)
        .contains("\"type\":\"loop_ended\"")
        .contains(
            "\"summary\":{\"tasks\":{\"completed\":0,\"blocked\":0,\"cancelled\":0,\"left\":1}")
        .contains("\"next\":[\"exit code 3\",\"continue with: ralph build -n auth ");
  }

  @Test
  void unclosedQuoteInAgent_isRefused() {
    Result result = build("agent 'not closed");

    assertThat(result.code()).isEqualTo(2);
    assertThat(result.err()).contains("a single quote is not closed").hasLineCount(1);
  }

  // ---- tasks of a list

  @Test
  void taskList_mayBePiped() {
    Result result =
        terminal.pipe(
            "- [ ] one\n- [x] two\n", "build", "--agent", "true", "--tasks", "-", "-i", "1");

    assertThat(result.code()).as(result.err()).isEqualTo(3);
    assertThat(result.err()).doesNotContain("not read", "once");
    assertThat(terminal.call("tasks").out()).endsWith("remaining   one\n").hasLineCount(1);
  }

  @Test
  void taskListWithoutOpenItem_isReported() throws IOException {
    Files.writeString(folder.resolve("plan.md"), "* one\n* two\n");

    Result result = build("true", "--tasks", "plan.md", "-i", "1");

    assertThat(result.err()).contains("no open item ('- [ ] text') in plan.md");
  }

  @ParameterizedTest
  @ValueSource(strings = {"--extra", "--template", "piped"})
  void extraText_startsIterationWithoutOpenTask(String way) throws IOException {
    Files.delete(folder.resolve("specs/SPEC.md"));
    terminal.call("task", "add", "one");
    terminal.call("task", "done", "t1");
    Files.writeString(folder.resolve("mine.md"), "Now write the README. {{extra}}\n");
    String agent = "sh -c 'cat >heard'";

    Result result =
        switch (way) {
          case "--extra" -> build(agent, "--extra", "Now write the README");
          case "--template" -> build(agent, "--template", "mine.md");
          default ->
              terminal.pipe(
                  "Now write the README", "build", "--agent", agent, "--template", "mine.md");
        };

    assertThat(result.code()).as(result.err()).isZero();
    assertThat(result.out()).contains("completed after 1 iteration");
    assertThat(folder.resolve("heard")).content().contains("Now write the README");
  }
}
