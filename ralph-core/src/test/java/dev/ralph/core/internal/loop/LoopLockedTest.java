package dev.ralph.core.internal.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ralph.Agent;
import dev.ralph.AgentResult;
import dev.ralph.Iteration;
import dev.ralph.LoopResult;
import dev.ralph.StopReason;
import dev.ralph.Task;
import dev.ralph.Turn;
import dev.ralph.core.internal.branch.WorkBranch;
import dev.ralph.core.internal.process.CommandResult;
import dev.ralph.core.internal.process.Git;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Several agents in a repository in which a killed git left lock files. */
@Timeout(300)
class LoopLockedTest extends LoopFixture {

  private Path repository;

  @BeforeEach
  void repository() throws Exception {
    repository = folder.toRealPath();
    git(repository, "init", "--quiet", "-b", "main");
    git(repository, "config", "user.name", "Somebody");
    git(repository, "config", "user.email", "somebody@example.org");
    Files.writeString(repository.resolve("a.txt"), "first\n");
    git(repository, "add", ".");
    git(repository, "commit", "--quiet", "-m", "begin");
  }

  private static String git(Path where, String... arguments) throws InterruptedException {
    CommandResult answer = new Git(where, Duration.ofMinutes(2)).run(arguments);
    assertThat(answer.isGood()).as(String.join(" ", arguments) + ": " + answer.why()).isTrue();
    return answer.line();
  }

  private LoopResult run(Agent agent) {
    return loop(agent).agents(2).doneWhen(now -> !now.tasks().list().isEmpty()).run();
  }

  private static AgentResult complete(Turn turn) throws Exception {
    Iteration iteration = turn.session().iterations().running(turn.agent()).orElseThrow();
    Task task = turn.session().tasks().get(String.valueOf(iteration.task()));
    Files.writeString(turn.directory().resolve("t" + task.number() + ".txt"), "done\n");
    turn.session().tasks().complete(task.id());
    return AgentResult.success();
  }

  private Path lock(String name) throws Exception {
    Path lock = repository.resolve(".git").resolve(name);
    Files.createDirectories(lock.getParent());
    Files.writeString(lock, "");
    return Files.setLastModifiedTime(lock, FileTime.from(Instant.now().minusSeconds(60)));
  }

  @Test
  void lockInUserRepository_endsLoopAndLosesNothing() throws Exception {
    session.tasks().add("one");
    session.tasks().add("two");
    Path lock = lock("packed-refs.lock");

    LoopResult locked = run(LoopLockedTest::complete);

    assertThat(locked.reason()).isEqualTo(StopReason.REPOSITORY_LOCKED);
    assertThat(locked.detail())
        .startsWith("packed-refs.lock is held (")
        .endsWith("Remove " + lock + " if no git process runs.");
    assertThat(lock).exists();
    Files.delete(lock);
    LoopResult result = run(LoopLockedTest::complete);
    assertThat(result.reason()).isEqualTo(StopReason.COMPLETED);
    assertThat(WorkBranch.of(repository, "s").merge()).isTrue();
    assertThat(repository.resolve("t1.txt")).hasContent("done\n");
    assertThat(repository.resolve("t2.txt")).hasContent("done\n");
  }

  @Test
  void releasedLock_isWaitedFor() throws Exception {
    session.tasks().add("one");
    Path lock = lock("packed-refs.lock");

    LoopResult result =
        run(
            turn -> {
              AgentResult ended = complete(turn);
              Thread release =
                  new Thread(
                      () -> {
                        try {
                          Thread.sleep(1_000);
                          Files.deleteIfExists(lock);
                        } catch (Exception e) {
                          throw new IllegalStateException(e);
                        }
                      });
              release.setDaemon(true);
              release.start();
              return ended;
            });

    assertThat(result.reason()).isEqualTo(StopReason.COMPLETED);
  }

  @Test
  void lockOfAgentsOwnWorkTree_isRemoved() throws Exception {
    session.tasks().add("one");

    LoopResult result =
        run(
            turn -> {
              lock("worktrees/" + turn.directory().getFileName() + "/index.lock");
              lock("worktrees/" + turn.directory().getFileName() + "/HEAD.lock");
              lock("refs/heads/ralph/s.lock");
              return complete(turn);
            });

    assertThat(result.reason()).isEqualTo(StopReason.COMPLETED);
    assertThat(git(repository, "show", "ralph/s:t1.txt")).isEqualTo("done");
  }

  @Test
  void folderInPlaceOfLock_isNamedByMerge() throws Exception {
    session.tasks().add("one");
    run(LoopLockedTest::complete);
    Path lock = Files.createDirectories(repository.resolve(".git/index.lock/kept"));
    WorkBranch branch = WorkBranch.of(repository, "s");

    assertThatThrownBy(branch::merge)
        .hasMessageStartingWith("index.lock is held (git merge in " + repository + ")")
        .hasMessageContaining("Remove " + lock.getParent());

    assertThat(lock).exists();
    assertThat(git(repository, "log", "--format=%s", "main")).isEqualTo("begin");
  }
}
