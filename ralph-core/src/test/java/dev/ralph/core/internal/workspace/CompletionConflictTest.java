package dev.ralph.core.internal.workspace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ralph.AgentResult;
import dev.ralph.Iteration;
import dev.ralph.LoopResult;
import dev.ralph.NewTask;
import dev.ralph.Ralph;
import dev.ralph.Session;
import dev.ralph.StopReason;
import dev.ralph.Task;
import dev.ralph.Turn;
import dev.ralph.core.internal.process.Git;
import dev.ralph.log.RalphException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Completing a task fails if the agent's work conflicts with the session's branch. */
@Timeout(300)
class CompletionConflictTest {

  private static final Duration PATIENCE = Duration.ofMinutes(2);

  @TempDir Path folder;
  private TestRepository repository;
  private Ralph ralph;
  private Session session;
  private final ConcurrentLinkedQueue<String> refusals = new ConcurrentLinkedQueue<>();

  @BeforeEach
  void begin() throws Exception {
    repository = TestRepository.in(folder.resolve("project"));
    ralph = Ralph.inMemory();
    session = ralph.session("s");
  }

  @AfterEach
  void end() {
    ralph.close();
  }

  private static Git git(Turn turn) {
    return new Git(turn.directory(), PATIENCE);
  }

  private Task own(Turn turn) {
    String id = session.iterations().running(turn.agent()).map(Iteration::task).orElse(null);
    return id == null ? null : session.tasks().get(id);
  }

  private static void append(Path file, String line) throws IOException {
    Files.writeString(file, Files.exists(file) ? Files.readString(file) + line : line);
  }

  /** Removes the conflict markers from a file, which keeps both sides. */
  private static void resolve(Path file) throws IOException {
    List<String> lines =
        Files.readAllLines(file).stream()
            .filter(line -> !line.matches("(<<<<<<<|=======|>>>>>>>|\\|\\|\\|\\|\\|\\|\\|).*"))
            .toList();
    Files.write(file, lines);
  }

  /** Merges the session's branch, keeping both sides. */
  private static void merge(Turn turn, String file) throws Exception {
    git(turn).run("add", "--all");
    git(turn).run("commit", "--quiet", "-m", "work");
    git(turn).run("merge", "--quiet", "ralph/s");
    resolve(turn.directory().resolve(file));
    git(turn).run("add", "--all");
    git(turn).run("commit", "--quiet", "-m", "merged");
  }

  /** Completes the agent's task. Returns false and records the message if completion is refused. */
  private boolean complete(Turn turn, Task task) {
    try {
      turn.session().tasks().complete(task.id());
      return true;
    } catch (RalphException e) {
      refusals.add(e.getMessage());
      return false;
    }
  }

  private LoopResult loop(int agents, dev.ralph.Agent agent) {
    return session
        .loop(agent)
        .agents(agents)
        .directory(repository.root())
        .maxIterations(40)
        .doneWhen(now -> true)
        .run();
  }

  /** The state of an agent's work when the agent completes its task. */
  enum Work {
    COMMITTED,
    UNCOMMITTED,
    NEW_FILE
  }

  @ParameterizedTest
  @EnumSource
  void conflictingCompletion_isRefusedInSameIteration(Work work) throws Exception {
    session.tasks().add("one");
    session.tasks().add("two");
    CountDownLatch begun = new CountDownLatch(2);
    CountDownLatch first = new CountDownLatch(1);
    String file = work == Work.NEW_FILE ? "new.txt" : "a.txt";

    LoopResult result =
        loop(
            2,
            turn -> {
              Task task = own(turn);
              if (task == null) {
                return AgentResult.success();
              }
              begun.countDown();
              assertThat(begun.await(60, TimeUnit.SECONDS)).isTrue();
              append(turn.directory().resolve(file), "line of t" + task.number() + "\n");
              if (work == Work.COMMITTED) {
                git(turn).run("commit", "--quiet", "--all", "-m", "work");
              }
              if (task.number() == 1) {
                turn.session().tasks().complete("t1");
                first.countDown();
                return AgentResult.success();
              }
              assertThat(first.await(60, TimeUnit.SECONDS)).isTrue();
              assertThat(complete(turn, task)).isFalse();
              merge(turn, file);
              assertThat(complete(turn, task)).isTrue();
              return AgentResult.success();
            });

    assertThat(result.reason()).isEqualTo(StopReason.COMPLETED);
    assertThat(result.iterations()).isEqualTo(2);
    assertThat(refusals)
        .singleElement()
        .asString()
        .startsWith("t2 is not completed: the work conflicts with ralph/s in " + file + ". ")
        .contains(work == Work.COMMITTED ? ". Run: git merge ralph/s;" : "Commit your changes")
        .contains("git merge ralph/s; resolve the conflicts")
        .contains("complete t2 again");
    assertThat(repository.git("show", "ralph/s:" + file))
        .contains("line of t1")
        .contains("line of t2")
        .doesNotContain("<<<<");
    assertThat(session.tasks().get("t2").attempts()).isZero();
    assertThat(repository.git("worktree", "list")).doesNotContain("trial");
  }

