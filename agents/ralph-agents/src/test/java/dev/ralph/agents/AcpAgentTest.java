package dev.ralph.agents;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ralph.AgentResult;
import dev.ralph.AgentResult.Cause;
import dev.ralph.AgentResult.Outcome;
import dev.ralph.Question;
import dev.ralph.RecordEntry;
import dev.ralph.Usage;
import dev.ralph.agents.AcpAgent.Permission;
import dev.ralph.core.internal.process.ProcessMark;
import dev.ralph.log.RalphException;
import dev.ralph.test.TestTurn;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Turns with an agent that uses the Agent Client Protocol correctly or incorrectly, and their
 * results.
 */
@Timeout(300)
class AcpAgentTest {

  private static final Duration LONG = Duration.ofSeconds(100);

  /** Enough time to start a process, and short enough for a test to wait. */
  private static final Duration SHORT = Duration.ofSeconds(4);

  private static final McpServerCommand TOOLS =
      McpServerCommand.of(List.of("/a path/ralph", "mcp")).variable("A_HOME", "/x");

  @TempDir Path folder;

  /** The behaviour of an agent, and the expected result of its turn. */
  private record Fault(
      List<String> behaviour,
      Outcome outcome,
      @Nullable Cause cause,
      String summary,
      AcpAgent.Builder agent) {

    Fault(String behaviour, Outcome outcome, @Nullable Cause cause, String summary) {
      this(List.of(behaviour.split(" ")), outcome, cause, summary);
    }

    Fault(List<String> behaviour, Outcome outcome, @Nullable Cause cause, String summary) {
      this(behaviour, outcome, cause, summary, AcpAgentTest.agent(behaviour));
    }

    Fault waiting(Duration limit) {
      agent.limits(limit, Duration.ofSeconds(1));
      return this;
    }
  }

  private static AcpAgent.Builder agent(List<String> behaviour) {
    return AcpAgent.builder(FakeAcpAgent.command(behaviour))
        .tools(TOOLS)
        .limits(LONG, Duration.ofSeconds(1));
  }

  @Test
  void relativeProgram_isRequiredInFolder() throws Exception {
    AcpAgent agent = AcpAgent.builder(List.of("./agent", "acp")).build();
    assertThatThrownBy(() -> agent.requireReady(folder))
        .isInstanceOf(RalphException.class)
        .hasMessageContaining("./agent");
    Path program = Files.writeString(folder.resolve("agent"), "#!/bin/sh\n");
    assertThatThrownBy(() -> agent.requireReady(folder)).hasMessageContaining("chmod +x");
    assertThat(program.toFile().setExecutable(true)).isTrue();
    agent.requireReady(folder);
    AcpAgent.builder(List.of("no-such-program")).build().requireReady(folder); // fails when run
  }

  private static AcpAgent.Builder agent(String... behaviour) {
    return agent(List.of(behaviour));
  }

  private static Fault ok(String behaviour, String summary) {
    return new Fault(behaviour, Outcome.SUCCESS, null, summary);
  }

  private static Fault fails(String behaviour, @Nullable Cause cause, String summary) {
    return new Fault(behaviour, Outcome.FAILURE, cause, summary);
  }

  private static Fault fatal(String behaviour, @Nullable Cause cause, String summary) {
    return new Fault(behaviour, Outcome.FATAL, cause, summary);
  }

  private static Fault silent(String behaviour, String method) {
    return fails(behaviour, Cause.HUNG, "java was stopped: no answer to " + method).waiting(SHORT);
  }

  private static Fault answers(
      String method, String error, Outcome outcome, Cause cause, String summary) {
    return new Fault(List.of(method + "=error:" + error), outcome, cause, summary);
  }

