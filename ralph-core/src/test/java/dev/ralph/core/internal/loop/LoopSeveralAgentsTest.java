package dev.ralph.core.internal.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ralph.Agent;
import dev.ralph.AgentResult;
import dev.ralph.Gate;
import dev.ralph.Iteration;
import dev.ralph.Loop;
import dev.ralph.LoopEvent;
import dev.ralph.LoopResult;
import dev.ralph.NewTask;
import dev.ralph.StatusChange;
import dev.ralph.StopReason;
import dev.ralph.Task;
import dev.ralph.Turn;
import dev.ralph.Usage;
import dev.ralph.Verdict;
import dev.ralph.log.RalphException;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Several agents at once in one folder: the assignment of tasks, and the end of the loop. */
@Timeout(120)
class LoopSeveralAgentsTest extends LoopFixture {

  private Loop.Builder several(int agents, Agent agent) {
    return loop(agent).agents(agents).workspaces(Loop.WorkspaceBuilder::sharedDirectory);
  }

  private void addTasks(int count) {
    for (int i = 1; i <= count; i++) {
      session.tasks().add("task " + i);
    }
  }

  /** Returns the task that is assigned to an agent. */
  private static Task given(Turn turn) {
    Iteration iteration = turn.session().iterations().running(turn.agent()).orElseThrow();
    return turn.session().tasks().get(String.valueOf(iteration.task()));
  }

  private static AgentResult complete(Turn turn) {
    turn.session().tasks().complete(given(turn).id());
    return AgentResult.success();
  }

  private static void meet(CyclicBarrier barrier) throws Exception {
    barrier.await(1, TimeUnit.MINUTES);
  }

  private List<Task.Status> tasks() {
    return session.tasks().list().stream().map(Task::status).toList();
  }

  @Test
  void agents_workInParallelOnSeparateTasks() {
    addTasks(8);
    CyclicBarrier all = new CyclicBarrier(4);
    Set<Integer> agents = ConcurrentHashMap.newKeySet();

    LoopResult result =
        several(
                4,
                turn -> {
                  agents.add(turn.agent());
                  meet(all);
                  return complete(turn);
                })
            .doneWhen(now -> true)
            .run();

    assertThat(result.reason()).isEqualTo(StopReason.COMPLETED);
    assertThat(result.iterations()).isEqualTo(8);
    assertThat(agents).containsExactlyInAnyOrder(1, 2, 3, 4);
    assertThat(session.iterations().list()).extracting(Iteration::task).doesNotHaveDuplicates();
    assertThat(events)
        .filteredOn(LoopEvent.IterationStarted.class::isInstance)
        .extracting(LoopEvent::agent)
        .contains(1, 2, 3, 4)
        .doesNotContain(0);
  }

  @Test
  void prompts_nameTheAgentAndTasksOfTheTeam() {
    addTasks(2);
    CyclicBarrier both = new CyclicBarrier(2);

    several(
            2,
            turn -> {
              meet(both);
              return complete(turn);
            })
        .prompt("agent {{agent}} of {{agents}}")
        .doneWhen(now -> true)
        .run();

    assertThat(prompts).hasSize(2);
    List<String> byAgent = prompts.stream().sorted().toList(); // the agents run in any order
    assertThat(byAgent.get(0)).contains("You are agent 1 of 2", "agent 1 of 2");
    assertThat(byAgent.get(1)).contains("You are agent 2 of 2", "Your task is t2", "task 2");
    assertThat(byAgent.get(1)).contains("- [t1] task 1 (agent 1 works on it)");
  }

  @Test
  void dependentTask_waitsForItsDependency() {
    Task first = session.tasks().add("first");
    session.tasks().add(NewTask.of("second").dependsOn(first.id()));
    AtomicInteger atOnce = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();

    LoopResult result =
        several(
                3,
                turn -> {
                  most.accumulateAndGet(atOnce.incrementAndGet(), Math::max);
                  AgentResult done = complete(turn);
                  atOnce.decrementAndGet();
                  return done;
                })
            .doneWhen(now -> true)
            .run();

    assertThat(result.reason()).isEqualTo(StopReason.COMPLETED);
    assertThat(result.iterations()).isEqualTo(2);
    assertThat(most).hasValue(1);
  }

  @Test
  void withoutReadyTask_aSingleAgentWorks() {
    AtomicInteger atOnce = new AtomicInteger();
    AtomicBoolean wasAlone = new AtomicBoolean();

    LoopResult result =
        several(
                3,
                turn -> {
                  boolean isFirst = turn.session().tasks().list().isEmpty();
                  if (isFirst) {
                    wasAlone.set(atOnce.get() == 0);
                    turn.session().tasks().add("one");
                    turn.session().tasks().add("two");
                    return AgentResult.success();
                  }
                  return complete(turn);
                })
            .prompt("make tasks")
            .doneWhen(now -> !now.tasks().list().isEmpty())
            .run();

    assertThat(result.reason()).isEqualTo(StopReason.COMPLETED);
    assertThat(wasAlone).isTrue();
    assertThat(result.iterations()).isEqualTo(3);
    assertThat(prompts.get(0)).contains("work alone");
    assertThat(session.iterations().list().get(0).task()).isNull();
  }

