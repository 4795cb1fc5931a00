package dev.ralph.agents;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.Agent;
import dev.ralph.AgentResult;
import dev.ralph.AgentResult.Cause;
import dev.ralph.AgentResult.Outcome;
import dev.ralph.RecordEntry;
import dev.ralph.Usage;
import dev.ralph.agents.ClientSandbox.Client;
import dev.ralph.agents.ScriptedModelServer.Reply;
import dev.ralph.core.internal.process.ProcessMark;
import dev.ralph.test.TestTurn;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.AfterTestExecutionCallback;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests that all real clients share, each driven by its agent with a scripted model. Different
 * clients run concurrently; each client runs one test at a time.
 */
@Tag("clients")
@Timeout(900)
@TestInstance(Lifecycle.PER_CLASS)
abstract class ClientEndToEnd {

  /**
   * Enough for any turn on a busy machine, and less than the three minutes for which an
   * unsupervised Claude Code retries a failing model.
   */
  static final Duration LONG = Duration.ofSeconds(160);

  static final McpServerCommand TOOLS = ToolServer.asServer();
  static final McpServerCommand NO_TOOLS = McpServerCommand.of(List.of("/bin/false", "${HOME}"));

  /** Failures of the model, each the response to all requests. */
  private static final Map<String, Reply> FAILURES =
      Map.of(
          "401", Reply.error(401, "that key is not known", Map.of()),
          "404", Reply.error(404, "no such model", Map.of()),
          "long", Reply.error(400, "prompt is too long: 300000 tokens > 200000", Map.of()),
          "429", Reply.error(429, "Too Many Requests", Map.of("Retry-After", "1")),
          "500", Reply.error(500, "something broke", Map.of()),
          "cut", Reply.cutOff("half an "));

  final Client client;

  /**
   * The folder of all tests of a client, because some clients need long to initialize their state.
   */
  Path folder;

  ProcessMark mark;
  ScriptedModelServer model;
  private @Nullable TestTurn turn;
  private int iteration;

  /** Adds the progress of the client to the failure of a test. */
  @RegisterExtension
  final AfterTestExecutionCallback story =
      context -> {
        Optional<Throwable> failure = context.getExecutionException();
        if (failure.isPresent()) {
          failure.get().addSuppressed(new AssertionError(story()));
        }
      };

  ClientEndToEnd(Client client) {
    this.client = client;
  }

  @BeforeAll
  void moveIn(@TempDir Path empty) {
    folder = empty;
  }

  @BeforeEach
  void startModel() {
    mark = ProcessMark.unique();
    model = ScriptedModelServer.inOrder();
  }

  @AfterEach
  void nothingIsLeft() {
    model.close();
    List<String> left = mark.find().stream().map(ClientEndToEnd::commandLine).toList();
    mark.endAll(Duration.ZERO);
    assertThat(left).as("processes left when the agent was closed").isEmpty();
  }

  @Test
  void refusalOfSessionTool_isShown() throws Exception {
    ClientSandbox sandbox = sandbox();
    model.goOnWith(
        Reply.tool(client.sessionTool("echo"), Map.of("text", "refused because t1 is open")),
        Reply.text("ok"));

    TestTurn turn = turn(sandbox, "hello", LONG);
    assertThat(run(sandbox.agent().tools(TOOLS), turn).summary()).isEqualTo("ok");

    assertThat(turn.outputs())
        .anyMatch(line -> line.contains("failed: hear: refused because t1 is open"));
  }