  private static List<Fault> faults() {
    List<Fault> all = new ArrayList<>();
    // Agents that send no response, or no usable response.
    for (String method : List.of("initialize", "session/new")) {
      for (String how : List.of("nothing", "half", "otherid", "closed", "hugeanswer")) {
        all.add(silent(method + "=" + how, method));
      }
    }
    all.add(silent("session/new=nothing", "session/new (starts the tools) within 4 s"));
    // Agents that exit.
    for (String method : List.of("initialize", "session/new", "session/prompt")) {
      all.add(
          fails(
              method + "=exit:3",
              null,
              "java ended with exit code 3 before it answered " + method));
      all.add(
          fails(
              method + "=exit:0",
              null,
              "java ended with exit code 0 before it answered " + method));
      all.add(fails(method + "=halt:137", Cause.KILLED, "java was killed by signal 9"));
      all.add(
          fails(method + "=stderrexit", null, "before it answered " + method + ": it hurts here"));
      all.add(fails(method + "=childexit", null, "exit code 0 before it answered " + method));
    }
    // Agents that respond with an error.
    String broken = "{\"code\":-32603,\"message\":\"broken\"}";
    all.add(
        answers("initialize", broken, Outcome.FAILURE, null, "java failed at initialize: broken"));
    all.add(
        answers(
            "session/new", broken, Outcome.FAILURE, null, "java failed at session/new: broken"));
    all.add(
        answers(
            "session/prompt",
            broken,
            Outcome.FAILURE,
            Cause.MODEL_ERROR,
            "the model failed: broken"));
    all.add(fails("initialize=unread:" + broken, null, "java failed at initialize: broken"));
    all.add(fails("session/prompt=unread:" + broken, Cause.MODEL_ERROR, "broken"));
    String login = "{\"code\":-32000,\"message\":\"Authentication required\"}";
    for (String method : List.of("session/new", "session/prompt")) {
      all.add(
          answers(
              method,
              login,
              Outcome.FATAL,
              Cause.NOT_LOGGED_IN,
              "java is not logged in to its model: Authentication required; log in with: the"
                  + " agent's own"
                  + " command, or choose by --agent-auth: key (A key)"));
    }
    all.add(
        prompt(
            "{\"code\":-32603,\"message\":\"Internal error\",\"data\":{\"details\":\"401 no\"}}",
            Outcome.FATAL,
            Cause.NOT_LOGGED_IN,
            "Internal error: 401 no; log in"));
    all.add(
        prompt(
            "{\"code\":-32603,\"message\":\"Incorrect API"
                + " key\",\"data\":{\"errorName\":\"APIError\"}}",
            Outcome.FATAL,
            Cause.NOT_LOGGED_IN,
            "Incorrect API key"));
    all.add(
        prompt(
            "{\"code\":-32603,\"message\":\"no\",\"data\":{\"statusCode\":429}}",
            Outcome.RATE_LIMITED,
            Cause.RATE_LIMITED,
            "no (HTTP 429)"));
    all.add(
        prompt(
            "{\"code\":-32603,\"message\":\"API Error: 404 no such model\"}",
            Outcome.FATAL,
            Cause.MODEL_UNKNOWN,
            "404 no such model"));
    all.add(
        prompt(
            "{\"code\":-32603,\"data\":\"prompt is too long\"}",
            Outcome.FATAL,
            Cause.PROMPT_TOO_LONG,
            "prompt is too long"));
    all.add(prompt("{}", Outcome.FAILURE, Cause.MODEL_ERROR, "the model failed: no reason given"));
    all.add(
        fails(
            "session/prompt=result_after_text:{\"stopReason\":\"end_turn\",\"usage\":null}",
            Cause.MODEL_ERROR,
            "We are down, error 503"));
    // Agents with another protocol version.
    all.add(
        fatal(
            "initialize=result:{\"protocolVersion\":2}",
            null,
            "java uses version 2 of the Agent Client Protocol, and Ralph version 1"));
    all.add(fatal("initialize=result:{}", null, "java uses version"));
    all.add(fails("session/new=result:{}", null, "java created no session"));
    // Agents that end their turn early.
    all.add(
        fails(
            "session/prompt=stop:refusal",
            null,
            "java ended its turn early: the model refused to continue"));
    all.add(fails("session/prompt=stop:max_tokens", null, "the model's output limit was reached"));
    all.add(
        fails(
            "session/prompt=stop:max_turn_requests",
            null,
            "the limit of model requests was reached"));
    all.add(fails("session/prompt=stop:cancelled", null, "cancelled from outside of the loop"));
    all.add(fails("session/prompt=stop:tired", null, "reason tired"));
    all.add(fails("session/prompt=result:{}", null, "reason missing"));
    all.add(
        fails(
            "session/prompt=result:{\"stopReason\":\"end_turn\"}",
            null,
            "java ended its turn without an answer from its model"));
    // Agents that request no tools, or request them late.
    all.add(
        fails(
            "tools=never",
            Cause.TOOLS_MISSING,
            "tools not requested before the end of the turn; its command: /a path/ralph mcp"));
    all.add(
        fails(
            "tools=never session/prompt=stop:refusal",
            Cause.TOOLS_MISSING,
            "java has no session tools"));
    all.add(ok("tools=prompt session/prompt=told", "tools true"));
    Fault late = ok("tools=late session/prompt=told", "tools true");
    late.agent().limits(LONG, LONG);
    all.add(late);
    // Agents that request a missing capability, or permission.
    all.add(ok("session/prompt=offer", "refused 3"));
    all.add(ok("session/prompt=ask:1", "chosen [a1]"));
    all.add(ok("session/prompt=ask:2000", "chosen [a1]"));
    Fault denied = ok("session/prompt=ask:3", "chosen [r1]");
    denied.agent().permission(Permission.DENY);
    all.add(denied);
    all.add(fails("session/prompt=askdeaf", Cause.HUNG, "java was stopped: unread input"));
    // Agents that send too much output.
    for (String method : List.of("initialize", "session/new", "session/prompt")) {
      all.add(ok(method + "=noise", "Done."));
      all.add(ok(method + "=stderr", "Done."));
    }
    all.add(ok("session/prompt=huge:work", "Done."));
    all.add(ok("session/new=twice", "Done."));
    all.add(ok("initialize=textid", "Done."));
    all.add(ok("session/prompt=child", "Done."));
    return all;
  }