  @Test
  void refusedCompletion_isAnAttempt() throws Exception {
    session.tasks().add("one");
    session.tasks().add("two");
    CountDownLatch begun = new CountDownLatch(2);
    CountDownLatch first = new CountDownLatch(1);
    LoopResult result =
        loop(
            2,
            turn -> {
              Task task = own(turn);
              if (task == null) {
                return AgentResult.success();
              }
              begun.countDown();
              assertThat(begun.await(60, TimeUnit.SECONDS)).isTrue();
              if (task.attempts() > 0) {
                assertThat(task.reason()).contains("git merge ralph/s");
                merge(turn, "a.txt");
                assertThat(complete(turn, task)).isTrue();
                return AgentResult.success();
              }
              append(turn.directory().resolve("a.txt"), "line of t" + task.number() + "\n");
              if (task.number() == 1) {
                assertThat(complete(turn, task)).isTrue();
                first.countDown();
              } else {
                assertThat(first.await(60, TimeUnit.SECONDS)).isTrue();
                assertThat(complete(turn, task)).isFalse();
              }
              return AgentResult.success();
            });
    assertThat(result.reason()).isEqualTo(StopReason.COMPLETED);
    assertThat(result.iterations()).isEqualTo(3);
  }

  @Test
  void twelveTasksOnSameFile_needFewIterations() throws Exception {
    for (int i = 1; i <= 12; i++) {
      session.tasks().add("task " + i);
    }
    LoopResult result =
        loop(
            4,
            turn -> {
              Task task = own(turn);
              if (task == null) {
                return AgentResult.success();
              }
              append(turn.directory().resolve("a.txt"), "line of t" + task.number() + "\n");
              while (!complete(turn, task)) {
                merge(turn, "a.txt");
              }
              return AgentResult.success();
            });
    assertThat(result.reason()).isEqualTo(StopReason.COMPLETED);
    assertThat(result.iterations()).isLessThanOrEqualTo(16);
    for (int i = 1; i <= 12; i++) {
      assertThat(repository.git("show", "ralph/s:a.txt").lines()).contains("line of t" + i);
    }
  }

  @Test
  void exemptFile_isNoConflict() throws Exception {
    session.tasks().add("one");
    session.tasks().add("two");
    CountDownLatch begun = new CountDownLatch(2);
    LoopResult result =
        session
            .loop(
                turn -> {
                  Task task = own(turn);
                  if (task == null) {
                    return AgentResult.success();
                  }
                  begun.countDown();
                  assertThat(begun.await(60, TimeUnit.SECONDS)).isTrue();
                  String line = "line of t" + task.number() + "\n";
                  append(turn.directory().resolve("sub/b.txt"), line);
                  append(turn.directory().resolve("t" + task.number()), line);
                  assertThat(complete(turn, task)).isTrue();
                  return AgentResult.success();
                })
            .agents(2)
            .workspaces(
                places ->
                    places.onMerge(
                        Path.of("sub/b.txt"), (task, text) -> text + task.content() + "\n"))
            .directory(repository.root())
            .maxIterations(10)
            .doneWhen(now -> true)
            .run();
    assertThat(result.iterations()).isEqualTo(2);
    assertThat(refusals).isEmpty();
    assertThat(repository.git("show", "ralph/s:sub/b.txt")).contains("one").contains("two");
  }

  @Test
  void foreignFolders_findTheWorkTree() throws Exception {
    session.tasks().add("one");
    session.tasks().add(NewTask.of("two"));
    CountDownLatch begun = new CountDownLatch(2);
    CountDownLatch first = new CountDownLatch(1);
    AtomicBoolean wasReturned = new AtomicBoolean();
    loop(
        2,
        turn -> {
          Task task = own(turn);
          if (task == null) {
            return AgentResult.success();
          }
          begun.countDown();
          assertThat(begun.await(60, TimeUnit.SECONDS)).isTrue();
          if (wasReturned.get()) {
            merge(turn, "a.txt");
            assertThat(complete(turn, task)).isTrue();
            return AgentResult.success();
          }
          append(turn.directory().resolve("a.txt"), "line of t" + task.number() + "\n");
          if (task.number() == 1) {
            assertThat(complete(turn, task)).isTrue();
            first.countDown();
            return AgentResult.success();
          }
          Consumer<Path> refusedFrom =
              place ->
                  assertThatThrownBy(
                          () -> session.asAgent(turn.agent(), place).tasks().complete("t2"))
                      .as("%s", place)
                      .hasMessageContaining("git merge ralph/s");
          assertThat(first.await(60, TimeUnit.SECONDS)).isTrue();
          refusedFrom.accept(repository.root());
          refusedFrom.accept(repository.root().resolve("sub"));
          refusedFrom.accept(turn.directory().resolve("sub"));
          refusedFrom.accept(repository.root().resolve(".ralph/worktrees/s.1"));
          // From this folder the work tree is not found, so only the merge queue finds the
          // conflict.
          session.asAgent(turn.agent(), folder).tasks().complete("t2");
          wasReturned.set(true);
          return AgentResult.success();
        });
    assertThat(wasReturned).isTrue();
    assertThat(session.tasks().get("t2").isSettled()).isTrue();
  }
}