  @Test
  void claimOfCompletion_isJudgedAfterAllAgentsEnd() {
    addTasks(2);
    CountDownLatch claimed = new CountDownLatch(1);
    AtomicBoolean isOtherDone = new AtomicBoolean();

    LoopResult result =
        several(
                2,
                turn -> {
                  if (turn.agent() == 1) {
                    complete(turn);
                    turn.session().control().complete();
                    claimed.countDown();
                    return AgentResult.success();
                  }
                  await(claimed);
                  isOtherDone.set(true);
                  return complete(turn);
                })
            .gate(Gate.named("all done", c -> verdict(isOtherDone.get())))
            .run();

    assertThat(result.reason()).isEqualTo(StopReason.COMPLETED);
    assertThat(types()).doesNotContain(LoopEvent.Type.COMPLETION_REFUSED);
  }

  private static Verdict verdict(boolean good) {
    return good ? Verdict.passed() : Verdict.failed("not yet");
  }

  @Test
  void hangingAgent_timesOutAndItsTaskIsDone() {
    addTasks(3);
    AtomicBoolean hung = new AtomicBoolean();

    LoopResult result =
        several(
                2,
                turn -> {
                  if (!hung.getAndSet(true)) {
                    new CountDownLatch(1).await();
                  }
                  return complete(turn);
                })
            .iterationTimeLimit(Duration.ofMillis(300))
            .doneWhen(now -> true)
            .run();

    assertThat(result.reason()).isEqualTo(StopReason.COMPLETED);
    assertThat(statuses()).contains(Iteration.Status.TIMEOUT);
    assertThat(tasks()).containsOnly(Task.Status.COMPLETED);
  }

  @Test
  void agentIgnoringItsEnd_endsTheLoop() throws Exception {
    addTasks(2);
    CountDownLatch release = new CountDownLatch(1);
    CountDownLatch ended = new CountDownLatch(1);

    LoopResult result =
        several(
                2,
                turn -> {
                  if (turn.agent() == 1) {
                    waitWhatever(release);
                    ended.countDown();
                  } else {
                    new CountDownLatch(1).await();
                  }
                  return AgentResult.success();
                })
            .iterationTimeLimit(Duration.ofMillis(200))
            .grace(Duration.ofMillis(10))
            .maxFailures(100)
            .run();

    assertThat(result.reason()).isEqualTo(StopReason.FAILURES);
    assertThat(result.detail()).contains("was told to end");
    assertThatThrownBy(() -> several(2, turn -> AgentResult.success()).run())
        .isInstanceOf(RalphException.class)
        .hasMessageContaining("already runs on this session");
    release.countDown();
    await(ended);
  }

  private static void waitWhatever(CountDownLatch release) {
    while (true) {
      try {
        if (release.await(1, TimeUnit.MINUTES)) {
          return;
        }
      } catch (InterruptedException ignored) {
        // Ignores the interrupt.
      }
    }
  }

  @Test
  void failingAgent_getsNoFurtherTask() {
    addTasks(6);

    LoopResult result =
        several(
                2,
                turn -> {
                  if (turn.agent() == 1) {
                    throw new IllegalStateException("no login");
                  }
                  return complete(turn);
                })
            .maxFailures(2)
            .doneWhen(now -> true)
            .run();

    assertThat(result.reason()).isEqualTo(StopReason.COMPLETED);
    assertThat(tasks()).containsOnly(Task.Status.COMPLETED);
    assertThat(events)
        .extracting(LoopEvent::message)
        .anyMatch(text -> text.startsWith("no further task: 2 failures in a row"));
  }

  @Test
  void withoutRemainingAgent_theLoopEnds() {
    addTasks(6);

    LoopResult result = several(3, turn -> AgentResult.fatal("no login")).run();

    assertThat(result.reason()).isEqualTo(StopReason.FAILURES);
    assertThat(result.detail()).isEqualTo("no login");
    assertThat(result.iterations()).isEqualTo(3);
  }

