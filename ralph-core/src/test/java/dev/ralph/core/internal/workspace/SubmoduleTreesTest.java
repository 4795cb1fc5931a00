package dev.ralph.core.internal.workspace;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.Redactor;
import dev.ralph.Verdict;
import dev.ralph.core.BranchMerger.Status;
import dev.ralph.core.CommitOptions;
import dev.ralph.core.RepositoryTemplate;
import dev.ralph.core.Worktree;
import dev.ralph.core.internal.process.CommandResult;
import dev.ralph.core.internal.process.ProcessMark;
import dev.ralph.core.internal.process.ProcessSpec;
import dev.ralph.core.internal.workspace.Workspaces.Piece;
import dev.ralph.core.internal.workspace.Workspaces.Workspace;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Submodules that are checked out in agents' work trees and in the work tree of the gates. */
@Timeout(300)
class SubmoduleTreesTest {

  private static final String FILL =
      "test ! -f .gitmodules || git -c protocol.file.allow=always submodule --quiet update --init";

  /** A change of the submodule {@code lib} by one agent while another has it checked out. */
  private enum Change {
    COMMIT("echo 2 > lib/l && git -C lib commit -qam two", "grep 2 lib/l"),
    OLDER("git -C lib checkout -q HEAD~", "grep 0 lib/l"),
    REMOVED("git rm -q lib", "test ! -e lib"),
    FILES("git rm -q lib && mkdir lib && echo 2 > lib/l", "grep 2 lib/l && test ! -e lib/.git"),
    FILE("git rm -q lib && echo 2 > lib", "grep 2 lib"),
    LINK("git rm -q lib && ln -s a.txt lib", "test -L lib"),
    MOVED(
        "git mv lib new && git -C new commit -qm c --allow-empty", "test ! -e lib && grep 1 new/l"),
    ADDED(
        "git -c protocol.file.allow=always submodule --quiet add --name more $LIB more"
            + " && echo 2 > more/l && git -C more commit -qam two",
        "grep 1 lib/l && git ls-tree HEAD more | grep commit");

    private final String script;
    private final String seen;

    Change(String script, String seen) {
      this.script = script;
      this.seen = seen;
    }
  }

  /** Contains the library; the repositories refer to its path. */
  @TempDir static Path shared;

  private static Path library = Path.of("library");
  private static @Nullable RepositoryTemplate template;

  @TempDir Path folder;
  private final List<String> checked = new ArrayList<>();
  private TestRepository repository;
  private @Nullable Workspaces workspaces;

  @BeforeAll
  static void library() throws Exception {
    Path top = shared.toRealPath();
    library = TestRepository.in(top.resolve("library")).root();
    SubmoduleTreesTest test = new SubmoduleTreesTest();
    test.sh(
        library,
        "echo '*.o' > .gitignore && for i in 0 1; do echo $i > l; git add .; git commit -qm $i; done");
    Path root = TestRepository.in(top.resolve("a repo")).root();
    test.sh(
        root,
        "git checkout -q . && git -c protocol.file.allow=always submodule --quiet add $LIB lib"
            + " && git commit -qm links && git submodule --quiet deinit --all && rm -rf .git/modules");
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
    assertThat(answer.isGood()).as(script + ": " + answer.why() + answer.output()).isTrue();
    return answer.line();
  }

  private CommandResult run(Path where, String script) throws Exception {
    return ProcessSpec.command("sh", "-c", script)
        .directory(where)
        .environment("LIB", library.toString())
        .environment("GIT_AUTHOR_NAME", "Agent")
        .environment("GIT_AUTHOR_EMAIL", "agent@example.org")
        .environment("GIT_COMMITTER_NAME", "Agent")
        .environment("GIT_COMMITTER_EMAIL", "agent@example.org")
        .run(Duration.ofMinutes(2), Duration.ofSeconds(5), 10_000);
  }

