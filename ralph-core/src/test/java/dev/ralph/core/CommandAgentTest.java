package dev.ralph.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ralph.Agent;
import dev.ralph.AgentResult;
import dev.ralph.Gate;
import dev.ralph.Iteration;
import dev.ralph.Loop;
import dev.ralph.LoopEvent;
import dev.ralph.LoopResult;
import dev.ralph.Ralph;
import dev.ralph.Session;
import dev.ralph.StopReason;
import dev.ralph.Turn;
import dev.ralph.Usage;
import dev.ralph.core.internal.control.RunToken;
import dev.ralph.core.internal.process.ProcessMark;
import dev.ralph.core.internal.session.LiveSession;
import dev.ralph.domain.ProcessIdentity;
import dev.ralph.log.RalphException;
import dev.ralph.tool.Tools;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Loops whose agents are real processes. */
@Timeout(300)
class CommandAgentTest {

  private final Ralph ralph = Ralph.inMemory();
  private final Session session = ralph.session("s");
  private final List<LoopEvent> events = new CopyOnWriteArrayList<>();

  @TempDir Path folder;

  @AfterEach
  void close() {
    ralph.close();
  }

  private Loop.Builder loop(Agent agent) {
    return session
        .loop(agent)
        .tools(Tools.mcp(""))
        .directory(folder)
        .failurePause(Duration.ofMillis(1))
        .maxIterations(1)
        .maxFailures(1)
        .grace(Duration.ofSeconds(2))
        .onEvent(events::add);
  }

  private static CommandAgent shell(String script) {
    return CommandAgent.of("sh", "-c", script);
  }

  private Iteration last() {
    return session.iterations().last().orElseThrow();
  }

  private static long awaitPid(Path file) throws IOException, InterruptedException {
    long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
    while (!Files.exists(file) || Files.readString(file).isBlank()) {
      assertThat(System.nanoTime()).as("waiting for %s", file).isLessThan(deadline);
      Thread.sleep(5);
    }
    return Long.parseLong(Files.readString(file).strip());
  }

  private boolean isWritten(String file) {
    return folder.resolve(file).toFile().length() > 0;
  }

  /** Asserts that a process is gone, or a zombie that its parent has not reaped. */
  private static void assertGone(long pid) throws IOException {
    Path stat = Path.of("/proc", String.valueOf(pid), "stat");
    String state;
    try {
      state = Files.readString(stat).replaceFirst("(?s).*\\) ", "").substring(0, 1);
    } catch (IOException gone) {
      return;
    }
    assertThat(state).as("state of process %d", pid).isEqualTo("Z");
  }

  @Test
  void prompt_isReadFromStandardInputInLoopFolder() throws Exception {
    session.inbox().send("größer \uD83D\uDE80 'quoted' $(touch injected)");
    LoopResult result = loop(shell("cat > got; pwd; echo err >&2; printf unfinished")).run();

    assertThat(result.reason()).isEqualTo(StopReason.MAX_ITERATIONS);
    assertThat(Files.readString(folder.resolve("got")))
        .contains("größer \uD83D\uDE80 'quoted' $(touch injected)")
        .contains("- task_list, task_add");
    assertThat(folder.resolve("injected")).doesNotExist();
    assertThat(session.iterations().transcript(1))
        .isEqualTo(folder.toRealPath() + "\nerr\nunfinished\n");
  }

  @Test
  void promptFile_isReadAndDeletedAfterwards() throws Exception {
    CommandAgent agent =
        CommandAgent.of("sh", "-c", "cat \"$1\" > got; echo \"$1\"; cat", "sh", "{prompt-file}")
            .promptFile("{prompt-file}");

    loop(agent).prompt("Do it.").run();

    assertThat(Files.readString(folder.resolve("got"))).startsWith("Do it.\n\n## Context");
    String path = session.iterations().transcript(1).strip();
    assertThat(path).doesNotContain("\n");
    assertThat(Path.of(path)).doesNotExist();
  }