  @Test
  void errorOfAnAgent_endsAllAndIsThrown() {
    addTasks(2);
    CyclicBarrier both = new CyclicBarrier(2);
    AtomicBoolean wasEnded = new AtomicBoolean();

    assertThatThrownBy(
            () ->
                several(
                        2,
                        turn -> {
                          meet(both);
                          if (turn.agent() == 1) {
                            throw new AssertionError("a fault");
                          }
                          try {
                            new CountDownLatch(1).await();
                          } catch (InterruptedException e) {
                            wasEnded.set(true);
                          }
                          return AgentResult.failure("cut off");
                        })
                    .run())
        .isInstanceOf(AssertionError.class)
        .hasMessage("a fault");

    assertThat(wasEnded).isTrue();
    assertThat(statuses()).doesNotContain(Iteration.Status.RUNNING);
    assertThat(session.control().running()).isEmpty();
  }

  @Test
  void errorOfAListener_endsAllAgents() {
    addTasks(4);

    assertThatThrownBy(
            () ->
                several(
                        2,
                        turn -> {
                          turn.output("said");
                          new CountDownLatch(1).await();
                          return AgentResult.success();
                        })
                    .onEvent(
                        event -> {
                          if (event.type() == LoopEvent.Type.OUTPUT) {
                            throw new AssertionError("a listener");
                          }
                        })
                    .run())
        .isInstanceOf(AssertionError.class)
        .hasMessage("a listener");

    assertThat(statuses()).doesNotContain(Iteration.Status.RUNNING);
  }

  @Test
  void cancel_endsAllAgentsAndReleasesTheirTasks() throws Exception {
    addTasks(3);
    CyclicBarrier all = new CyclicBarrier(3);
    try (Loop loop =
        several(
                2,
                turn -> {
                  meet(all);
                  new CountDownLatch(1).await();
                  return AgentResult.success();
                })
            .build()) {
      Thread canceller =
          new Thread(
              () -> {
                try {
                  meet(all);
                } catch (Exception e) {
                  throw new AssertionError(e);
                }
                loop.cancel("enough");
              });
      canceller.start();

      LoopResult result = loop.run();

      assertThat(result.reason()).isEqualTo(StopReason.INTERRUPTED);
      assertThat(result.detail()).isEqualTo("enough");
      canceller.join();
    }
    assertThat(statuses())
        .containsExactly(Iteration.Status.INTERRUPTED, Iteration.Status.INTERRUPTED);
    assertThat(session.tasks().ready()).hasSize(3);
  }

  @Test
  void agents_workAcrossStepsUntilClosed() throws Exception {
    addTasks(3);
    CountDownLatch slow = new CountDownLatch(1);
    try (Loop loop =
        several(
                2,
                turn -> {
                  if (turn.agent() == 2) {
                    slow.countDown();
                    new CountDownLatch(1).await();
                  }
                  return complete(turn);
                })
            .build()) {
      assertThat(loop.step()).isTrue();
      await(slow);
      assertThat(session.iterations().running(2)).isPresent();
    }
    assertThat(statuses()).doesNotContain(Iteration.Status.RUNNING);
    assertThat(only(LoopEvent.Type.LOOP_ENDED).message()).contains("interrupted");
  }

  @Test
  void stop_finishesRunningTasksAndStartsNone() {
    addTasks(6);
    CyclicBarrier both = new CyclicBarrier(2);

    LoopResult result =
        several(
                2,
                turn -> {
                  meet(both);
                  if (turn.agent() == 1) {
                    turn.session().control().stop("enough");
                  }
                  meet(both);
                  return complete(turn);
                })
            .run();

    assertThat(result.reason()).isEqualTo(StopReason.STOPPED);
    assertThat(result.iterations()).isEqualTo(2);
    assertThat(session.tasks().list().open()).hasSize(4);
  }

  @Test
  void maxIterations_limitsAllAgentsTogether() {
    addTasks(9);

    LoopResult result = several(4, LoopSeveralAgentsTest::complete).maxIterations(5).run();

    assertThat(result.reason()).isEqualTo(StopReason.MAX_ITERATIONS);
    assertThat(result.iterations()).isEqualTo(5);
  }

  @Test
  void budget_isSharedAndEndsAllAgents() {
    addTasks(3);
    CyclicBarrier all = new CyclicBarrier(3);

    LoopResult result =
        several(
                3,
                turn -> {
                  meet(all);
                  turn.usage(Usage.of(10, 1, new BigDecimal("0.40")));
                  new CountDownLatch(1).await();
                  return AgentResult.success();
                })
            .maxCost(BigDecimal.ONE)
            .run();

    assertThat(result.reason()).isEqualTo(StopReason.BUDGET);
    assertThat(result.usage().costUsd()).isEqualByComparingTo("1.20");
    assertThat(statuses()).containsOnly(Iteration.Status.INTERRUPTED);
  }