  @Test
  void client_usesOwnAndSessionTools() throws Exception {
    ClientSandbox sandbox = sandbox();
    model.goOnWith(
        Reply.tool(client.sessionTool("echo"), Map.of("text", "me")),
        client.shell("echo made >made.txt; cat made.txt"),
        Reply.text("All done."));
    String prompt = "Say \"hi\" & don't ${expand} `this`:\n" + "é€😀 ".repeat(60_000) + "end";
    TestTurn turn = turn(sandbox, prompt, LONG);

    AgentResult result = run(sandbox.agent().tools(TOOLS), turn);

    assertThat(result.summary()).isEqualTo("All done.");
    assertThat(result.outcome()).isEqualTo(Outcome.SUCCESS);
    assertThat(result.cause()).isNull();
    assertThat(result.usage().inputTokens()).isEqualTo(3 * Messages.INPUT_TOKENS);
    assertThat(result.usage().outputTokens()).isEqualTo(3 * Messages.OUTPUT_TOKENS);
    assertThat(turn.outputs())
        .hasSize(3)
        .anyMatch(line -> line.contains("echo made >made.txt"))
        .endsWith("All done.");
    assertRecorded(turn.records(), result);
    assertThat(sandbox.project().resolve("made.txt")).hasContent("made");
    assertThat(model.turns()).hasSize(3);
    assertThat(model.turns().get(0).userText()).contains(prompt);
    assertThat(model.turns().get(0).conversation().toolNames())
        .contains(client.sessionTool("echo"));
    List<String> results = model.turns().get(2).toolResults();
    assertThat(results.get(0)).contains("hear: me");
    assertThat(results.get(1)).contains("made");
  }

  /**
   * Asserts that calls and texts are recorded in order, the usage of each request once, and the
   * client.
   */
  private static void assertRecorded(List<RecordEntry> entries, AgentResult result) {
    assertThat(entries)
        .extracting(RecordEntry::type)
        .filteredOn(type -> type != RecordEntry.Type.CLIENT && type != RecordEntry.Type.USED)
        .containsExactly(
            RecordEntry.Type.TOOL_CALL,
            RecordEntry.Type.TOOL_RESULT,
            RecordEntry.Type.TOOL_CALL,
            RecordEntry.Type.TOOL_RESULT,
            RecordEntry.Type.TEXT);
    assertThat(entries)
        .anyMatch(entry -> String.valueOf(entry.string("text")).contains("made"))
        .anyMatch(entry -> entry.string("session") != null)
        .anyMatch(entry -> entry.string("model") != null);
    long used = 0;
    for (RecordEntry entry : entries) {
      if (entry.type() == RecordEntry.Type.USED) {
        used += Usage.of(entry.data().object("usage")).totalTokens();
      }
    }
    assertThat(used).as(entries.toString()).isEqualTo(result.usage().totalTokens());
  }

  @Test
  void missingToolServer_endsTurn() throws Exception {
    ClientSandbox sandbox = sandbox();
    model.goOnWith(Reply.text("I did what I could."));

    AgentResult result = run(sandbox.agent().tools(NO_TOOLS), turn(sandbox, "hello", LONG));

    assertToolsMissing(result);
  }

  static void assertToolsMissing(AgentResult result) {
    assertThat(result.cause()).as(result.summary()).isEqualTo(Cause.TOOLS_MISSING);
    assertThat(result.outcome()).isEqualTo(Outcome.FAILURE);
    assertThat(result.summary()).contains("/bin/false ${HOME}");
  }

  @Test
  void modelFailureUnderTimeLimit_isReportedSoon() throws Exception {
    ClientSandbox sandbox = sandbox();
    Map<String, AgentResult> results = new TreeMap<>();
    try (Agent agent = sandbox.agent().tools(TOOLS).build()) {
      for (Map.Entry<String, Reply> failure : FAILURES.entrySet()) {
        model.goOnAlwaysWith(failure.getValue());
        int before = model.turns().size();
        AgentResult result = runOn(agent, turn(sandbox, "hello", LONG));
        results.put(failure.getKey(), result);

        String what = failure.getKey() + ": " + result.outcome() + " " + result.summary();
        assertThat(model.turns().size()).as(what).isGreaterThan(before);
        if (result.outcome() == Outcome.FATAL) {
          assertThat(model.turns().size()).as(what).isLessThanOrEqualTo(before + Retries.ENOUGH);
        }
      }
    }

    assertResult(results.get("401"), Outcome.FATAL, Cause.NOT_LOGGED_IN);
    assertResult(results.get("404"), Outcome.FATAL, Cause.MODEL_UNKNOWN);
    assertResult(results.get("long"), Outcome.FATAL, Cause.PROMPT_TOO_LONG);
    assertResult(results.get("429"), Outcome.RATE_LIMITED, Cause.RATE_LIMITED);
    assertResult(results.get("500"), Outcome.FAILURE, Cause.MODEL_ERROR);
    assertResult(results.get("cut"), Outcome.FAILURE, Cause.MODEL_ERROR);
    assertThat(results.get("401").summary()).contains("that key is not known");
  }