  @Test
  void promptFileNotInCommand_isRejected() {
    assertThatThrownBy(() -> CommandAgent.of("sh", "-c", "true").promptFile("{prompt-file}"))
        .isInstanceOf(RalphException.class)
        .hasMessageContaining("no argument of the agent's command contains '{prompt-file}'");
    assertThatThrownBy(() -> CommandAgent.of("")).hasMessageContaining("needs a program");
  }

  @Test
  void hugePrompt_isPassedToTheCommand() throws Exception {
    session.inbox().send("x".repeat(3_000_000));
    loop(shell("wc -c")).run();

    assertThat(Long.parseLong(session.iterations().transcript(1).strip())).isGreaterThan(3_000_000);
  }

  @Test
  void failedCommand_reportsExitCodeAndLastLines() {
    LoopResult result = loop(shell("seq 1 100; exit 7")).run();

    assertThat(result.reason()).isEqualTo(StopReason.FAILURES);
    assertThat(last().status()).isEqualTo(Iteration.Status.FAILURE);
    assertThat(last().summary())
        .startsWith("'sh' ended with exit code 7; its last lines:\n81\n")
        .endsWith("\n100");
  }

  @Test
  void killedCommand_namesAPossibleCause() {
    loop(shell("kill -9 $$")).run();

    assertThat(last().summary())
        .isEqualTo(
            "'sh' ended with exit code 137 (killed, perhaps because memory ran out) and printed"
                + " nothing");
  }

  @Test
  void missingProgram_isRejectedBeforeTheFirstIteration() throws IOException {
    Files.createFile(folder.resolve("plain"));

    assertRefused("no-such-agent", "'no-such-agent'", "not found on PATH");
    assertRefused("./no-such-agent", "'./no-such-agent'", "no such file");
    assertRefused("./plain", "'./plain'", "chmod +x");

    assertThat(session.iterations().last()).isEmpty();
  }

  private void assertRefused(String program, String... words) {
    assertThatThrownBy(() -> loop(CommandAgent.of(program)).build())
        .isInstanceOfSatisfying(
            RalphException.class, e -> assertThat(e.code()).isEqualTo(RalphException.Code.INVALID))
        .hasMessageContainingAll(words);
  }

  @Test
  void programDeletedDuringLoop_stopsTheLoop() throws IOException {
    Path program = Files.createFile(folder.resolve("agent"));
    assertThat(program.toFile().setExecutable(true)).isTrue();
    Loop loop = loop(CommandAgent.of("./agent")).maxFailures(5).maxIterations(0).build();
    Files.delete(program);

    LoopResult result = loop.run();

    assertThat(result.reason()).isEqualTo(StopReason.FAILURES);
    assertThat(result.iterations()).isEqualTo(1);
    assertThat(result.detail()).contains("'./agent'").contains("no such file");
  }

  @Test
  void argumentWithNul_stopsTheLoop() {
    LoopResult result = loop(CommandAgent.of("true", "a\0b")).maxIterations(0).maxFailures(5).run();

    assertThat(result.reason()).isEqualTo(StopReason.FAILURES);
    assertThat(result.iterations()).isEqualTo(1);
    assertThat(result.detail()).contains("NUL");
  }

  @Test
  void timeout_killsProcessTreeIgnoringSigterm() throws Exception {
    String script =
        "trap '' TERM; setsid sh -c 'echo $$ > grandchild; sleep 600' & "
            + "echo $$ > child; while true; do sleep 0.05; done";
    Duration limit = Duration.ofMillis(400);
    LoopResult result;
    do {
      // A busy machine may need long to start the grandchild.
      limit = limit.multipliedBy(2);
      result = loop(shell(script)).iterationTimeLimit(limit).grace(Duration.ofMillis(100)).run();
    } while (!isWritten("child") || !isWritten("grandchild"));

    assertThat(result.reason()).isEqualTo(StopReason.FAILURES);
    assertThat(last().status()).isEqualTo(Iteration.Status.TIMEOUT);
    assertGone(awaitPid(folder.resolve("child")));
    assertGone(awaitPid(folder.resolve("grandchild")));
  }

