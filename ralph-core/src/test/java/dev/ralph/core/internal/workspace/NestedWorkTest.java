package dev.ralph.core.internal.workspace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ralph.Redactor;
import dev.ralph.Verdict;
import dev.ralph.core.BranchMerger.Status;
import dev.ralph.core.RepositoryTemplate;
import dev.ralph.core.Worktree;
import dev.ralph.core.internal.branch.WorkBranch;
import dev.ralph.core.internal.process.CommandResult;
import dev.ralph.core.internal.process.ProcessMark;
import dev.ralph.core.internal.process.ProcessSpec;
import dev.ralph.core.internal.workspace.Workspaces.Piece;
import dev.ralph.core.internal.workspace.Workspaces.Workspace;
import dev.ralph.log.RalphException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Nested repositories, submodules, and work outside the task's branch. */
@Timeout(300)
class NestedWorkTest {

  /** Several agents with a work tree each, or one agent in the session's work tree. */
  private enum Mode {
    SEVERAL,
    ALONE
  }

  private static final String INNER =
      "git init -q inner && echo 1 > inner/f && git -C inner add . && git -C inner commit -qm i";
  private static final String FILL =
      "git -c protocol.file.allow=always submodule --quiet update --init lib";
  private static final String COMMIT = "git add . && git commit -qm own";

  /** A script that leaves work outside the commits of its branch, and the reason for its return. */
  private enum Returned {
    COMMITS(INNER, "inner is a Git repository of its own"),
    NO_COMMIT("git init -q inner && echo 1 > inner/f", "inner is a Git repository of its own"),
    OWN_LINK(INNER + " && " + COMMIT, "inner is a Git repository of its own"),
    STAGED_LINK(INNER + " && git add inner", "inner is a Git repository of its own"),
    DEEP("mkdir -p a/b && cd a/b && " + INNER, "a/b/inner is a Git repository"),
    WITHIN_ANOTHER(INNER + " && cd inner && " + INNER, "inner is a Git repository of its own"),
    WORK_TREE("git worktree add -q -b side inner && echo 1 > inner/f", "such as another work tree"),
    EMPTY_SUBMODULE("echo 1 > lib/f", "lib/f is in"),
    EMPTY_LINK("echo 1 > old/f", "old/f is in"),
    EMPTIED_SUBMODULE(FILL + " && rm lib/.git && echo 1 > lib/g", "in"),
    CHANGED_SUBMODULE(
        FILL + " && echo 2 > lib/l", "uncommitted changes; commit them in the submodule"),
    UNKNOWN_COMMIT(
        "git update-index --cacheinfo 160000,0123456789012345678901234567890123456789,lib && git commit -qm x",
        "is in no repository of this machine"),
    CHANGED_LINK(
        "rmdir old && git clone -q " + "$LIB old && git -C old commit -qm more --allow-empty",
        "old is a Git repository of its own"),
    WRONG_NAME(
        INNER
            + " && printf '[submodule \"../x\"]\\npath = inner\\nurl = x\\n' >> .gitmodules && "
            + COMMIT,
        "inner is a Git repository of its own"),
    STASH("echo 2 > a.txt && git stash -q", "stash apply"),
    NAMED_STASH("echo 2 > a.txt && git stash push -q -m more", "stash apply"),
    BRANCH(
        "B=$(git symbolic-ref --short HEAD) && git checkout -qb mine && echo 1 > w && "
            + COMMIT
            + " && git checkout -q $B",
        "on mine"),
    TAG("echo 1 > w && " + COMMIT + " && git tag mine && git reset -q --hard HEAD~", "on mine"),
    NO_BRANCH(
        "B=$(git symbolic-ref --short HEAD) && git checkout -q --detach && echo 1 > w && "
            + COMMIT
            + " && git checkout -q $B",
        "commits on"),
    CONFLICT(
        "git checkout -qb mine && echo m > a.txt && "
            + COMMIT
            + " && git checkout -q - && echo n > a.txt && "
            + COMMIT
            + "; git merge mine",
        "merge");

    private final String script;
    private final String reason;

    Returned(String script, String reason) {
      this.script = script;
      this.reason = reason;
    }
  }

