package dev.ralph.core.internal.loop;

import static dev.ralph.core.RepositoryTemplate.git;
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
import dev.ralph.TaskEdit;
import dev.ralph.Turn;
import dev.ralph.Verdict;
import dev.ralph.core.CommandAgent;
import dev.ralph.core.RepositoryTemplate;
import dev.ralph.core.internal.process.Git;
import dev.ralph.log.RalphException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The attempts of several agents at a task, and the end of a loop whose attempts failed. */
@Timeout(300)
class LoopAttemptsTest extends LoopFixture {

  private static final RepositoryTemplate REPOSITORY =
      RepositoryTemplate.of("begin", "all.txt", "first\nlast\n");

  private static final Gate NO_BAD_FILE =
      Gate.named(
          "no bad file",
          context ->
              Files.exists(context.directory().resolve("bad.txt"))
                  ? Verdict.failed("bad.txt is there")
                  : Verdict.passed());

  @BeforeEach
  void repository() throws Exception {
    REPOSITORY.copyTo(folder);
  }

  private Loop.Builder several(int agents, Agent agent) {
    return loop(agent)
        .agents(agents)
        .failurePause(Duration.ZERO)
        .doneWhen(now -> !now.tasks().list().isEmpty());
  }

  private static Task given(Turn turn) {
    Iteration iteration = turn.session().iterations().running(turn.agent()).orElseThrow();
    return turn.session().tasks().get(String.valueOf(iteration.task()));
  }

  private static AgentResult complete(Turn turn) {
    turn.session().tasks().complete(given(turn).id());
    return AgentResult.success();
  }

  private static void write(Turn turn, String file, String text) throws IOException {
    Files.writeString(turn.directory().resolve(file), text);
  }

  private static AgentResult completeBadly(Turn turn, AtomicInteger turns) throws IOException {
    write(turn, "bad.txt", "try " + turns.incrementAndGet() + "\n");
    return complete(turn);
  }

