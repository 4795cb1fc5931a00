package dev.ralph.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ralph.AgentResult;
import dev.ralph.Iteration;
import dev.ralph.LoopResult;
import dev.ralph.Ralph;
import dev.ralph.RecordEntry;
import dev.ralph.Session;
import dev.ralph.StopReason;
import dev.ralph.Task;
import dev.ralph.TaskLog;
import dev.ralph.ToolSettings;
import dev.ralph.Turn;
import dev.ralph.Usage;
import dev.ralph.log.RalphException;
import dev.ralph.tool.AgentTools;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class TestKitTest {

  private final Ralph ralph = Ralph.inMemory();
  private final Session session = ralph.session("s");

  @AfterEach
  void close() {
    ralph.close();
  }

  // ---- scripted agent

  @Test
  void script_runsStepByStep() {
    ScriptedAgent agent =
        ScriptedAgent.of(turn -> turn.session().tasks().add("Write the form"))
            .thenFail("no network")
            .then(
                turn -> {
                  turn.session().tasks().complete("t1");
                  turn.session().control().complete();
                });

    LoopResult result = session.loop(agent).failurePause(Duration.ofMillis(1)).run();

    assertThat(result.reason()).isEqualTo(StopReason.COMPLETED);
    assertThat(agent.stepsLeft()).isZero();
    assertThat(agent.prompts()).hasSize(3);
    assertThat(agent.prompts().get(1)).contains("Write the form");
    assertThat(agent.prompts().get(2)).contains("no network");
  }

  @Test
  void iterationBeyondScript_endsTheLoop() {
    ScriptedAgent agent = ScriptedAgent.of(turn -> turn.session().notes().add("tip", "x"));

    LoopResult result = session.loop(agent).run();

    assertThat(result.reason()).isEqualTo(StopReason.FAILURES);
    assertThat(session.iterations().last().orElseThrow().summary())
        .contains("iteration 2 exceeds the script of 1 step");
  }

  // ---- replay

  /** Opens tools whose calls are not recorded, as for a client in another process. */
  private static AgentTools openTools(Turn turn) {
    return turn.session().openTools(ToolSettings.STANDARD.iteration(turn.iteration()).inLoop());
  }

  private static AgentResult callsTools(Turn turn, String... calls) {
    try (AgentTools tools = openTools(turn)) {
      turn.record(RecordEntry.text("I begin."));
      for (int i = 0; i < calls.length; i += 2) {
        String id = String.valueOf(i);
        turn.record(RecordEntry.toolCall(id, "mcp__ralph__" + calls[i], calls[i + 1]));
        AgentTools.Result result = tools.call(calls[i], calls[i + 1]);
        turn.record(RecordEntry.toolResult(id, result.isError(), result.text()));
      }
      turn.record(RecordEntry.toolCall("sh", "Bash", "{\"command\":\"exit 3\"}"));
      turn.record(RecordEntry.toolResult("sh", true, "Exit code 3"));
      return AgentResult.success().summary("did it").usage(Usage.of(10, 2, null));
    }
  }

  private Session recorded() {
    session.tasks().add("one");
    session
        .loop(
            turn -> {
              String id = turn.session().tasks().get("t1").id();
              return callsTools(
                  turn,
                  "task_list",
                  "{}",
                  "task_add",
                  "{\"content\":\"two\"}",
                  "task_status",
                  "{\"id\":\"" + id + "\",\"status\":\"completed\"}");
            })
        .maxIterations(1)
        .run();
    return session;
  }

  @Test
  void replay_repeatsCallsInAnotherSession() {
    ReplayAgent agent = ReplayAgent.of(recorded());
    Session other = ralph.session("other");
    other.tasks().add("one");

    LoopResult result = other.loop(agent).maxIterations(2).maxFailures(1).run();

    assertThat(agent.differences()).isEmpty();
    assertThat(other.tasks().list())
        .extracting(task -> task.content() + " " + task.status().word())
        .containsExactly("one completed", "two remaining");
    Iteration played = other.iterations().list().get(0);
    assertThat(played.usage()).isEqualTo(Usage.of(10, 2, null));
    assertThat(played.summary()).isEqualTo("did it");
    assertThat(other.iterations().transcript(1)).isEqualTo("I begin.\n");
    assertThat(types(other)).isEqualTo(types(session));
    assertThat(result.reason())
        .as("after the last recorded iteration")
        .isEqualTo(StopReason.FAILURES);
  }

  private static List<RecordEntry.Type> types(Session session) {
    List<RecordEntry.Type> types = new ArrayList<>();
    session.iterations().record(1, entry -> types.add(entry.type()));
    return types;
  }

  @Test
  void differentResult_isReportedWithItsCall() {
    ReplayAgent agent = ReplayAgent.of(recorded());
    Session other = ralph.session("other");
    other.tasks().add("something else");

    other.loop(agent).maxIterations(1).run();

    assertThat(agent.differences())
        .singleElement()
        .satisfies(
            difference -> {
              assertThat(difference.what()).isEqualTo("call 1 of task_list");
              assertThat(difference.recorded()).contains("one");
              assertThat(difference.now()).contains("something else");
              assertThat(difference).asString().startsWith("iteration 1, call 1 of task_list: ");
            });
  }

  @Test
  void throwingStep_failsTheIteration() {
    ScriptedAgent agent =
        ScriptedAgent.of(
            turn -> {
              throw new java.io.IOException("the disk is full");
            });

    Iteration iteration = TestLoop.runOnce(session, agent);

    assertThat(iteration.status()).isEqualTo(Iteration.Status.FAILURE);
    assertThat(iteration.summary()).contains("the disk is full");
  }

  // ---- arguments and single iterations

  @Test
  @SuppressWarnings("NullAway") // passes null on purpose
  void nullArgument_isRejected() {
    ScriptedAgent agent = ScriptedAgent.of();
    assertRejectsNull(() -> agent.then(null), "step");
    assertRejectsNull(() -> agent.thenReturn(null), "result");
    assertRejectsNull(() -> ManualClock.at((Instant) null), "time");
    assertRejectsNull(() -> ManualClock.at(Instant.EPOCH).set(null), "time");
    assertRejectsNull(() -> TestTurn.on(session).output(null), "an output must not be null");
    assertRejectsNull(() -> TestTurn.on(session).notice(null), "a notice must not be null");
    assertRejectsNull(() -> TestTurn.on(session).usage(null), "a usage must not be null");
  }

  private static void assertRejectsNull(ThrowingCallable call, String what) {
    assertThatThrownBy(call).isInstanceOf(NullPointerException.class).hasMessageStartingWith(what);
  }

  @Test
  void runOnce_runsOneIteration() {
    ScriptedAgent agent =
        ScriptedAgent.of(turn -> turn.session().tasks().add("more to do"))
            .thenReturn(AgentResult.fatal("never reached"));

    Iteration iteration = TestLoop.runOnce(session, agent);

    assertThat(iteration.number()).isEqualTo(1);
    assertThat(iteration.status()).isEqualTo(Iteration.Status.SUCCESS);
    assertThat(agent.stepsLeft()).isEqualTo(1);
  }

  @Test
  void completeSession_runsNoIteration() {
    session.control().complete();
    assertThatThrownBy(() -> TestLoop.runOnce(session, ScriptedAgent.of()))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("no iteration was run: completed");
  }

  // ---- turn

  @Test
  void turn_keepsSettingsAndResults() {
    TestTurn turn =
        TestTurn.on(session)
            .iteration(3)
            .prompt("Do it")
            .directory(Path.of("/work"))
            .timeLimit(Duration.ZERO)
            .grace(Duration.ofSeconds(1))
            .processMark("mark");
    turn.output("said");
    turn.notice("known");
    turn.usage(Usage.NONE);
    turn.usage(Usage.NONE);

    assertThat(turn.session()).isSameAs(session);
    assertThat(turn.iteration()).isEqualTo(3);
    assertThat(turn.prompt()).isEqualTo("Do it");
    assertThat(turn.directory()).isEqualTo(Path.of("/work"));
    assertThat(turn.deadline()).isBeforeOrEqualTo(Instant.now());
    assertThat(turn.timeLimit(null).deadline()).isNull();
    assertThat(turn.grace()).isEqualTo(Duration.ofSeconds(1));
    assertThat(turn.processMark()).isEqualTo("mark");
    assertThat(turn.outputs()).containsExactly("said");
    assertThat(turn.notices()).containsExactly("known");
    assertThat(turn.usages()).containsExactly(Usage.NONE);
    assertThat(turn.cancelled()).isFalse();
    turn.cancel();
    assertThat(turn.cancelled()).isTrue();
  }

  @Test
  void turn_opensSessionTools() {
    TestTurn turn = TestTurn.inMemory().iteration(2);
    try (AgentTools tools = turn.openTools()) {
      tools.call("note_add", "{\"type\":\"tip\",\"content\":\"x\"}");
    }
    assertThat(turn.session().notes().list())
        .singleElement()
        .satisfies(note -> assertThat(note.iteration()).isEqualTo(2));
  }

  // ---- clock

  @Test
  void advancedClock_expiresTheClaim() {
    ManualClock clock = ManualClock.at("2026-01-01T12:00:00Z");
    try (Ralph timed = Ralph.builder().store("memory").clock(clock).open()) {
      TaskLog tasks = timed.session("s").tasks();
      tasks.add("one");
      assertThat(tasks.claim("t1", "me", Duration.ofMinutes(10))).isPresent();
      assertThat(tasks.ready()).isEmpty();

      clock.advance(Duration.ofMinutes(11));

      assertThat(tasks.ready()).extracting(Task::content).containsExactly("one");
    }
  }

  @Test
  void advancedClock_endsTheLoop() {
    ManualClock clock = ManualClock.at("2026-01-01T12:00:00Z");
    try (Ralph timed = Ralph.builder().store("memory").clock(clock).open()) {
      ScriptedAgent agent =
          ScriptedAgent.of(turn -> turn.session().notes().add("tip", "first"))
              .then(
                  turn -> {
                    turn.session().notes().add("tip", "second");
                    clock.advance(Duration.ofHours(2));
                  });

      LoopResult result = timed.session("s").loop(agent).timeLimit(Duration.ofHours(1)).run();

      assertThat(result.reason()).isEqualTo(StopReason.TIME_LIMIT);
      assertThat(agent.stepsLeft()).isZero();
    }
  }

  @Test
  void advancedClock_endsThePause() throws InterruptedException {
    ManualClock clock = ManualClock.at("2026-01-01T12:00:00Z");
    try (Ralph timed = Ralph.builder().store("memory").clock(clock).open()) {
      ScriptedAgent agent =
          ScriptedAgent.of()
              .thenFail("no network")
              .then(turn -> turn.session().control().complete());
      AtomicReference<LoopResult> result = new AtomicReference<>();
      Thread looping =
          new Thread(
              () ->
                  result.set(
                      timed.session("s").loop(agent).failurePause(Duration.ofHours(1)).run()));

      looping.start();
      while (looping.isAlive()) {
        clock.advance(Duration.ofMinutes(1));
        looping.join(1);
      }

      assertThat(result.get().reason()).isEqualTo(StopReason.COMPLETED);
      assertThat(clock.instant()).isAfter(Instant.parse("2026-01-01T13:00:00Z"));
    }
  }

  @Test
  void clock_standsUntilMoved() {
    ManualClock clock = ManualClock.at("2026-01-01T12:00:00Z");
    assertThat(clock.instant()).isEqualTo(Instant.parse("2026-01-01T12:00:00Z"));
    clock.set(Instant.parse("2025-12-31T12:00:00Z"));
    assertThat(clock.withZone(ZoneId.of("+02:00")).instant())
        .isEqualTo(Instant.parse("2025-12-31T12:00:00Z"));
    assertThatThrownBy(() -> clock.advance(Duration.ofNanos(-1)))
        .isInstanceOf(RalphException.class)
        .hasMessageContaining("negative");
  }
}
