package dev.ralph.core.internal.workspace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ralph.Redactor;
import dev.ralph.Verdict;
import dev.ralph.core.BranchMerger.Status;
import dev.ralph.core.internal.branch.WorkBranch;
import dev.ralph.core.internal.process.ProcessMark;
import dev.ralph.core.internal.process.ProcessSpec;
import dev.ralph.core.internal.workspace.Workspaces.Piece;
import dev.ralph.core.internal.workspace.Workspaces.Workspace;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Agents leave their folders in various states, and no work is lost. */
@Timeout(300)
class LeftBehindTest {

  private static final String COMMIT = "git add . && git commit -qm own && ";

  /** The script of an agent, and whether its work is kept beside the task's branch. */
  private enum Left {
    DETACHED_HEAD("git checkout -q --detach && echo 1 > w && " + COMMIT + "echo 2 >> w"),
    OWN_BRANCH("git checkout -q -b mine && echo 1 > w && " + COMMIT + "echo 2 >> w"),
    RENAMED_BRANCH("echo 1 > w && " + COMMIT + "git branch -m mine && echo 2 >> w"),
    DELETED_BRANCH(
        "echo 1 > w && " + COMMIT + "git update-ref -d refs/heads/ralph/goal.t1 && echo 2 >> w"),
    SESSIONS_BRANCH("git checkout -q ralph/goal && echo 1 > w && " + COMMIT + "echo 2 >> w"),
    LOST_GIT_FILE("echo 1 > w && " + COMMIT + "echo 2 >> w && rm .git"),
    OLD_LOCK(
        "echo 1 > w && echo 2 >> w && touch -d '1 minute ago' $(git rev-parse --git-dir)/index.lock"),
    OWN_REPOSITORY("rm -rf .git && git init -q && printf '1\n2\n' > w"),
    OWN_LINK_TO_GIT("rm .git && git init -q --separate-git-dir ../own && printf '1\n2\n' > w"),
    RESOLVED_MERGE(
        "echo 1 > w && echo mine > a.txt && "
            + COMMIT
            + "git merge ralph/goal; printf '1\n2\n' > w"),
    PICKED("git cherry-pick -n ralph/goal && printf '1\n2\n' > w"),
    ORPHAN(true, "git checkout -q --orphan lost && printf '1\n2\n' > w"),
    OTHER_HISTORY(
        true,
        "git checkout -q --detach $(git commit-tree HEAD^{tree} -m x) && printf '1\n2\n' > w"),
    CONFLICT_IN_MERGE(
        true, "echo mine > w && " + COMMIT + "git merge ralph/goal; printf '1\n2\n' > w.more"),
    CONFLICT_IN_REBASE(
        true, "echo mine > w && " + COMMIT + "git rebase ralph/goal; printf '1\n2\n' > w.more"),
    CONFLICT_IN_PICK(
        true,
        "echo mine > w && " + COMMIT + "git cherry-pick ralph/goal; printf '1\n2\n' > w.more"),
    CONFLICT_OF_BINARIES(
        true,
        "printf 'm\\000' > bin && " + COMMIT + "git merge ralph/goal; printf '1\n2\n' > w.more");

    private final boolean isBeside;
    private final String script;

    Left(String script) {
      this(false, script);
    }

    Left(boolean isBeside, String script) {
      this.isBeside = isBeside;
      this.script = script;
    }
  }

  @TempDir Path folder;
  private TestRepository repository;
  private Workspaces workspaces;

  @BeforeEach
  void repository() throws Exception {
    repository = TestRepository.in(folder.toRealPath().resolve("a repo"));
    workspaces = open();
  }

  private Workspaces open() throws Exception {
    Workspaces made =
        new GitWorkspaces(
            repository.root(),
            "goal",
            WorkspaceSettings.NONE,
            ProcessMark.unique(),
            Redactor.none());
    made.open();
    made.notices();
    return made;
  }

  @AfterEach
  void close() {
    workspaces.close();
  }

  private static void run(Workspace workspace, String script) throws Exception {
    ProcessSpec.command("sh", "-c", script)
        .directory(workspace.directory())
        .run(Duration.ofMinutes(2), Duration.ofSeconds(5), 10_000);
  }

