package dev.ralph.core.internal.workspace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ralph.AgentResult;
import dev.ralph.Loop;
import dev.ralph.LoopEvent;
import dev.ralph.LoopResult;
import dev.ralph.Ralph;
import dev.ralph.Session;
import dev.ralph.StopReason;
import dev.ralph.Task;
import dev.ralph.core.Worktree;
import dev.ralph.core.internal.branch.WorkBranch;
import dev.ralph.core.internal.git.GitTrees;
import dev.ralph.core.internal.git.RepositoryWatch;
import dev.ralph.core.internal.process.CommandResult;
import dev.ralph.core.internal.process.Git;
import dev.ralph.core.internal.process.ProcessSpec;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Agents that hide their work from Git, or change the repository by other means than commits.
 * Afterwards the work is in a commit of the session's branch, and the user's repository still
 * works.
 */
@Timeout(300)
class GitSabotageTest {

  /** The action of the agent besides writing the file {@code w}. */
  private enum Sabotage {
    NO_UNTRACKED("git config status.showUntrackedFiles no", "status.showuntrackedfiles"),
    IGNORES_ALL("echo '*' > .gitignore", "ignore rules of an agent"),
    IGNORES_IN_INFO("echo w >> \"$(git rev-parse --git-path info/exclude)\"", "info/exclude"),
    IGNORES_IN_INFO_WITHOUT_RECORD(
        "echo w >> \"$(git rev-parse --git-path info/exclude)\""
            + " && rm -r \"$(git rev-parse --git-common-dir)/ralph\"",
        "info/exclude"),
    IGNORES_BY_SETTING(
        "echo w > ../mine && git config core.excludesFile \"$PWD/../mine\"", "core.excludesfile"),
    SKIP_WORKTREE("git update-index --skip-worktree a.txt && echo w > a.txt", ""),
    ASSUME_UNCHANGED("git update-index --assume-unchanged a.txt && echo w > a.txt", ""),
    FSMONITOR("git config core.fsmonitor true", "core.fsmonitor"),
    BARE("git config core.bare true", "core.bare"),
    WORK_TREE("git config core.worktree /nowhere", "core.worktree"),
    HOOKS_PATH("git config core.hooksPath /nowhere", "core.hookspath"),
    EXTENSION(
        "git config core.repositoryFormatVersion 1 && git config extensions.unknown 1",
        "extensions.unknown"),
    INCLUDE("git config include.path /nowhere", "include.path"),
    DAMAGED_CONFIG("echo '[broken' >> \"$(git rev-parse --git-common-dir)/config\"", "config"),
    LOST_CONFIG("rm \"$(git rev-parse --git-common-dir)/config\"", "config"),
    HOOK("echo 'exit 1' > \"$(git rev-parse --git-common-dir)/hooks/pre-push\"", "hooks/pre-push"),
    REPLACED("git replace HEAD $(git commit-tree -m x 'HEAD^{tree}')", "replace references"),
    SIGNATURES("git config merge.verifySignatures true", "merge.verifysignatures");

    private final String script;
    private final String notice;

    Sabotage(String script, String notice) {
      this.script = script;
      this.notice = notice;
    }
  }

  @TempDir Path folder;
  private TestRepository repository;
  private final List<String> notices = Collections.synchronizedList(new ArrayList<>());

  @BeforeEach
  void repository() throws Exception {
    repository = TestRepository.in(folder.toRealPath().resolve("a repo"));
    repository.git("checkout", "--quiet", "a.txt");
  }

  private void run(Sabotage sabotage, UnaryOperator<Loop.Builder> settings) {
    try (Ralph ralph = Ralph.inMemory()) {
      Session session = ralph.session("goal");
      Task task = session.tasks().add("one");
      Loop.Builder loop =
          session
              .loop(
                  turn -> {
                    shell(turn.directory(), sabotage.script + "\necho w > w");
                    session.tasks().complete(task.id());
                    return AgentResult.success();
                  })
              .maxIterations(3)
              .doneWhen(now -> true)
              .onEvent(
                  event -> {
                    if (event.type() == LoopEvent.Type.NOTICE) {
                      notices.add(event.message());
                    }
                  });
      LoopResult result = settings.apply(loop).run();
      assertThat(result.reason()).as(result + " " + notices).isEqualTo(StopReason.COMPLETED);
      assertThat(result.iterations()).as(String.valueOf(notices)).isEqualTo(1);
    }
  }

  private static String shell(Path directory, String script) throws InterruptedException {
    CommandResult answer =
        ProcessSpec.command("sh", "-ec", script)
            .directory(directory)
            .run(Duration.ofMinutes(2), Duration.ofSeconds(5), 10_000);
    assertThat(answer.isGood()).as(answer.why()).isTrue();
    return answer.output();
  }

  private void requireUsersRepository(Sabotage sabotage) throws Exception {
    assertThat(String.join("\n", notices)).contains(sabotage.notice);
    String status = "git --no-replace-objects status --porcelain";
    assertThat(shell(repository.root(), status)).isEmpty();
    assertThat(repository.git("config", "core.bare")).isEqualTo("false");
  }

  @ParameterizedTest
  @EnumSource(Sabotage.class)
  void severalAgents_loseNothing(Sabotage sabotage) throws Exception {
    run(sabotage, loop -> loop.directory(repository.root()).agents(2));
    requireUsersRepository(sabotage);
    assertThat(repository.git("show", "ralph/goal:w")).isEqualTo("w");
    assertThatThrownBy(() -> WorkBranch.of(repository.root(), "goal").discard(false))
        .hasMessageContaining("1 commit");
    assertThat(WorkBranch.of(repository.root(), "goal").merge()).isTrue();
    assertThat(repository.root().resolve("w")).hasContent("w");
  }

  @ParameterizedTest
  @EnumSource(Sabotage.class)
  void workTree_losesNothing(Sabotage sabotage) throws Exception {
    Worktree tree = Worktree.open(repository.root(), "goal");
    run(sabotage, loop -> loop.directory(tree.folder()));
    Worktree again = Worktree.open(repository.root(), "goal");
    assertThatThrownBy(() -> WorkBranch.of(repository.root(), "goal").discard(false))
        .hasMessageContaining("changed file");
    assertThat(tree.commit("work")).isPresent();
    assertThat(again.commit("nothing more")).isEmpty();
    notices.addAll(tree.notices());
    requireUsersRepository(sabotage);
    assertThat(repository.git("show", "ralph/goal:w")).isEqualTo("w");
  }

  @Test
  void unchangedRepository_hasNoNotice() throws Exception {
    Path common = repository.root().resolve(".git");
    try (RepositoryWatch watch = RepositoryWatch.begin(common, "goal")) {
      repository.git("commit", "--quiet", "--allow-empty", "-m", "more");
      assertThat(watch.compare()).isEmpty();
      repository.git("config", "x.y", "z");
      assertThat(watch.compare()).singleElement().asString().contains(": x.y;");
      assertThat(watch.compare()).isEmpty();
    }
  }

  @Test
  void ruleOfEarlierRun_isNoRuleOfTheUser() throws Exception {
    run(Sabotage.IGNORES_IN_INFO, loop -> loop.directory(repository.root()).agents(2));
    Files.writeString(repository.root().resolve("w"), "user's\n");
    assertThat(GitTrees.changed(new Git(repository.root(), Duration.ofMinutes(2)))).isEqualTo(1);
  }
}