  private static Fault prompt(String error, Outcome outcome, Cause cause, String summary) {
    return answers("session/prompt", error, outcome, cause, summary);
  }

  @Test
  void everyFault_isNamedAndLeavesNoProcess() throws Exception {
    List<Callable<@Nullable String>> checks = new ArrayList<>();
    for (Fault fault : faults()) {
      checks.add(() -> wrong(fault));
    }
    // Most of these agents wait, so they share a processor.
    ExecutorService threads = Executors.newFixedThreadPool(12);
    try {
      List<String> wrong = new ArrayList<>();
      for (Future<@Nullable String> check : threads.invokeAll(checks)) {
        if (check.get() != null) {
          wrong.add(check.get());
        }
      }
      assertThat(wrong).isEmpty();
    } finally {
      threads.shutdownNow();
    }
  }

  /** Returns a description of an unexpected result, or null. */
  private @Nullable String wrong(Fault fault) {
    ProcessMark mark = ProcessMark.unique();
    TestTurn turn = turn(mark).timeLimit(LONG);
    AgentResult result = fault.agent().build().run(turn);
    List<Long> left = mark.endAll(Duration.ZERO);
    boolean right =
        result.outcome() == fault.outcome()
            && result.cause() == fault.cause()
            && String.valueOf(result.summary()).contains(fault.summary())
            && left.isEmpty();
    return right
        ? null
        : fault.behaviour()
            + ": "
            + result.outcome()
            + " "
            + result.cause()
            + " "
            + result.summary()
            + ", left "
            + left;
  }

  private TestTurn turn(ProcessMark mark) {
    return TestTurn.inMemory().prompt("do \"this\"\n").directory(folder).processMark(mark.text());
  }

  private TestTurn turn() {
    return turn(ProcessMark.unique());
  }

  @Test
  void output_isShownInLinesAndUsageCounted() {
    TestTurn turn = turn();

    AgentResult result = agent().build().run(turn);

    assertThat(turn.outputs())
        .containsExactly("I look.", "Then I write.", "[edit] Write a.txt", "Done.");
    assertThat(result.summary()).isEqualTo("Done.");
    assertThat(result.usage())
        .isEqualTo(Usage.of(60, 7, new BigDecimal("0.5")).withCachedTokens(40));
    assertThat(turn.usages())
        .as("the cost is reported before the end, the tokens are not")
        .contains(Usage.of(0, 0, new BigDecimal("0.5")).plus(Usage.UNKNOWN));
  }