  @Test
  void longRateLimit_isReturnedToLoop() throws Exception {
    ClientSandbox sandbox = sandbox();
    model.goOnAlwaysWith(Reply.error(429, "slow down", Map.of("Retry-After", "3600")));

    AgentResult result = run(sandbox.agent().tools(TOOLS), turn(sandbox, "hello", null));

    assertResult(result, Outcome.RATE_LIMITED, Cause.RATE_LIMITED);
    assertThat(result.summary()).contains(client == Client.CODEX ? "429" : "slow down");
    if (client == Client.OPENCODE) {
      // Other clients do not report the delay that the provider requested.
      assertThat(result.retryAfter()).isCloseTo(Duration.ofHours(1), Duration.ofMinutes(2));
    }
  }

  private static void assertResult(AgentResult result, Outcome outcome, Cause cause) {
    assertThat(result.cause()).as(result.summary()).isEqualTo(cause);
    assertThat(result.outcome()).as(result.summary()).isEqualTo(outcome);
  }

  @Test
  void unreachableModelUnderTimeLimit_isReportedSoon() throws Exception {
    URI nobody;
    try (ServerSocket taken = new ServerSocket(0)) {
      nobody = URI.create("http://127.0.0.1:" + taken.getLocalPort());
    }
    ClientSandbox sandbox = ClientSandbox.of(client, folder, nobody);

    AgentResult result = run(sandbox.agent().tools(TOOLS), turn(sandbox, "hello", LONG));

    assertThat(result.cause()).as(result.summary()).isEqualTo(Cause.MODEL_ERROR);
  }

  @Test
  void hangingModel_endsAfterSilence() throws Exception {
    ClientSandbox sandbox = sandbox();
    model.goOnAlwaysWith(Reply.hang());
    Duration silence = Duration.ofSeconds(3);
    AgentResult result;
    do {
      // A client is also silent while it starts, which can take long on a busy machine.
      silence = silence.multipliedBy(2);
      result =
          run(sandbox.agent().tools(TOOLS).longestSilence(silence), turn(sandbox, "hello", null));
    } while (model.turns().isEmpty() && result.cause() == Cause.HUNG);

    assertThat(model.turns()).isNotEmpty();
    assertThat(result.cause()).as(result.summary()).isEqualTo(Cause.HUNG);
    assertThat(result.summary()).contains("no output for " + silence.toSeconds() + " s");
  }

  final ClientSandbox sandbox() throws Exception {
    return ClientSandbox.of(client, folder, model.origin());
  }

  final TestTurn turn(ClientSandbox sandbox, String prompt, Duration limit) {
    turn =
        TestTurn.inMemory()
            .iteration(++iteration)
            .prompt(prompt)
            .directory(sandbox.project())
            .processMark(mark.text())
            .timeLimit(limit);
    return turn;
  }

  /**
   * Returns the requests to the model, the output of the client, its processes, and the end of its
   * log.
   */
  private String story() throws Exception {
    return "the model was asked "
        + model.turns().size()
        + " times; output: "
        + (turn == null ? "none" : turn.outputs())
        + "; processes: "
        + mark.find().stream().map(ClientEndToEnd::commandLine).toList()
        + "; the client's log ends: "
        + sandbox().debugLogTail();
  }

  static AgentResult run(ClientBuilder<?> builder, TestTurn turn) {
    try (Agent agent = builder.build()) {
      return runOn(agent, turn);
    }
  }

  static AgentResult runOn(Agent agent, TestTurn turn) {
    try {
      return agent.run(turn);
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  private static String commandLine(ProcessHandle process) {
    return process.pid() + " " + process.info().commandLine().orElse("");
  }
}
