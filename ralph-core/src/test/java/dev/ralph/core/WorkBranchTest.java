package dev.ralph.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ralph.Redactor;
import dev.ralph.Verdict;
import dev.ralph.core.internal.branch.WorkBranch;
import dev.ralph.core.internal.process.CommandResult;
import dev.ralph.core.internal.process.Git;
import dev.ralph.core.internal.process.ProcessMark;
import dev.ralph.core.internal.workspace.GitWorkspaces;
import dev.ralph.core.internal.workspace.WorkspaceSettings;
import dev.ralph.core.internal.workspace.Workspaces;
import dev.ralph.core.internal.workspace.Workspaces.Piece;
import dev.ralph.core.internal.workspace.Workspaces.Workspace;
import dev.ralph.log.ContendedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The branches and work trees of several agents after their run. */
@Timeout(300)
class WorkBranchTest {

  @TempDir Path folder;
  private Path repository;

  @BeforeEach
  void repository() throws Exception {
    repository = Files.createDirectories(folder.toRealPath().resolve("a repo"));
    git("init", "--quiet", "-b", "main");
    git("config", "user.name", "Somebody");
    git("config", "user.email", "somebody@example.org");
    git("commit", "--quiet", "--allow-empty", "-m", "first");
  }

  private String git(String... arguments) throws InterruptedException {
    CommandResult answer = new Git(repository, Duration.ofMinutes(2)).run(arguments);
    assertThat(answer.isGood()).as(String.join(" ", arguments) + ": " + answer.why()).isTrue();
    return answer.line();
  }

  private static Workspace work(Workspaces workspaces, int number) throws Exception {
    Workspace workspace = workspaces.enter(number, number, "id" + number);
    Files.writeString(workspace.directory().resolve("f" + number), "f\n");
    return workspace;
  }

  @Test
  void unmergedWork_isListedAndDiscardedOnlyByForce() throws Exception {
    try (Workspaces workspaces = workspaces()) {
      workspaces.open();
      workspaces.keep(work(workspaces, 1), "one");
      workspaces.keep(work(workspaces, 2), "two");
      work(workspaces, 3);
      Piece piece = new Piece("id1", "token", "ralph/goal.t1", "Do 1");
      workspaces.merge(List.of(piece), at -> Verdict.passed(), each -> true);
    }
    git("branch", "ralph/goal.t3-left-1", "ralph/goal.t2");

    WorkBranch branch = WorkBranch.list(repository).get(0);

    assertThat(branch.name()).isEqualTo("goal");
    assertThat(branch.commits()).isEqualTo(1);
    assertThat(branch.changed()).isEqualTo(1);
    assertThat(branch.tasks()).containsExactly("ralph/goal.t2");
    assertThat(branch.setAside()).containsExactly("ralph/goal.t3-left-1");
    assertThat(branch.diff()).contains("f1").doesNotContain("f2");
    assertThatThrownBy(() -> branch.discard(false))
        .hasMessageContaining("1 commit, 1 changed file, unmerged work on ralph/goal.t2");
    assertThat(branch.merge()).isTrue();
    assertThat(repository.resolve("f1")).exists();

    branch.discard(true);

    assertThat(git("for-each-ref", "--format=%(refname)")).isEqualTo("refs/heads/main");
    assertThat(git("worktree", "list").lines()).hasSize(1);
    assertThat(repository.resolve(".ralph/worktrees").toFile().list())
        .containsExactly(".gitignore");
    assertThat(WorkBranch.list(repository)).isEmpty();
  }

  @Test
  void branchInUse_isNotDiscarded() throws Exception {
    WorkBranch read;
    try (Workspaces workspaces = workspaces()) {
      workspaces.open();
      read = WorkBranch.of(repository, "goal");
      assertThat(read.unsaved()).isEmpty();
      work(workspaces, 1);

      assertThatThrownBy(() -> read.discard(true))
          .isInstanceOf(ContendedException.class)
          .hasMessageContaining("ralph/goal is in use by this process");
      try (Workspaces others = workspaces()) {
        assertThatThrownBy(others::open).hasMessageContaining("ralph/goal is in use");
      }
    }
    assertThatThrownBy(() -> read.discard(false)).hasMessageContaining("lose: 1 changed file");
    assertThat(repository.resolve(".ralph/worktrees/goal.1/f1")).exists();
    read.discard(true);
    assertThat(git("for-each-ref", "--format=%(refname)")).isEqualTo("refs/heads/main");
  }