  private List<Status> merge(int number) throws Exception {
    Piece piece =
        new Piece("id" + number, "token" + number, "ralph/goal.t" + number, "Do " + number);
    return workspaces.merge(List.of(piece), at -> Verdict.passed(), each -> true).stream()
        .map(fate -> fate.result().status())
        .toList();
  }

  private void landAnother(String script) throws Exception {
    Workspace other = workspaces.enter(2, 2, "id2");
    run(other, script);
    workspaces.keep(other, "other");
    assertThat(merge(2)).containsExactly(Status.MERGED);
  }

  @ParameterizedTest
  @EnumSource(Left.class)
  void leftWork_isKept(Left left) throws Exception {
    Workspace workspace = workspaces.enter(1, 1, "id1");
    boolean withW = left.name().startsWith("CONFLICT") && left != Left.CONFLICT_OF_BINARIES;
    landAnother("printf 'o\\000' > bin && " + (withW ? "echo other > w" : "echo o > other.txt"));
    run(workspace, left.script);

    if (left.isBeside) {
      assertThatThrownBy(() -> workspaces.keep(workspace, "kept"))
          .hasMessageContaining("ralph/goal.t1-left-1");
    } else {
      workspaces.keep(workspace, "kept");
    }

    String kept = left.isBeside ? "ralph/goal.t1-left-1" : "ralph/goal.t1";
    String file = left.name().startsWith("CONFLICT") ? "w.more" : "w";
    assertThat(repository.git("show", kept + ":" + file)).isEqualTo("1\n2");
    assertThat(TestRepository.git(workspace.directory(), "status", "--porcelain")).isEmpty();
    assertThat(TestRepository.git(workspace.directory(), "symbolic-ref", "HEAD"))
        .isEqualTo("refs/heads/ralph/goal.t1");
    if (left.isBeside) {
      assertThat(workspaces.notices()).singleElement().asString().contains(kept);
    }
    assertThat(repository.git("log", "--format=%s", "ralph/goal.t1")).endsWith("first");
    Status expected =
        left.name().startsWith("CONFLICT")
            ? Status.CONFLICT
            : left.isBeside ? Status.NOTHING : Status.MERGED;
    assertThat(merge(1)).containsExactly(expected);
    assertThat(repository.git("log", "--first-parent", "--format=%s", "ralph/goal"))
        .isEqualTo((expected == Status.MERGED ? "Do 1\n" : "") + "Do 2\nfirst");
    assertThat(repository.git("show", "ralph/goal:bin")).startsWith("o");
    assertThat(repository.git("status", "--porcelain")).isEqualTo("M a.txt");
  }

  @Test
  void deletedFolder_isCreatedAgainWithItsCommits() throws Exception {
    Workspace workspace = workspaces.enter(1, 1, "id1");
    run(workspace, "echo w > w && " + COMMIT + "rm -rf ../goal.1");
    workspaces.keep(workspace, "kept");
    assertThat(workspaces.notices()).singleElement().asString().contains("goal.1 was deleted");
    Workspace again = workspaces.enter(1, 1, "id1");
    assertThat(again.isTakenUp()).isTrue();
    assertThat(again.directory().resolve("w")).exists();
  }

  @Test
  void unkeepableWork_isReportedAndMovedAside() throws Exception {
    Workspace workspace = workspaces.enter(1, 1, "id1");
    run(workspace, "git init -q nested && echo w > nested/w");
    assertThatThrownBy(() -> workspaces.keep(workspace, "kept"))
        .hasMessageContaining("nested is a Git repository of its own");
    Workspace next = workspaces.enter(1, 3, "id3");
    assertThat(next.directory().resolve("nested")).doesNotExist();
    Path aside = repository.root().resolve(".ralph/worktrees/goal.1-left-1");
    assertThat(aside.resolve("nested/w")).exists();
    assertThat(workspaces.notices()).singleElement().asString().contains(aside.toString());
    assertThat(WorkBranch.of(repository.root(), "goal").changed()).isEqualTo(1);
    assertThat(workspaces.enter(2, 1, "id1").isTakenUp()).as("no work on its branch").isFalse();

    run(next, "echo w > w && rm -r '" + repository.root() + "/.git/worktrees/goal.1'*");
    workspaces.close();
    workspaces = open();
    assertThat(repository.root().resolve(".ralph/worktrees/goal.1-left-2/w")).exists();
  }