  private List<String> returns() {
    return events.stream()
        .filter(event -> event.type() == LoopEvent.Type.SENT_BACK)
        .map(LoopEvent::message)
        .toList();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void failingTask_isBlockedAtLimit(int limit) {
    session.tasks().add("one");
    AtomicInteger turns = new AtomicInteger();

    LoopResult result =
        several(2, turn -> completeBadly(turn, turns)).gate(NO_BAD_FILE).maxAttempts(limit).run();

    assertThat(result.reason()).isEqualTo(StopReason.TASKS_BLOCKED);
    assertThat(result.detail()).contains("t1 is blocked", "no bad file");
    assertThat(turns).hasValue(limit);
    Task task = session.tasks().get("t1");
    assertThat(task.status()).isEqualTo(Task.Status.BLOCKED);
    assertThat(task.attempts()).isEqualTo(limit);
    assertThat(task.isOutOfAttempts()).isTrue();
    assertThat(task.reason()).contains("bad.txt is there");
    assertThat(returns().get(limit - 1))
        .startsWith("t1 was not merged: ")
        .endsWith("blocked after " + limit + " failed attempts");
    assertThat(session.iterations().list())
        .allMatch(iteration -> iteration.status() == Iteration.Status.SUCCESS)
        .allMatch(iteration -> String.valueOf(iteration.returned()).contains("no bad file"));
  }

  @Test
  void noLimit_isTriedUntilIterationsEnd() {
    session.tasks().add("one");
    AtomicInteger turns = new AtomicInteger();

    LoopResult result =
        several(2, turn -> completeBadly(turn, turns))
            .gate(NO_BAD_FILE)
            .maxAttempts(0)
            .maxIterations(7)
            .run();

    assertThat(result.reason()).isEqualTo(StopReason.MAX_ITERATIONS);
    assertThat(session.tasks().get("t1").attempts()).isEqualTo(7);
    assertThat(session.tasks().get("t1").status()).isEqualTo(Task.Status.REMAINING);
  }

  @Test
  void count_survivesRestart() {
    session.tasks().add("one");
    AtomicInteger turns = new AtomicInteger();
    several(2, turn -> completeBadly(turn, turns)).gate(NO_BAD_FILE).maxIterations(2).run();
    assertThat(session.tasks().get("t1").attempts()).isEqualTo(2);

    LoopResult result = several(2, turn -> completeBadly(turn, turns)).gate(NO_BAD_FILE).run();

    assertThat(result.reason()).isEqualTo(StopReason.TASKS_BLOCKED);
    assertThat(result.iterations()).isEqualTo(3);
  }

  @Test
  void blockedTask_endsNextLoopAtOnce() {
    session.tasks().add("one");
    AtomicInteger turns = new AtomicInteger();
    several(2, turn -> completeBadly(turn, turns)).gate(NO_BAD_FILE).maxAttempts(1).run();

    LoopResult again = several(2, turn -> completeBadly(turn, turns)).gate(NO_BAD_FILE).run();

    assertThat(again.reason()).isEqualTo(StopReason.TASKS_BLOCKED);
    assertThat(again.iterations()).isZero();
  }

  @Test
  void message_opensBlockedTask() {
    session.tasks().add("one");
    AtomicInteger turns = new AtomicInteger();
    several(2, turn -> completeBadly(turn, turns)).gate(NO_BAD_FILE).maxAttempts(1).run();
    session.inbox().send("For t1: remove the bad file");

    LoopResult result =
        several(
                2,
                turn -> {
                  turn.session()
                      .inbox()
                      .unread()
                      .forEach(m -> turn.session().inbox().markRead(m.id(), null));
                  Files.deleteIfExists(turn.directory().resolve("bad.txt"));
                  write(turn, "good.txt", "good\n");
                  return complete(turn);
                })
            .gate(NO_BAD_FILE)
            .run();

    assertThat(result.reason()).isEqualTo(StopReason.COMPLETED);
    assertThat(session.tasks().get("t1").attempts()).isZero();
  }

  @Test
  void waitingTasks_doNotKeepLoop() {
    session.tasks().add("one");
    session.tasks().add(NewTask.of("two").dependsOn("t1"));
    AtomicInteger turns = new AtomicInteger();

    LoopResult result =
        several(2, turn -> completeBadly(turn, turns)).gate(NO_BAD_FILE).maxAttempts(2).run();

    assertThat(result.reason()).isEqualTo(StopReason.TASKS_BLOCKED);
    assertThat(turns).hasValue(2);
  }

  @Test
  void freeTasks_areDoneDespiteABlockedTask() {
    for (int i = 0; i < 4; i++) {
      session.tasks().add("task");
    }

    LoopResult result =
        several(
                2,
                turn -> {
                  int number = given(turn).number();
                  write(turn, number == 2 ? "bad.txt" : "t" + number + ".txt", "text\n");
                  return complete(turn);
                })
            .gate(NO_BAD_FILE)
            .maxAttempts(2)
            .run();

    assertThat(result.reason()).isEqualTo(StopReason.TASKS_BLOCKED);
    assertThat(session.tasks().list().stream().filter(Task::isSettled)).hasSize(3);
    assertThat(session.tasks().get("t2").attempts()).isEqualTo(2);
  }

  @Test
  void redBase_blamesNoTask() {
    for (int i = 0; i < 2; i++) {
      session.tasks().add("task");
    }
    AtomicInteger gated = new AtomicInteger();
    List<String> folders = new CopyOnWriteArrayList<>();
    AtomicInteger turns = new AtomicInteger();

    LoopResult result =
        several(
                2,
                turn -> {
                  write(turn, "new.txt", "try " + turns.incrementAndGet() + "\n");
                  return complete(turn);
                })
            .gate(
                Gate.named(
                    "red",
                    context -> {
                      gated.incrementAndGet();
                      if (!Files.exists(context.directory().resolve("new.txt"))) {
                        folders.add("base");
                      }
                      return Verdict.failed("never");
                    }))
            .maxIterations(12)
            .run();

    assertThat(result.reason()).isEqualTo(StopReason.GATE_FAILED);
    assertThat(result.detail()).contains("red");
    assertThat(returns()).hasSize(3).allMatch(text -> text.contains("not counted"));
    assertThat(session.tasks().list()).allMatch(task -> task.attempts() == 0);
    assertThat(session.tasks().list()).noneMatch(t -> t.status() == Task.Status.BLOCKED);
    assertThat(folders).as("one check for each commit of the base").hasSize(1);
  }

  @Test
  void repairOfRedBase_isMerged() throws Exception {
    Files.writeString(folder.resolve("bad.txt"), "bad\n");
    git(folder, "add", ".");
    git(folder, "commit", "--quiet", "-m", "break");
    session.tasks().add("repair");
    session.tasks().add("other");

    LoopResult result =
        several(
                2,
                turn -> {
                  if (given(turn).number() == 1) {
                    Files.delete(turn.directory().resolve("bad.txt"));
                  } else {
                    write(turn, "other.txt", "other\n");
                  }
                  return complete(turn);
                })
            .gate(NO_BAD_FILE)
            .run();

    assertThat(result.reason()).isEqualTo(StopReason.COMPLETED);
    assertThat(session.tasks().list()).allMatch(Task::isSettled);
  }

  @Test
  void gateOfItsOwn_isCountedOnRedBase() {
    session.tasks().add("one");
    AtomicInteger turns = new AtomicInteger();

    LoopResult result =
        several(2, turn -> completeBadly(turn, turns))
            .gate(Gate.named("red", context -> Verdict.failed("never")))
            .gate(NO_BAD_FILE)
            .maxAttempts(2)
            .run();

    assertThat(result.reason()).isEqualTo(StopReason.TASKS_BLOCKED);
    assertThat(session.tasks().get("t1").attempts()).isEqualTo(2);
  }

  @Test
  void unfinishedIterations_areNotCounted() {
    session.tasks().add("one");
    AtomicInteger turns = new AtomicInteger();

    several(
            2,
            turn -> {
              write(turn, "half.txt", "half " + turns.incrementAndGet() + "\n");
              return turns.get() == 1
                  ? AgentResult.success()
                  : AgentResult.rateLimited("limit", Duration.ZERO); // last iteration, so no pause
            })
        .maxAttempts(1)
        .maxIterations(2)
        .run();

    assertThat(turns).hasValue(2);
    assertThat(session.tasks().get("t1").attempts()).isZero();
    assertThat(session.tasks().get("t1").status()).isEqualTo(Task.Status.REMAINING);
  }

  @Test
  void attemptsWithoutCommit_areNoProgress() {
    session.tasks().add("one");
    AtomicInteger turns = new AtomicInteger();

    LoopResult result =
        several(
                2,
                turn -> {
                  write(turn, "bad.txt", "always the same\n");
                  turns.incrementAndGet();
                  return complete(turn);
                })
            .gate(NO_BAD_FILE)
            .maxAttempts(0)
            .maxIdle(3)
            .maxIterations(20)
            .run();

    assertThat(result.reason()).isEqualTo(StopReason.NO_PROGRESS);
    assertThat(turns).hasValue(4);
  }

  @Test
  void unchangedTask_isGatedOnBranch() {
    session.tasks().add("nothing to do");
    AtomicInteger gated = new AtomicInteger();

    LoopResult result =
        several(2, LoopAttemptsTest::complete)
            .gate(
                Gate.named(
                    "counts",
                    context -> {
                      gated.incrementAndGet();
                      return session.tasks().get("t1").isSettled()
                          ? Verdict.failed("the gate ran after the merge")
                          : Verdict.passed();
                    }))
            .maxIterations(3)
            .run();

    assertThat(result.reason()).isEqualTo(StopReason.COMPLETED);
    assertThat(gated).as("the branch is checked once").hasValue(1);
    Task task = session.tasks().get("t1");
    assertThat(task.mergedAt()).isNotNull();
    assertThat(task.commit()).isNull();
    assertThat(only(LoopEvent.Type.MERGED).message()).contains("no changes");
  }

  @Test
  void unchangedTaskOnRedBase_isReturned() {
    session.tasks().add("nothing to do");

    LoopResult result =
        several(2, LoopAttemptsTest::complete)
            .gate(Gate.named("red", context -> Verdict.failed("never")))
            .maxIterations(12)
            .run();

    assertThat(result.reason()).isEqualTo(StopReason.GATE_FAILED);
    assertThat(result.detail())
        .startsWith(
            "the gate fails on the session's branch even without the returned tasks, after 3"
                + " returns in a row: ");
    assertThat(session.tasks().get("t1").attempts()).isZero();
    assertThat(session.tasks().get("t1").isSettled()).isFalse();
  }

  @Test
  void statusOfWorker_doesNotReset() {
    session.tasks().add("one");
    session.tasks().add("two");
    AtomicInteger turns = new AtomicInteger();

    LoopResult result =
        several(
                2,
                turn -> {
                  Task own = given(turn);
                  turn.session().inbox().send("about t1 and t2");
                  turn.session().tasks().edit(own.id(), TaskEdit.of().content("try " + turns));
                  turn.session().tasks().status(own.id(), StatusChange.to(Task.Status.IN_PROGRESS));
                  return completeBadly(turn, turns);
                })
            .gate(NO_BAD_FILE)
            .maxAttempts(3)
            .run();

    assertThat(result.reason()).isEqualTo(StopReason.TASKS_BLOCKED);
    assertThat(turns).hasValue(6);
  }

  private Loop.Builder refusedOnce(AgentResult afterRefusal) {
    return refusedOnce(turn -> afterRefusal);
  }

  /** Builds a loop that refuses the first completion of t1; then {@code afterRefusal} continues. */
  private Loop.Builder refusedOnce(Agent afterRefusal) {
    session.tasks().add("one");
    session.tasks().add("two");
    CyclicBarrier both = new CyclicBarrier(2);
    AtomicInteger turnsOfFirst = new AtomicInteger();
    return several(
        2,
        turn -> {
          int number = given(turn).number();
          boolean isFirst = number == 1 && turnsOfFirst.incrementAndGet() == 1;
          if (isFirst || number == 2) {
            both.await(1, TimeUnit.MINUTES);
            write(turn, "all.txt", "first\ntask " + number + "\nlast\n");
          } else {
            new Git(turn.directory(), Duration.ofMinutes(1)).run("merge", "ralph/s");
            write(turn, "all.txt", "first\ntask 1\ntask 2\nlast\n");
          }
          if (isFirst) {
            long end = System.nanoTime() + Duration.ofMinutes(1).toNanos();
            while (!session.tasks().get("t2").isSettled() && System.nanoTime() < end) {
              Thread.sleep(20);
            }
            assertThatThrownBy(() -> complete(turn)).isInstanceOf(RalphException.class);
            return afterRefusal.run(turn);
          }
          return complete(turn);
        });
  }

  @Test
  void refusedCompletion_isCounted() {
    LoopResult result = refusedOnce(AgentResult.success()).run();

    assertThat(result.reason()).isEqualTo(StopReason.COMPLETED);
    assertThat(returns()).singleElement().asString().endsWith("attempt 1 of 5 failed");
    assertThat(session.iterations().list())
        .filteredOn(iteration -> iteration.returned() != null)
        .hasSize(1);
  }

  @Test
  void refusedCompletion_blocksAtLimit() {
    LoopResult result = refusedOnce(AgentResult.success()).maxAttempts(1).run();

    assertThat(result.reason()).isEqualTo(StopReason.TASKS_BLOCKED);
    assertThat(session.tasks().get("t1").isOutOfAttempts()).isTrue();
  }

  @Test
  void refusedCompletionOfRateLimited_isNotCounted() {
    LoopResult result = refusedOnce(AgentResult.rateLimited("limit", Duration.ZERO)).run();

    assertThat(result.reason()).isEqualTo(StopReason.COMPLETED);
    assertThat(returns()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"kill -KILL $$", "kill -TERM $$"})
  void refusedCompletionOfKilled_isNotCounted(String script) {
    LoopResult result = refusedOnce(CommandAgent.of("sh", "-c", script)).maxAttempts(1).run();

    assertThat(result.reason()).isEqualTo(StopReason.COMPLETED);
    assertThat(returns()).isEmpty();
  }

  @ParameterizedTest
  @EnumSource(
      value = AgentResult.Cause.class,
      names = {"MODEL_ERROR", "HUNG"})
  void refusedCompletionOfInterrupted_isNotCounted(AgentResult.Cause cause) {
    LoopResult result =
        refusedOnce(AgentResult.failure("broke off").cause(cause)).maxAttempts(1).run();

    assertThat(result.reason()).isEqualTo(StopReason.COMPLETED);
    assertThat(returns()).isEmpty();
  }

  @Test
  void refusedCompletionOfFailedAgent_isCounted() {
    LoopResult result = refusedOnce(CommandAgent.of("sh", "-c", "exit 255")).maxAttempts(1).run();

    assertThat(result.reason()).isEqualTo(StopReason.TASKS_BLOCKED);
  }

  @Test
  void fullDisk_isNotCounted() throws Exception {
    Path full = Files.createFile(folder.resolve(".git/full"));
    git(folder, "config", "filter.full.required", "true");
    git(folder, "config", "filter.full.smudge", "cat");
    git(
        folder,
        "config",
        "filter.full.clean",
        "test ! -e '" + full + "' && cat || { echo No space left on device >&2; exit 1; }");
    Files.writeString(folder.resolve(".git/info/attributes"), "new.txt filter=full\n");
    session.tasks().add("one");
    AtomicInteger turns = new AtomicInteger();

    LoopResult result =
        several(
                2,
                turn -> {
                  write(turn, "new.txt", "try " + turns.incrementAndGet() + "\n");
                  return complete(turn);
                })
            .onEvent(
                event -> {
                  if (event.type() == LoopEvent.Type.SENT_BACK) {
                    boolean unused = full.toFile().delete();
                  }
                })
            .maxAttempts(1)
            .run();

    assertThat(result.reason()).as(result + "" + events).isEqualTo(StopReason.COMPLETED);
    assertThat(returns()).singleElement().asString().endsWith("not counted as an attempt");
    assertThat(session.tasks().get("t1").attempts()).isZero();
  }

  @Test
  @Tag("slow")
  void sixteenTasksOnSameFile_areAllMerged() {
    for (int i = 0; i < 16; i++) {
      session.tasks().add("task");
    }

    LoopResult result =
        several(8, LoopAttemptsTest::addLine).maxFailures(100).maxIterations(0).run();

    assertThat(result.reason()).isEqualTo(StopReason.COMPLETED);
    assertThat(session.tasks().list()).allMatch(Task::isSettled).hasSize(16);
    assertThat(returns()).noneMatch(text -> text.contains("blocked"));
  }

  /** Adds a line to the shared file, and merges until the completion is accepted. */
  private static AgentResult addLine(Turn turn) throws Exception {
    String line = "task " + given(turn).number() + "\n";
    for (int tries = 1; ; tries++) {
      Git there = new Git(turn.directory(), Duration.ofMinutes(1));
      Path file = turn.directory().resolve("all.txt");
      String text =
          there.run("merge", "--quiet", "ralph/s").isGood()
              ? Files.readString(file)
              : git(turn.directory(), "show", "ralph/s:all.txt") + "\n";
      Files.writeString(file, text.contains(line) ? text : text.replace("last\n", line + "last\n"));
      git(turn.directory(), "add", "--all");
      there.run("commit", "--quiet", "-m", "work");
      try {
        return complete(turn);
      } catch (RalphException refused) {
        if (tries == 20) {
          throw refused;
        }
      }
    }
  }
}