  @Test
  void toolCalls_areRecorded() {
    TestTurn turn = turn();

    agent("session/prompt=work").build().run(turn);

    assertThat(turn.records())
        .extracting(RecordEntry::type)
        .containsExactly(
            RecordEntry.Type.CLIENT,
            RecordEntry.Type.CLIENT,
            RecordEntry.Type.CLIENT,
            RecordEntry.Type.TEXT,
            RecordEntry.Type.TOOL_CALL,
            RecordEntry.Type.TOOL_RESULT,
            RecordEntry.Type.TEXT,
            RecordEntry.Type.USED);
    assertThat(turn.records().get(2).string("session")).isEqualTo("s");
    assertThat(turn.records().get(2).string("model")).isEqualTo("small");
    assertThat(turn.records().get(3).string("text")).isEqualTo("I look.\nThen I write.");
    assertThat(turn.records().get(4).string("tool")).isEqualTo("Write");
  }

  @Test
  void permission_isRecorded() {
    TestTurn turn = turn();

    agent("session/prompt=ask:1").permission(Permission.DENY).build().run(turn);

    assertThat(turn.records())
        .filteredOn(entry -> entry.type() == RecordEntry.Type.PERMISSION)
        .singleElement()
        .satisfies(
            entry -> {
              assertThat(entry.string("id")).isEqualTo("p1");
              assertThat(entry.string("asked")).isEqualTo("[execute] rm -rf build");
              assertThat(entry.string("answer")).isEqualTo("denied");
            });
  }

  @Test
  void emptyAndRepeatedPieces_areShownOnce() {
    TestTurn turn = turn();

    AgentResult result = agent("session/prompt=pieces").build().run(turn);

    assertThat(turn.outputs())
        .containsExactly("word", "[execute] make", "[execute] failed: no rule", "last");
    assertThat(result.usage()).isEqualTo(Usage.UNKNOWN);
  }

  @Test
  void tokensOfLastRequest_areOnlyPartial() {
    RunRecord record = new RunRecord(text -> {}, entry -> {});
    AcpUsage usage = new AcpUsage(record, Prices.builtIn());
    record.called(new RunRecord.ToolCall("edit", "a", false));
    usage.sofar(ScriptedModelServer.JSON.createObjectNode().put("used", 100));

    usage.end(
        ScriptedModelServer.JSON
            .createObjectNode()
            .put("inputTokens", 100)
            .put("outputTokens", 20));
    assertThat(record.usage()).isEqualTo(Usage.of(100, 20, null).plus(Usage.UNKNOWN));

    usage.end(
        ScriptedModelServer.JSON
            .createObjectNode()
            .put("inputTokens", 200)
            .put("outputTokens", 40));
    assertThat(record.usage()).isEqualTo(Usage.of(200, 40, null));
  }

  @Test
  void modeModelAndLogin_areSelectedByName() {
    AgentResult result =
        agent("session/prompt=told")
            .mode("code it")
            .model("big")
            .authentication("key")
            .build()
            .run(turn());

    assertThat(result.summary())
        .contains("[initialize, authenticate, session/new, session/set_config_option")
        .contains("{'configId':'m','value':'big','sessionId':'s'}")
        .contains("{'modeId':'code','sessionId':'s'}");
  }

  @Test
  void unknownModeOrModel_isFatalWithOffers() {
    AgentResult mode = agent().mode("yolo").build().run(turn());
    assertThat(mode.outcome()).isEqualTo(Outcome.FATAL);
    assertThat(mode.summary()).isEqualTo("java has no mode yolo; it offers: ask, code");

    AgentResult model = agent().model("huge").build().run(turn());
    assertThat(model.cause()).isEqualTo(Cause.MODEL_UNKNOWN);
    assertThat(model.outcome()).isEqualTo(Outcome.FATAL);
    assertThat(model.summary()).isEqualTo("java has no model huge; it offers: small, big");

    AgentResult none =
        agent("session/new=result:{\"sessionId\":\"s\"}").mode("x").build().run(turn());
    assertThat(none.summary()).isEqualTo("java has no mode x; it offers none");
  }

  @Test
  void permissionQuestion_waitsForOperator() throws Exception {
    TestTurn turn = turn();
    CompletableFuture<AgentResult> run =
        CompletableFuture.supplyAsync(
            () -> agent("session/prompt=ask:1").permission(Permission.ASK).build().run(turn));

    Question question = question(turn, run);
    assertThat(question.text())
        .isEqualTo(
            "java asks for permission: [execute] rm -rf build\n"
                + "Answer yes, no or an option: Always, Once, Never");
    turn.session().questions().answer(question.id(), "always");

    assertThat(run.get().summary()).isEqualTo("chosen [a2]");
  }