  /**
   * A script whose work needs no further action, and a command that finds the work in the user's
   * folder.
   */
  private enum Kept {
    BARE("git init -q --bare inner.git", "git show BRANCH:inner.git/HEAD"),
    IGNORED("mkdir -p node_modules && cd node_modules && " + INNER, "true"),
    NEW_SUBMODULE(
        "git -c protocol.file.allow=always submodule --quiet add --name more $LIB more && git -C more commit -q --allow-empty -m c",
        "git --git-dir=.git/modules/more log -1 --format=%s $(git rev-parse BRANCH:more) | grep c"),
    NEW_COMMIT(
        FILL + " && git -C lib commit -q --allow-empty -m c",
        "git --git-dir=.git/modules/lib rev-parse refs/ralph/goal/$(git rev-parse BRANCH:lib)"),
    COMMITTED(
        FILL + " && git -C lib commit -q --allow-empty -m c && " + COMMIT,
        "git --git-dir=.git/modules/lib cat-file -e $(git rev-parse BRANCH:lib)"),
    FILLED(FILL, "git diff --quiet main BRANCH"),
    REMOVED("git rm -q lib", "! git cat-file -e BRANCH:lib"),
    MOVED(
        FILL + " && git mv lib new && git -C new commit -q --allow-empty -m c",
        "git --git-dir=.git/modules/lib cat-file -e $(git rev-parse BRANCH:new)"),
    MERGED_BRANCH(
        "B=$(git symbolic-ref --short HEAD) && git checkout -qb mine && echo 1 > w && "
            + COMMIT
            + " && git checkout -q $B && git merge -q mine",
        "git show BRANCH:w"),
    PICKED_BRANCH(
        "B=$(git symbolic-ref --short HEAD) && git checkout -qb mine && echo 1 > w && "
            + COMMIT
            + " && git checkout -q $B && git cherry-pick mine && git commit -q --amend -m other",
        "git show BRANCH:w"),
    AMENDED("echo 1 > w && " + COMMIT + " && git commit -q --amend -m other", "git show BRANCH:w"),
    POPPED("echo 1 > w && git add . && git stash -q && git stash pop -q", "git show BRANCH:w"),
    FORCED_DATA(
        "mkdir -p .ralph && echo 1 > .ralph/plan && git add -f .ralph/plan",
        "git show BRANCH:.ralph/plan"),
    CHANGED_DATA(
        "mkdir -p .ralph && echo 1 > .ralph/plan && git add -f .ralph/plan && git commit -qm p"
            + " && echo 2 > .ralph/plan",
        "git show BRANCH:.ralph/plan | grep 2"),
    UNTRACKED_DATA("mkdir -p .ralph && echo 1 > .ralph/x", "! git cat-file -e BRANCH:.ralph"),
    OWN_DATA(
        "mkdir -p .ralph/store && echo 1 > .ralph/store/x && git add -f .ralph/store/x",
        "! git cat-file -e BRANCH:.ralph"),
    USERS_STASH(
        "echo 1 > w && cd \"$USERS\" && git stash -q && git stash apply -q", "git show BRANCH:w"),
    BISECT(
        "echo 1 > w && "
            + COMMIT
            + " && git bisect start -q HEAD HEAD~ >&2; git checkout -q --detach",
        "git show BRANCH:w");

    private final String script;
    private final String found;

    Kept(String script, String found) {
      this.script = script;
      this.found = found;
    }
  }

  /** Contains the library; the repositories refer to its path. */
  @TempDir static Path shared;

  private static Path library = Path.of("library");
  private static @Nullable RepositoryTemplate template;

  @TempDir Path folder;
  private TestRepository repository;
  private @Nullable Workspaces workspaces;

  @BeforeAll
  static void library() throws Exception {
    Path top = shared.toRealPath();
    library = TestRepository.in(top.resolve("library")).root();
    NestedWorkTest test = new NestedWorkTest();
    test.sh(library, "echo 1 > l && git add . && git commit -qm l");
    Path root = TestRepository.in(top.resolve("a repo")).root();
    test.sh(
        root,
        "git checkout -q . && git -c protocol.file.allow=always submodule --quiet add $LIB lib"
            + " && git update-index --add --cacheinfo 160000,$(git -C lib rev-parse HEAD),old"
            + " && git commit -qm links && git submodule --quiet deinit --all && rm -rf .git/modules"
            + " && mkdir -p old && echo owner > a.txt");
    template = RepositoryTemplate.read(root);
  }

  @BeforeEach
  void repository() throws Exception {
    repository = new TestRepository(folder.toRealPath().resolve("a repo"));
    Objects.requireNonNull(template).copyTo(repository.root());
  }

  @AfterEach
  void close() {
    if (workspaces != null) {
      workspaces.close();
    }
  }

  private String sh(Path where, String script) throws Exception {
    CommandResult answer = run(where, script);
    assertThat(answer.isGood()).as(script + ": " + answer.why()).isTrue();
    return answer.line();
  }

  private CommandResult run(Path where, String script) throws Exception {
    return ProcessSpec.command("sh", "-c", script)
        .directory(where)
        .environment("LIB", library.toString())
        .environment("USERS", repository == null ? "" : repository.root().toString())
        .environment("GIT_AUTHOR_NAME", "Agent")
        .environment("GIT_AUTHOR_EMAIL", "agent@example.org")
        .environment("GIT_COMMITTER_NAME", "Agent")
        .environment("GIT_COMMITTER_EMAIL", "agent@example.org")
        .run(Duration.ofMinutes(2), Duration.ofSeconds(5), 10_000);
  }