  private Workspaces open() throws Exception {
    WorkspaceSettings settings =
        new WorkspaceSettings(
            List.of("sh", "-c", FILL),
            Duration.ofMinutes(2),
            List.of(),
            WorkspaceSettings.PORT_BASE,
            null,
            CommitOptions.DEFAULT);
    Workspaces made =
        new GitWorkspaces(
            repository.root(), "goal", settings, ProcessMark.unique(), Redactor.none());
    workspaces = made;
    made.open();
    return made;
  }

  private Workspace enter(Workspaces made, int agent, int task) throws Exception {
    return made.enter(agent, task, "id" + task);
  }

  /** Completes a task, and requires that the gate sees the same files as the agent. */
  private void complete(Workspaces made, Workspace workspace, int task, String seen)
      throws Exception {
    made.keep(workspace, "Part of " + task);
    Piece piece = new Piece("id" + task, "token" + task, "ralph/goal.t" + task, "Do " + task);
    Workspaces.MergeOutcome fate =
        made.merge(
                List.of(piece),
                at -> {
                  CommandResult answer = run(at, seen);
                  return answer.isGood()
                      ? Verdict.passed()
                      : Verdict.failed("gate: " + answer.why());
                },
                each -> true)
            .get(0);
    assertThat(fate.result().status())
        .as(fate.result().reason() + checked + made.notices())
        .isEqualTo(Status.MERGED);
  }

  @ParameterizedTest
  @EnumSource(
      value = Change.class,
      names = {"COMMIT", "FILES", "FILE", "MOVED", "ADDED"})
  void mergedChange_reachesWarmTrees(Change change) throws Exception {
    Workspaces made = open();
    Workspace first = enter(made, 1, 1);
    Workspace second = enter(made, 2, 2);
    sh(second.directory(), "echo 1 > w2");
    complete(made, second, 2, "grep 1 lib/l");
    sh(first.directory(), change.script);
    complete(made, first, 1, change.seen);

    Workspace next = enter(made, 2, 3);
    sh(next.directory(), change.seen);
    sh(next.directory(), "echo 1 > w3");
    complete(made, next, 3, change.seen);
    Workspace fresh = enter(made, 3, 4);
    sh(fresh.directory(), change.seen);
    sh(fresh.directory(), "echo 1 > w4");
    complete(made, fresh, 4, change.seen);

    assertThat(sh(repository.root(), "git diff --name-only ralph/goal~2 ralph/goal"))
        .isEqualTo("w3\nw4");
    assertThat(made.notices()).as("no folder was moved aside").isEmpty();
  }

  @ParameterizedTest
  @EnumSource(
      value = Change.class,
      names = {"OLDER", "REMOVED", "LINK", "MOVED", "ADDED"})
  void unmergedChange_doesNotReachOtherTasks(Change change) throws Exception {
    Workspaces made = open();
    Workspace first = enter(made, 1, 1);
    sh(first.directory(), change.script);
    made.keep(first, "Part of 1");

    Workspace other = enter(made, 1, 2);
    sh(other.directory(), "grep 1 lib/l && test ! -e new");
    sh(other.directory(), "echo 1 > w2");
    complete(made, other, 2, "grep 1 lib/l && test ! -e new && test ! -e more");
    assertThat(sh(repository.root(), "git diff --name-only ralph/goal~ ralph/goal"))
        .isEqualTo("w2");

    Workspace again = enter(made, 1, 1);
    sh(again.directory(), change.seen);
    complete(made, again, 1, change.seen);
  }

  @Test
  void hookThatChangesFiles_keepsSubmodule() throws Exception {
    sh(
        repository.root(),
        "mkdir -p .git/hooks && printf '#!/bin/sh\\necho hook >> a.txt\\n' > .git/hooks/pre-commit"
            + " && chmod +x .git/hooks/pre-commit");
    Workspaces made = open();
    Workspace first = enter(made, 1, 1);
    sh(first.directory(), "echo 1 > w1");
    complete(made, first, 1, "grep hook a.txt && grep 1 lib/l");
    Workspace second = enter(made, 1, 2);
    sh(second.directory(), Change.COMMIT.script);
    complete(made, second, 2, Change.COMMIT.seen);
    assertThat(sh(repository.root(), "git diff --name-only ralph/goal~ ralph/goal"))
        .isEqualTo("a.txt\nlib");
  }