  @Test
  void timeout_withdrawsQuestionAndCancelsAgent() {
    TestTurn turn = turn().timeLimit(SHORT);

    AgentResult result =
        agent("session/prompt=askonly", "session/cancel=cancelled")
            .permission(Permission.ASK)
            .build()
            .run(turn);

    assertThat(result.cause()).as(result.summary()).isEqualTo(Cause.TIMED_OUT);
    assertThat(turn.outputs()).containsExactly("asked once", "stopping");
    assertThat(turn.session().questions().open()).isEmpty();
    assertThat(turn.session().questions().history())
        .singleElement()
        .satisfies(question -> assertThat(question.answer()).startsWith("No longer needed"));
  }

  @Test
  void cancelledAgent_isEndedAfterGrace() {
    for (String how : List.of("nothing", "cancelfails", "exit:0")) {
      // On a busy machine a turn may end before its prompt is sent. Then it has used no tokens.
      Usage usage = Usage.NONE;
      for (int seconds = 2; seconds < 60 && !usage.isPartial(); seconds *= 2) {
        ProcessMark mark = ProcessMark.unique();
        AgentResult result =
            agent("session/prompt=begin", "session/cancel=" + how)
                .build()
                .run(
                    turn(mark).timeLimit(Duration.ofSeconds(seconds)).grace(Duration.ofSeconds(1)));
        assertThat(result.cause()).as(how + ": " + result.summary()).isEqualTo(Cause.TIMED_OUT);
        assertThat(mark.endAll(Duration.ZERO)).isEmpty();
        usage = result.usage();
      }
      assertThat(usage.isPartial()).as(how).isTrue();
    }
  }

  @Test
  void unpromptedAgent_usedNothing() {
    AgentResult result =
        agent("session/new=nothing").build().run(turn().timeLimit(Duration.ofSeconds(2)));

    assertThat(result.cause()).isEqualTo(Cause.TIMED_OUT);
    assertThat(result.usage()).isEqualTo(Usage.NONE);
  }

  @Test
  void interrupt_cancelsAgent() throws Exception {
    TestTurn turn = turn();
    CompletableFuture<AgentResult> run = new CompletableFuture<>();
    Thread thread =
        new Thread(
            () ->
                run.complete(
                    agent("session/prompt=askonly", "session/cancel=cancelled")
                        .permission(Permission.ASK)
                        .build()
                        .run(turn)));
    thread.start();
    question(turn, run);
    turn.cancel();
    thread.interrupt();

    assertThat(run.get().cause()).isEqualTo(Cause.CANCELLED);
    assertThat(turn.outputs()).endsWith("stopping");
    assertThat(turn.session().questions().open()).isEmpty();
  }

  @Test
  void check_asksAgentForName() throws Exception {
    assertThat(AcpAgent.query(FakeAcpAgent.command(List.of("initialize=noise"))))
        .isEqualTo(
            "java of unknown version; to log in: the agent's own command,"
                + " or choose by --agent-auth: key (A key)");
    for (String wrong :
        List.of(
            "initialize=stderrexit|java did not answer initialize: it hurts here",
            "initialize=error:{\"message\":\"no\\n\\n at all\"}|java rejected initialize:"
                + " no at all",
            "initialize=result:{\"protocolVersion\":2}|java uses version 2")) {
      int bar = wrong.indexOf('|');
      assertThatThrownBy(
              () -> AcpAgent.query(FakeAcpAgent.command(List.of(wrong.substring(0, bar)))))
          .isInstanceOf(RalphException.class)
          .hasMessageContaining(wrong.substring(bar + 1));
    }
  }

  @Test
  void missingProgram_isFatal() {
    AgentResult result = AcpAgent.builder(List.of("no-such-agent", "acp")).build().run(turn());

    assertThat(result.cause()).isEqualTo(Cause.NOT_INSTALLED);
    assertThat(result.outcome()).isEqualTo(Outcome.FATAL);
    assertThatThrownBy(() -> AcpAgent.builder(List.of())).isInstanceOf(RalphException.class);
  }

  /** Waits for the agent's question and returns it. */
  private static Question question(TestTurn turn, CompletableFuture<AgentResult> run)
      throws InterruptedException {
    while (turn.session().questions().open().isEmpty()) {
      assertThat(run).isNotDone();
      Thread.sleep(20);
    }
    return turn.session().questions().open().get(0);
  }
}