  @Test
  void movedOrDeletedBranch_isRestored() throws Exception {
    landAnother("echo o > other.txt");
    String merged = repository.git("rev-parse", "ralph/goal");
    repository.git("branch", "-D", "ralph/goal");
    assertThat(workspaces.check(at -> Verdict.passed(), () -> {}).isPassed()).isTrue();
    assertThat(workspaces.notices()).singleElement().asString().contains("was deleted");
    String theirs = repository.git("commit-tree", "main^{tree}", "-p", "main", "-m", "theirs");
    repository.git("update-ref", "refs/heads/ralph/goal", theirs);
    assertThat(workspaces.check(at -> Verdict.passed(), () -> {}).isPassed()).isTrue();
    assertThat(workspaces.notices()).singleElement().asString().contains("kept on ralph/goal.t0");
    assertThat(repository.git("rev-parse", "ralph/goal")).isEqualTo(merged);
    assertThat(repository.git("rev-parse", "ralph/goal.t0-left-1")).isEqualTo(theirs);

    workspaces.close();
    repository.git("update-ref", "refs/heads/ralph/goal", theirs);
    assertThatThrownBy(this::open)
        .hasMessageContaining("no longer contains the merged work")
        .hasMessageContaining("git branch -f ralph/goal " + merged);
    repository.git("update-ref", "refs/ralph/goal/accepted", "ralph/goal");
    workspaces = open();
  }

  @Test
  void branchOfEarlierSession_isMovedAside() throws Exception {
    Workspace workspace = workspaces.enter(1, 1, "id1");
    run(workspace, "echo w > w");
    workspaces.keep(workspace, "kept");
    assertThat(workspaces.enter(2, 1, "another").isTakenUp()).isFalse();
    assertThat(workspaces.notices()).singleElement().asString().contains("ralph/goal.t1-left-1");
    assertThat(repository.git("show", "ralph/goal.t1-left-1:w")).isEqualTo("w");
  }

  @Test
  void lateWorkOfFirstAgent_isMovedAside() throws Exception {
    Workspace first = workspaces.enter(1, 1, "id1");
    run(first, "echo 1 > w");
    workspaces.keep(first, "kept");
    Workspace second = workspaces.enter(2, 1, "id1");
    run(first, "echo late > late"); // written by a process that outlived its agent
    run(second, "echo 2 >> w");
    String tip = repository.git("rev-parse", "ralph/goal.t1");

    Workspace next = workspaces.enter(1, 3, "id3");

    assertThat(next.directory().resolve("late")).doesNotExist();
    assertThat(repository.git("show", "ralph/goal.t1-left-1:late")).isEqualTo("late");
    assertThat(repository.git("rev-parse", "ralph/goal.t1")).isEqualTo(tip);
    workspaces.keep(second, "kept");
    assertThat(repository.git("show", "ralph/goal.t1:w")).isEqualTo("1\n2");
    workspaces.notices();
    assertThat(workspaces.enter(2, 4, "id4").isTakenUp()).isFalse();
    assertThat(workspaces.enter(1, 1, "id1").isTakenUp()).isTrue();
    assertThat(workspaces.notices()).isEmpty();
  }

  @Test
  void filesOutsideSparseCheckout_areKeptAndMerged() throws Exception {
    repository.git("stash", "--quiet");
    repository.git("sparse-checkout", "set", "elsewhere");
    Workspace workspace = workspaces.enter(1, 1, "id1");
    assertThat(workspace.directory().resolve("sub")).doesNotExist();
    run(workspace, "mkdir outside && echo w > outside/w");
    workspaces.keep(workspace, "kept");
    assertThat(merge(1)).containsExactly(Status.MERGED);
    assertThat(repository.git("ls-tree", "-r", "--name-only", "ralph/goal"))
        .isEqualTo(".gitignore\na.txt\noutside/w\nsub/b.txt");
  }
}