  @Test
  void ignoredFilesOfRemovedSubmodule_areKept() throws Exception {
    Workspaces made = open();
    Workspace first = enter(made, 1, 1);
    Workspace second = enter(made, 2, 2);
    sh(second.directory(), "echo 1 > w2 && echo mine > lib/mine.o");
    complete(made, second, 2, "grep 1 lib/l");
    sh(first.directory(), "git rm -q lib");
    complete(made, first, 1, "test ! -e lib");

    Workspace next = enter(made, 2, 3);
    sh(next.directory(), "test ! -e lib");
    assertThat(made.notices().toString()).contains("-left-1");
    assertThat(sh(repository.root(), "cat .ralph/worktrees/*-left-1/lib/mine.o")).isEqualTo("mine");
  }

  /** Another task removes the submodule, or moves it to a commit with other content. */
  @ParameterizedTest
  @CsvSource({
    "--skip-worktree, git rm -q lib",
    "--assume-unchanged, git rm -q lib",
    "--skip-worktree, cd lib && echo 2 > l && git commit -qam 2 && cd .. && git commit -qam 2",
    "--assume-unchanged, cd lib && echo 2 > l && git commit -qam 2 && cd .. && git commit -qam 2"
  })
  void hiddenEditOfSubmodule_isKept(String bit, String change) throws Exception {
    Workspaces made = open();
    Workspace first = enter(made, 1, 1);
    Workspace second = enter(made, 2, 2);
    sh(
        second.directory(),
        "echo 1 > w2 && git -C lib update-index " + bit + " l && echo mine > lib/l");
    complete(made, second, 2, "grep 1 lib/l");
    sh(first.directory(), change);
    complete(made, first, 1, "test ! -e lib/l || grep 2 lib/l");

    Workspace next = enter(made, 2, 3);
    sh(next.directory(), "test ! -e lib/l || grep 2 lib/l");
    assertThat(made.notices().toString()).contains("-left-1");
    assertThat(sh(repository.root(), "cat .ralph/worktrees/*-left-1/lib/l")).isEqualTo("mine");
  }

  @Test
  void commitsBesideLinkedCommit_areKept() throws Exception {
    Workspaces made = open();
    Workspace first = enter(made, 1, 1);
    Workspace second = enter(made, 2, 2);
    sh(
        second.directory(),
        "echo 1 > w2 && git -C lib checkout -qb x && git -C lib commit -q --allow-empty -m c"
            + " && git -C lib checkout -q --detach HEAD~");
    String commit = sh(second.directory(), "git -C lib rev-parse x");
    complete(made, second, 2, "grep 1 lib/l");
    sh(first.directory(), "git rm -q lib");
    complete(made, first, 1, "test ! -e lib");

    enter(made, 2, 3);
    made.close();
    try (Stream<Path> modules = Files.list(repository.root().resolve(".git/worktrees"))) {
      boolean isThere = false;
      for (Path each : modules.toList()) {
        isThere |=
            run(each, "git --git-dir=modules/lib --work-tree=. cat-file -e " + commit).isGood();
      }
      assertThat(isThere).isTrue();
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = Change.class,
      names = {"COMMIT", "FILES", "ADDED"})
  void setAside_resetsSubmodules(Change change) throws Exception {
    Worktree tree = Worktree.open(repository.root(), "goal");
    sh(tree.root(), FILL + " && " + change.script);
    String kept = tree.setAside("story-1", "Story 1").orElseThrow();
    sh(tree.root(), "grep 1 lib/l && test ! -e more && echo 1 > w");
    tree.commit("Do 2");

    assertThat(sh(tree.root(), "git diff --name-only main HEAD")).isEqualTo("w");
    assertThat(sh(tree.root(), "git diff --name-only main " + kept))
        .contains(change == Change.ADDED ? "more" : "lib");
  }
}