  @Test
  void successfulAgent_leavesNoProcessRunning() throws Exception {
    String script =
        "setsid sh -c 'echo $$ > left; sleep 600' > /dev/null 2>&1 & "
            + "while ! test -s left; do sleep 0.01; done";

    assertThat(loop(shell(script)).run().reason()).isEqualTo(StopReason.MAX_ITERATIONS);

    assertGone(awaitPid(folder.resolve("left")));
  }

  @Test
  void cancelledLoop_endsTheProcessTree() throws Exception {
    String script = "setsid sh -c 'echo $$ > grandchild; sleep 600' & echo $$ > child; wait";
    AtomicReference<LoopResult> result = new AtomicReference<>();
    try (Loop loop = loop(shell(script)).build()) {
      Thread host = new Thread(() -> result.set(loop.run()));
      host.start();
      long child = awaitPid(folder.resolve("child"));
      long grandchild = awaitPid(folder.resolve("grandchild"));

      loop.cancel("test");
      host.join();

      assertGone(child);
      assertGone(grandchild);
    }
    assertThat(result.get().reason()).isEqualTo(StopReason.INTERRUPTED);
    assertThat(last().status()).isEqualTo(Iteration.Status.INTERRUPTED);
  }

  @ParameterizedTest
  @ValueSource(strings = {"cat", "cat {prompt}"})
  void loopCancelledBeforeStart_hasNoFailure(String script) {
    CommandAgent plain = shell(script);
    CommandAgent agent = script.contains("{") ? plain.promptFile("{prompt}") : plain;
    AtomicReference<Loop> running = new AtomicReference<>();
    Agent interrupted =
        turn -> {
          running.get().cancel("test");
          while (!Thread.currentThread().isInterrupted()) {
            Thread.onSpinWait();
          }
          return agent.run(turn);
        };
    try (Loop loop = loop(interrupted).build()) {
      running.set(loop);
      assertThat(loop.run().reason()).isEqualTo(StopReason.INTERRUPTED);
    }
    assertThat(last().status()).isEqualTo(Iteration.Status.INTERRUPTED);
    assertThat(last().summary()).isNull();
  }

  @Test
  void orphanOfKilledLoop_isEnded() throws Exception {
    ProcessMark mark = ProcessMark.of("ralph:" + ralph.log().info().storeId() + ":s");
    long orphan = startOrphan(mark);

    loop(shell("true")).run();

    assertGone(orphan);
    LoopEvent event =
        events.stream().filter(e -> e.type() == LoopEvent.Type.ORPHANS_ENDED).findFirst().get();
    assertThat(event.message()).contains(String.valueOf(orphan));
  }

  @Test
  void escapedProcess_isEndedBeforeNextIteration() throws Exception {
    Agent careless =
        new Agent() {
          @Override
          public AgentResult run(Turn turn) throws Exception {
            startOrphan(ProcessMark.of(turn.processMark()));
            return AgentResult.success();
          }

          @Override
          public boolean needsTools() {
            return true;
          }
        };
    try (Loop loop = loop(careless).maxIterations(2).build()) {
      assertThat(loop.step()).isTrue();

      assertGone(awaitPid(folder.resolve("orphan")));
    }
  }

  // ---- agents in this program

  @Test
  void agentInProgram_losesEscapedProcess() throws Exception {
    loop(turn -> {
          startOrphan(ProcessMark.of(turn.processMark()));
          return AgentResult.success();
        })
        .run();

    assertGone(awaitPid(folder.resolve("orphan")));
  }

  @Test
  void gateOfAgentInProgram_losesEscapedProcess() throws Exception {
    String escape = "setsid sh -c 'echo $$ > orphan; exec sleep 600' > /dev/null 2>&1 &";
    loop(turn -> {
          turn.session().control().complete();
          return AgentResult.success();
        })
        .gate(Gate.of("sh", "-c", escape + " while ! test -s orphan; do sleep 0.01; done"))
        .run();

    assertGone(awaitPid(folder.resolve("orphan")));
  }