  private Workspaces open() throws Exception {
    Workspaces made =
        new GitWorkspaces(
            repository.root(),
            "goal",
            WorkspaceSettings.NONE,
            ProcessMark.unique(),
            Redactor.none());
    workspaces = made;
    made.open();
    made.notices();
    return made;
  }

  /** Completes one task in a mode, and returns the branch with the result. */
  private String work(Mode mode, String script) throws Exception {
    if (mode == Mode.ALONE) {
      Worktree tree = Worktree.open(repository.root(), "goal");
      run(tree.root(), script);
      tree.commit("Do 1");
      return tree.branch();
    }
    Workspaces made = open();
    Workspace workspace = made.enter(1, 1, "id1");
    run(workspace.directory(), script);
    made.keep(workspace, "Part of 1");
    assertThat(merge(made)).isIn(Status.MERGED, Status.NOTHING);
    return "ralph/goal";
  }

  private static Status merge(Workspaces made) throws Exception {
    Piece piece = new Piece("id1", "token1", "ralph/goal.t1", "Do 1");
    return made.merge(List.of(piece), at -> Verdict.passed(), each -> true)
        .get(0)
        .result()
        .status();
  }

  private void assertCheckoutIsUnchanged() throws Exception {
    assertThat(sh(repository.root(), "git status --porcelain")).isEqualTo("M a.txt");
    assertThat(sh(repository.root(), "git log --format=%s main")).isEqualTo("links\nfirst");
  }

  private void assertReturned(Mode mode, Returned returned) throws Exception {
    assertThatThrownBy(() -> work(mode, returned.script))
        .isInstanceOf(RalphException.class)
        .hasMessageContaining(returned.reason);
    assertCheckoutIsUnchanged();
  }

  @ParameterizedTest
  @EnumSource(Returned.class)
  void leftOutWork_returnsTask(Returned returned) throws Exception {
    assertReturned(Mode.SEVERAL, returned);
  }

  @ParameterizedTest
  @EnumSource(Returned.class)
  void leftOutWork_isRefusedInWorktree(Returned returned) throws Exception {
    assertReturned(Mode.ALONE, returned);
  }

  private void assertKept(Mode mode, Kept kept) throws Exception {
    String branch = work(mode, kept.script);
    sh(repository.root(), kept.found.replace("BRANCH", branch));
    assertCheckoutIsUnchanged();
  }

  @ParameterizedTest
  @EnumSource(Kept.class)
  void completeWork_isMerged(Kept kept) throws Exception {
    assertKept(Mode.SEVERAL, kept);
  }

  @ParameterizedTest
  @EnumSource(value = Kept.class, mode = EnumSource.Mode.EXCLUDE, names = "BISECT")
  void completeWork_isCommittedInWorktree(Kept kept) throws Exception {
    assertKept(Mode.ALONE, kept);
  }

  /** A script with work that a discard would delete, and the text that names the work. */
  private enum OnlyCopy {
    REPOSITORY(INNER, "the repository"),
    LINK(INNER + " && " + COMMIT, "inner"),
    SUBMODULE(
        FILL
            + " && git -C lib checkout -qb x && git -C lib commit -q --allow-empty -m c && git -C lib checkout -q --detach HEAD~",
        "1 commit of the repository"),
    UNFILLED(
        FILL + " && git -C lib commit -q --allow-empty -m c && git submodule --quiet deinit -f lib",
        "1 commit of the repository"),
    EMPTY_SUBMODULE("echo 1 > lib/f", "1 file in the empty submodule folder");

    private final String script;
    private final String named;

    OnlyCopy(String script, String named) {
      this.script = script;
      this.named = named;
    }
  }

  private void assertNotDiscarded(OnlyCopy copy) throws Exception {
    WorkBranch branch = WorkBranch.of(repository.root(), "goal");
    assertThat(branch.unsaved()).contains(copy.named);
    assertThatThrownBy(() -> branch.discard(false)).hasMessageContaining(copy.named);
    branch.discard(true);
    assertCheckoutIsUnchanged();
  }

  @ParameterizedTest
  @EnumSource(OnlyCopy.class)
  void onlyCopyOfAgent_isNotDiscarded(OnlyCopy copy) throws Exception {
    Workspaces made = open();
    run(made.enter(1, 1, "id1").directory(), copy.script);
    made.close();
    assertNotDiscarded(copy);
  }

  @ParameterizedTest
  @EnumSource(OnlyCopy.class)
  void onlyCopyInWorktree_isNotDiscarded(OnlyCopy copy) throws Exception {
    run(Worktree.open(repository.root(), "goal").root(), copy.script);
    assertNotDiscarded(copy);
  }
}