  @Test
  void ignoredFiles_doNotStopDiscard() throws Exception {
    Files.writeString(repository.resolve(".gitignore"), "built/\n");
    git("add", ".gitignore");
    git("commit", "--quiet", "-m", "rules");
    Path tree;
    try (Workspaces workspaces = workspaces()) {
      workspaces.open();
      tree = workspaces.enter(1, 1, "id1").directory();
    }
    Files.writeString(Files.createDirectories(tree.resolve("built/x")).resolve("y"), "y\n");
    Files.writeString(Files.createDirectories(tree.resolve("venv")).resolve(".gitignore"), "*\n");
    WorkBranch hidden = WorkBranch.of(repository, "goal");
    assertThatThrownBy(() -> hidden.discard(false)).hasMessageContaining("lose: 1 changed file");
    Files.delete(tree.resolve("venv/.gitignore"));

    WorkBranch branch = WorkBranch.of(repository, "goal");

    assertThat(branch.unsaved()).isEmpty();
    assertThat(branch.ignored()).containsExactly(tree.resolve("built"));
    branch.discard(false);
    assertThat(tree).doesNotExist();
  }

  @Test
  void mergedWork_isDiscardedWithoutForce() throws Exception {
    try (Workspaces workspaces = workspaces()) {
      workspaces.open();
      workspaces.keep(work(workspaces, 1), "one");
      workspaces.keep(work(workspaces, 2), "two");
      List<Piece> pieces =
          List.of(
              new Piece("id1", "token1", "ralph/goal.t1", "Do 1"),
              new Piece("id2", "token2", "ralph/goal.t2", "Do 2"));
      workspaces.merge(pieces, at -> Verdict.passed(), each -> true);
      workspaces.forget(number -> true);
    }
    WorkBranch branch = WorkBranch.of(repository, "goal");
    branch.merge();

    assertThat(WorkBranch.of(repository, "goal").unsaved()).isEmpty();
    branch.discard(false);
    assertThat(git("for-each-ref", "--format=%(refname)")).isEqualTo("refs/heads/main");
  }

  @Test
  void commitOnNoBranch_stopsDiscard() throws Exception {
    Path tree;
    try (Workspaces workspaces = workspaces()) {
      workspaces.open();
      tree = workspaces.enter(1, 1, "id1").directory();
    }
    Git there = new Git(tree, Duration.ofMinutes(2));
    assertThat(there.run("checkout", "--quiet", "--detach").isGood()).isTrue();
    assertThat(there.run("commit", "--quiet", "--allow-empty", "-m", "loose").isGood()).isTrue();
    WorkBranch branch = WorkBranch.of(repository, "goal");
    assertThatThrownBy(() -> branch.discard(false)).hasMessageContaining("1 commit on no branch");
  }

  @Test
  void untrackedFileBelowRalph_isNamedByDiscard() throws Exception {
    Worktree tree = Worktree.open(repository, "goal");
    Path plan = tree.root().resolve(".ralph/plan.md");
    Files.createDirectories(plan.getParent());
    Files.writeString(plan, "plan\n");

    WorkBranch branch = WorkBranch.of(repository, "goal");

    assertThat(branch.changed()).isZero();
    assertThat(branch.ignored()).containsExactly(plan);
  }

  @Test
  void commitLeftOnNoBranch_stopsDiscard() throws Exception {
    Worktree tree = Worktree.open(repository, "goal");
    Git there = new Git(tree.root(), Duration.ofMinutes(2));
    assertThat(there.run("checkout", "--quiet", "--detach").isGood()).isTrue();
    Files.writeString(tree.root().resolve("left.txt"), "left\n");
    assertThat(there.run("add", "left.txt").isGood()).isTrue();
    assertThat(there.run("commit", "--quiet", "-m", "left").isGood()).isTrue();
    assertThat(there.run("checkout", "--quiet", tree.branch()).isGood()).isTrue();

    WorkBranch branch = WorkBranch.of(repository, "goal");

    assertThatThrownBy(() -> branch.discard(false)).hasMessageContaining("1 commit on no branch");
    assertThat(Worktree.open(repository, "goal").notices())
        .anyMatch(text -> text.contains("kept on ralph/goal.t0-left-1"));
    assertThatThrownBy(() -> branch.discard(false)).hasMessageContaining("ralph/goal.t0-left-1");
  }

  private Workspaces workspaces() throws Exception {
    return new GitWorkspaces(
        repository, "goal", WorkspaceSettings.NONE, ProcessMark.unique(), Redactor.none());
  }
}