  @Test
  void orphanOfKilledRun_isEndedByAgentInProgram() throws Exception {
    long orphan = startOrphan(ProcessMark.of("ralph:" + ralph.log().info().storeId() + ":s"));
    RunToken token = RunToken.take();
    ProcessIdentity killed = new ProcessIdentity(ProcessIdentity.current().host(), 4_000_000, 1);
    ((LiveSession) session).control().startLoop(killed, token, 1, 0, 1, null);
    token.release();

    loop(turn -> AgentResult.success()).run();

    assertGone(orphan);
    assertThat(events).extracting(LoopEvent::type).contains(LoopEvent.Type.ORPHANS_ENDED);
  }

  /** A loop that starts no process does not search for processes, which costs a scan of all. */
  @Test
  void agentInProgramWithoutProcess_doesNotSearch() throws Exception {
    long foreign = startOrphan(ProcessMark.of("ralph:" + ralph.log().info().storeId() + ":s"));
    try {
      loop(turn -> AgentResult.success()).run();
      loop(turn -> AgentResult.success()).run();

      assertThat(ProcessHandle.of(foreign).map(ProcessHandle::isAlive)).contains(true);
    } finally {
      ProcessHandle.of(foreign).ifPresent(ProcessHandle::destroyForcibly);
    }
  }

  @Test
  void agentIgnoringInterrupt_losesItsProcess() {
    Agent deaf =
        turn -> {
          ProcessBuilder builder = new ProcessBuilder("sleep", "600");
          builder.environment().put(ProcessMark.VARIABLE, turn.processMark());
          Process process = builder.start();
          while (process.isAlive()) {
            try {
              process.waitFor();
            } catch (InterruptedException deafToIt) {
              // This agent ignores the interrupt, against its contract.
            }
          }
          return AgentResult.success();
        };

    LoopResult result =
        loop(deaf).iterationTimeLimit(Duration.ofMillis(50)).grace(Duration.ofMillis(10)).run();

    assertThat(result.detail()).startsWith("the iteration timed out");
    assertThat(last().status()).isEqualTo(Iteration.Status.TIMEOUT);
  }

  @Test
  void processOfLiveOwner_keepsRunning() throws Exception {
    ProcessMark mark = ProcessMark.of("ralph:" + ralph.log().info().storeId() + ":s");
    ProcessBuilder builder = new ProcessBuilder("sleep", "600");
    builder.environment().put(ProcessMark.VARIABLE, mark.text());
    Process server = builder.start();
    try {
      loop(shell("true")).run();

      assertThat(server.isAlive()).isTrue();
    } finally {
      server.destroyForcibly().waitFor();
    }
  }

  /** Starts a process without a parent, like the agent of a killed loop. */
  private long startOrphan(ProcessMark mark) throws IOException, InterruptedException {
    Path pid = folder.resolve("orphan");
    ProcessBuilder builder =
        new ProcessBuilder(
            "sh", "-c", "setsid sh -c 'echo $$ > orphan; exec sleep 600' > /dev/null 2>&1 &");
    builder.environment().put(ProcessMark.VARIABLE, mark.text());
    builder.directory(folder.toFile()).start().waitFor();
    return awaitPid(pid);
  }

  // ---- usage reports

  private List<String> notices() {
    return events.stream()
        .filter(event -> event.type() == LoopEvent.Type.NOTICE)
        .map(LoopEvent::message)
        .toList();
  }

  @Test
  void usageLines_areSummed() {
    loop(shell(
            "echo '{\"input_tokens\":10,\"output_tokens\":2,\"cost_usd\":0.5}' >>$RALPH_USAGE;"
                + " printf '{\"cached_tokens\":7,\"cost_usd\":0.25}' >>$RALPH_USAGE"))
        .run();

    assertThat(last().usage())
        .isEqualTo(Usage.of(10, 2, new BigDecimal("0.75")).withCachedTokens(7));
    assertThat(notices()).isEmpty();
  }