  @Test
  void idleAgents_endTheLoop() {
    addTasks(2);

    LoopResult result = several(2, turn -> AgentResult.success()).maxIdle(3).run();

    assertThat(result.reason()).isEqualTo(StopReason.NO_PROGRESS);
    assertThat(result.iterations()).isBetween(3, 5);
  }

  @Test
  void addedTask_isAssignedToAFreeAgent() {
    session.tasks().add("one");
    CountDownLatch second = new CountDownLatch(1);

    LoopResult result =
        several(
                2,
                turn -> {
                  if (turn.agent() == 1 && second.getCount() == 1) {
                    turn.session().tasks().add("two");
                    await(second);
                  }
                  second.countDown();
                  return complete(turn);
                })
            .doneWhen(now -> true)
            .run();

    assertThat(result.reason()).isEqualTo(StopReason.COMPLETED);
    assertThat(result.iterations()).isEqualTo(2);
  }

  @Test
  void pausedSession_assignsNoTaskUntilResumed() {
    addTasks(4);
    AtomicInteger begun = new AtomicInteger();

    LoopResult result =
        several(
                2,
                turn -> {
                  if (begun.incrementAndGet() == 1) {
                    turn.session().control().pause();
                  }
                  return complete(turn);
                })
            .onEvent(
                event -> {
                  if (event.type() == LoopEvent.Type.WAITING) {
                    session.control().resume();
                  }
                })
            .doneWhen(now -> true)
            .run();

    assertThat(result.reason()).isEqualTo(StopReason.COMPLETED);
    assertThat(types()).contains(LoopEvent.Type.WAITING);
  }

  @Test
  void agents_haveSeparateMarksAndPorts() {
    addTasks(2);
    Map<String, String> marks = new ConcurrentHashMap<>();
    Map<String, String> ports = new ConcurrentHashMap<>();

    several(
            2,
            turn -> {
              String agent = turn.variables().get(Turn.AGENT);
              marks.put(agent, turn.processMark());
              ports.put(agent, turn.variables().get("RALPH_PORT_BASE"));
              while (marks.size() < 2) {
                Thread.onSpinWait();
              }
              return complete(turn);
            })
        .doneWhen(now -> true)
        .run();

    assertThat(marks.keySet()).containsExactlyInAnyOrder("1", "2");
    assertThat(marks.get("1")).endsWith("/1").isNotEqualTo(marks.get("2"));
    assertThat(ports.get("1")).isNotEqualTo(ports.get("2"));
  }

  @Test
  void listOfAgents_replacesTheAgentOfTheLoop() {
    addTasks(2);
    CyclicBarrier both = new CyclicBarrier(2);
    Set<String> seen = ConcurrentHashMap.newKeySet();
    Agent one = turn -> work(turn, both, seen, "one");
    Agent two = turn -> work(turn, both, seen, "two");

    session
        .loop(turn -> AgentResult.fatal("never run"))
        .agents(List.of(one, two))
        .workspaces(Loop.WorkspaceBuilder::sharedDirectory)
        .directory(folder)
        .doneWhen(now -> true)
        .run();

    assertThat(seen).containsExactlyInAnyOrder("one 1", "two 2");
  }

  private static AgentResult work(Turn turn, CyclicBarrier both, Set<String> seen, String name)
      throws Exception {
    seen.add(name + " " + turn.agent());
    meet(both);
    return complete(turn);
  }

  @Test
  void invalidSettings_areRejectedByTheBuilder() {
    assertThatThrownBy(() -> loop(turn -> AgentResult.success()).agents(0))
        .hasMessage("agents must be 1 to 64, not 0");
    assertThatThrownBy(() -> loop(turn -> AgentResult.success()).agents(65))
        .hasMessage("agents must be 1 to 64, not 65");
    assertThatThrownBy(
            () -> loop(turn -> AgentResult.success()).workspaces(p -> p.copy(Path.of("../x"))))
        .hasMessageContaining("the path must be relative to the top of the repository");
    assertThatThrownBy(
            () ->
                several(2, turn -> AgentResult.success())
                    .workspaces(places -> places.copy(Path.of("node_modules")))
                    .build())
        .hasMessageContaining("a shared directory support no setUp");
  }

  @Test
  void cancelledTask_isNotAssignedAgain() {
    addTasks(2);

    LoopResult result =
        several(
                2,
                turn -> {
                  if (given(turn).number() == 1) {
                    turn.session()
                        .tasks()
                        .status(
                            given(turn).id(),
                            StatusChange.to(Task.Status.CANCELLED).because("not needed"));
                    return AgentResult.success();
                  }
                  return complete(turn);
                })
            .doneWhen(now -> true)
            .run();

    assertThat(result.reason()).isEqualTo(StopReason.COMPLETED);
    assertThat(tasks()).containsExactly(Task.Status.CANCELLED, Task.Status.COMPLETED);
  }
}