  @Test
  void reportedUsageOverBudget_endsTheCommand() {
    LoopResult result =
        loop(shell(
                "for i in 1 2 3; do echo '{\"input_tokens\":100}' >>$RALPH_USAGE; done; sleep 600"))
            .maxTokens(250)
            .run();

    assertThat(result.reason()).isEqualTo(StopReason.BUDGET);
    assertThat(last().usage()).isEqualTo(Usage.of(300, 0, null).plus(Usage.UNKNOWN));
  }

  @Test
  void killedCommand_hasUnknownUsage() {
    loop(shell("kill -9 $$")).run();

    assertThat(last().usage()).isEqualTo(Usage.UNKNOWN);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "no json",
        "[1]",
        "{\"input_tokens\":-1}",
        "{\"input_tokens\":1.5}",
        "{\"input_tokens\":1,\"cost_usd\":\"1\"}",
        "{\"tokens\":5}",
        "{\"input_tokens\":99999999999999999999}"
      })
  void invalidUsage_isReportedOnceAndUnknown(String line) throws Exception {
    Files.writeString(
        folder.resolve("told"),
        line + "\n" + line + "\n{\"input_tokens\":3,\"output_tokens\":4}\n");

    LoopResult result = loop(shell("cat told >>$RALPH_USAGE")).run();

    assertThat(result.reason()).isEqualTo(StopReason.MAX_ITERATIONS);
    assertThat(last().usage()).isEqualTo(Usage.of(3, 4, null).plus(Usage.UNKNOWN));
    assertThat(notices()).hasSize(1).first().asString().contains("RALPH_USAGE", line);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"input_tokens\":3,\"output_tokens\":4,\"cache_read_input_tokens\":9000}",
        "{\"input_tokens\":3,\"output_tokens\":4,\"cost\":2.5}",
        "{\"input_tokens\":3,\"output_tokens\":4,\"totalCostUSD\":2.5}",
        "{\"input_tokens\":3,\"output_tokens\":4,\"usage\":{\"reasoning\":7}}",
        "{\"input_tokens\":3,\"output_tokens\":4,\"cost_usd\":1e308}",
        "{\"input_tokens\":3,\"output_tokens\":4,\"cost_usd\":1e-99}"
      })
  void unknownAmounts_makeUsagePartial(String line) throws Exception {
    Files.writeString(folder.resolve("told"), line + "\n");

    loop(shell("cat told >>$RALPH_USAGE; cat told >>$RALPH_USAGE")).run();

    assertThat(last().usage()).isEqualTo(Usage.of(6, 8, null).plus(Usage.UNKNOWN));
    assertThat(notices()).hasSize(1).first().asString().contains("RALPH_USAGE", line);
  }

  @Test
  void extraMembers_leaveUsageComplete() {
    loop(shell(
            "echo '{\"input_tokens\":3,\"output_tokens\":4,\"model\":\"m\",\"time\":1}'"
                + " >>$RALPH_USAGE"))
        .run();

    assertThat(last().usage()).isEqualTo(Usage.of(3, 4, null));
    assertThat(notices()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "mkfifo $RALPH_USAGE",
        "ln -s /dev/zero $RALPH_USAGE",
        "ln -s \"$PWD/told\" $RALPH_USAGE",
        "mkdir $RALPH_USAGE",
        "truncate -s 1T $RALPH_USAGE",
        "rm -r \"$(dirname $RALPH_USAGE)\""
      })
  void unusualUsageFile_doesNotBlockTheLoop(String command) throws Exception {
    Files.writeString(folder.resolve("told"), "{\"input_tokens\":3,\"output_tokens\":4}\n");

    LoopResult result = loop(shell(command)).run();

    assertThat(result.reason()).isEqualTo(StopReason.MAX_ITERATIONS);
    assertThat(last().status()).isEqualTo(Iteration.Status.SUCCESS);
    assertThat(last().usage().totalTokens()).isZero();
  }
}
