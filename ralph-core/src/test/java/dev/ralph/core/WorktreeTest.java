package dev.ralph.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ralph.core.internal.process.CommandResult;
import dev.ralph.core.internal.process.Git;
import dev.ralph.log.RalphException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Work trees of real repositories. */
@Timeout(300)
class WorktreeTest {

  @TempDir Path folder;

  private String git(Path where, String... arguments) throws InterruptedException {
    CommandResult answer = new Git(where, Duration.ofMinutes(2)).run(arguments);
    assertThat(answer.isGood()).as(String.join(" ", arguments) + ": " + answer.why()).isTrue();
    return answer.line();
  }

  /** Creates a repository with a commit and uncommitted changes of the user. */
  private Path repository() throws IOException, InterruptedException {
    Path repository = Files.createDirectories(folder.resolve("repo/sub")).getParent();
    git(repository, "init", "--quiet", "-b", "main");
    git(repository, "config", "user.name", "Somebody");
    git(repository, "config", "user.email", "somebody@example.org");
    Files.writeString(repository.resolve("a.txt"), "first\n");
    Files.writeString(repository.resolve("sub/b.txt"), "b\n");
    git(repository, "add", ".");
    git(repository, "commit", "--quiet", "-m", "first");
    Files.writeString(repository.resolve("a.txt"), "my own change\n");
    Files.writeString(repository.resolve("new.txt"), "mine\n");
    git(repository, "add", "a.txt");
    return repository;
  }

  private static final String DIRTY = "M  a.txt\n?? new.txt";

  @Test
  void workTree_leavesTheCheckoutUnchanged() throws Exception {
    Path repository = repository();
    Worktree tree = Worktree.open(repository.resolve("sub"), "house");

    assertThat(tree.root()).isEqualTo(repository.resolve(".ralph/worktrees/house"));
    assertThat(tree.folder()).isEqualTo(tree.root().resolve("sub"));
    assertThat(tree.branch()).isEqualTo("ralph/house");
    assertThat(tree.root().resolve("a.txt")).hasContent("first\n");
    assertThat(tree.notices()).singleElement().asString().startsWith("2 files changed in ");
    assertThat(tree.commit("nothing")).isEmpty();

    Files.writeString(tree.folder().resolve("c.txt"), "c\n");
    Files.createDirectories(tree.root().resolve(".ralph"));
    Files.writeString(tree.root().resolve(".ralph/secret"), "never\n");
    assertThat(tree.commit("Add c")).isPresent();
    assertThat(git(repository, "log", "--format=%s", "ralph/house")).isEqualTo("Add c\nfirst");
    assertThat(git(repository, "ls-tree", "-r", "--name-only", "ralph/house"))
        .isEqualTo("a.txt\nsub/b.txt\nsub/c.txt");

    assertThat(git(repository, "status", "--porcelain")).isEqualTo(DIRTY);
    assertThat(git(repository, "branch", "--show-current")).isEqualTo("main");
    assertThat(git(repository, "rev-parse", "main"))
        .isEqualTo(git(repository, "rev-parse", "HEAD"));
  }

  @Test
  void setAside_keepsFailedWorkAndOwnCommits() throws Exception {
    Path repository = repository();
    Worktree tree = Worktree.open(repository, "house");
    Files.writeString(tree.root().resolve("good.txt"), "good\n");
    tree.commit("Good");
    assertThat(tree.setAside("story-2", "left")).isEmpty();

    for (int i = 1; i <= 2; i++) {
      Files.writeString(tree.root().resolve("own.txt"), "committed by the agent " + i + "\n");
      git(tree.root(), "add", ".");
      git(tree.root(), "commit", "--quiet", "-m", "own");
      Files.writeString(tree.root().resolve("left.txt"), "left " + i + "\n");
      Files.delete(tree.root().resolve("a.txt"));

      assertThat(tree.setAside("story-2", "left")).contains("ralph/house-story-2-failed-" + i);
      assertThat(tree.root().resolve("left.txt")).doesNotExist();
      assertThat(tree.root().resolve("own.txt")).doesNotExist();
      assertThat(tree.root().resolve("a.txt")).hasContent("first\n");
      assertThat(git(repository, "log", "--format=%s", "ralph/house")).isEqualTo("Good\nfirst");
      String branch = "ralph/house-story-2-failed-" + i;
      assertThat(git(repository, "log", "--format=%s", branch)).isEqualTo("left\nown\nGood\nfirst");
      assertThat(git(repository, "show", branch + ":left.txt")).isEqualTo("left " + i);
    }
    assertThat(git(repository, "status", "--porcelain")).isEqualTo(DIRTY);
  }

  @Test
  void reopenedTree_continuesAfterAKilledRun() throws Exception {
    Path repository = repository();
    Worktree tree = Worktree.open(repository, "house");
    Files.writeString(tree.root().resolve("half.txt"), "half done\n");
    assertThat(Worktree.open(repository, "house").root()).isEqualTo(tree.root());
    assertThat(tree.root().resolve("half.txt")).exists();
    assertThat(Worktree.open(tree.root(), "house").root()).as("from within").isEqualTo(tree.root());
    tree.commit("Half");

    // The user deleted the tree; the branch still exists.
    git(repository, "worktree", "remove", tree.root().toString());
    tree = Worktree.open(repository, "house");
    assertThat(tree.root().resolve("half.txt")).exists();

    // Git was killed before it had written all files.
    Path own = tree.root().resolve(git(tree.root(), "rev-parse", "--git-dir"));
    Files.delete(own.resolve("ralph-whole"));
    Files.delete(own.resolve("index"));
    Files.delete(tree.root().resolve("half.txt"));
    git(repository, "worktree", "lock", tree.root().toString());
    tree = Worktree.open(repository, "house");
    assertThat(tree.root().resolve("half.txt")).exists();
    assertThat(tree.commit("nothing")).isEmpty();
  }

  @Test
  void foreignBranch_isNotCommittedOrReset() throws Exception {
    Path repository = repository();
    Worktree tree = Worktree.open(repository, "house");
    git(tree.root(), "checkout", "--quiet", "-b", "mine");
    Files.writeString(tree.root().resolve("c.txt"), "c\n");
    git(tree.root(), "add", ".");
    git(tree.root(), "commit", "--quiet", "-m", "own");
    String why = " is on the branch mine; run: git -C " + tree.root() + " checkout ralph/house";

    assertThatThrownBy(() -> tree.commit("Add c")).hasMessageEndingWith(why);
    assertThatThrownBy(() -> tree.setAside("all", "left")).hasMessageEndingWith(why);
    assertThat(git(repository, "log", "--format=%s", "mine")).isEqualTo("own\nfirst");

    git(tree.root(), "checkout", "--quiet", "--detach");
    assertThatThrownBy(() -> tree.commit("Add c")).hasMessageContaining(" is on no branch; run: ");
    git(tree.root(), "checkout", "--quiet", "ralph/house");
    assertThatThrownBy(() -> tree.commit("nothing")).hasMessageContaining("git merge mine");

    git(tree.root(), "merge", "--quiet", "mine");
    assertThat(tree.commit("nothing")).hasValue(git(repository, "rev-parse", "--short", "mine"));
    assertThat(tree.commit("nothing")).isEmpty();
  }

  @Test
  void renamedBranch_isReportedWithRenameCommand() throws Exception {
    Worktree tree = Worktree.open(repository(), "house");
    git(tree.root(), "branch", "-m", "feature/login");

    assertThatThrownBy(() -> tree.commit("work"))
        .isInstanceOf(RalphException.class)
        .hasMessageEndingWith(
            " is on the branch feature/login, and ralph/house no longer exists; run: git -C "
                + tree.root()
                + " branch -m feature/login ralph/house");
  }

  /**
   * Git would commit only a link to the nested repository, and the work tree's removal would delete
   * its files.
   */
  @Test
  void nestedRepository_blocksTheCommit() throws Exception {
    Worktree tree = Worktree.open(repository(), "house");
    Path app = Files.createDirectories(tree.root().resolve("apps/app"));
    git(app, "init", "--quiet");
    assertRefused(tree, app + " is a Git repository of its own, so a commit would contain none");
    Files.writeString(app.resolve("main.c"), "code\n");
    commitAll(app);
    assertRefused(tree, app + " is a Git repository of its own, so a commit would contain none");
    commitAll(tree.root()); // as an agent may do
    assertRefused(tree, "rm --cached apps/app, then remove its .git");

    git(tree.root(), "rm", "--quiet", "--cached", "apps/app");
    new ProcessBuilder("rm", "-rf", app.resolve(".git").toString()).start().waitFor();
    assertThat(tree.commit("work")).isPresent();
    assertThat(git(tree.root(), "show", "HEAD:apps/app/main.c")).isEqualTo("code");
  }

  @Test
  void changedSubmodule_blocksTheCommit() throws Exception {
    Path repository = repository();
    Path library = Files.createDirectories(folder.resolve("library"));
    git(library, "init", "--quiet");
    Files.writeString(library.resolve("l.txt"), "first\n");
    commitAll(library);
    Worktree tree = Worktree.open(repository, "house");
    git(
        tree.root(),
        "-c",
        "protocol.file.allow=always",
        "submodule",
        "--quiet",
        "add",
        library.toString(),
        "lib");
    assertThat(tree.commit("Add the library")).isPresent();

    Path lib = tree.root().resolve("lib");
    Files.writeString(lib.resolve("built.o"), "not theirs\n");
    assertThat(tree.commit("nothing")).isEmpty();
    Files.writeString(lib.resolve("l.txt"), "second\n");
    assertRefused(
        tree, "the submodule " + lib + " has uncommitted changes; commit them in the submodule");
    commitAll(lib);
    assertThat(tree.commit("More of the library")).isPresent();
  }

  private void commitAll(Path where) throws InterruptedException {
    git(where, "add", "--all");
    git(
        where,
        "-c",
        "user.name=n",
        "-c",
        "user.email=e@example.org",
        "commit",
        "--quiet",
        "-m",
        "work");
  }

  private static void assertRefused(Worktree tree, String why) {
    for (ThrowingCallable call :
        List.<ThrowingCallable>of(() -> tree.commit("work"), () -> tree.setAside("part", "work"))) {
      assertThatThrownBy(call).isInstanceOf(RalphException.class).hasMessageContaining(why);
    }
  }

  @Test
  void missingGitFile_isRepairedByReopening() throws Exception {
    Path repository = repository();
    Worktree tree = Worktree.open(repository, "house");
    Files.writeString(tree.root().resolve("c.txt"), "c\n");
    Files.delete(tree.root().resolve(".git"));
    git(repository, "symbolic-ref", "HEAD", "refs/heads/ralph/house");

    String advice = "run: git -C " + repository.toRealPath() + " worktree repair";
    assertThatThrownBy(() -> tree.commit("Add c")).hasMessageEndingWith(advice);
    assertThatThrownBy(() -> tree.setAside("all", "left")).hasMessageEndingWith(advice);
    assertThat(git(repository, "status", "--porcelain")).isEqualTo(DIRTY);

    git(repository, "symbolic-ref", "HEAD", "refs/heads/main");
    Worktree again = Worktree.open(repository, "house");
    assertThat(again.root().resolve("c.txt")).hasContent("c\n");
    assertThat(again.commit("Add c")).isPresent();
    assertThat(git(repository, "ls-tree", "-r", "--name-only", "ralph/house"))
        .isEqualTo("a.txt\nc.txt\nsub/b.txt");
  }

  @Test
  void detachedHead_isAccepted() throws Exception {
    Path repository = repository();
    git(repository, "checkout", "--quiet", "--detach");
    Worktree tree = Worktree.open(repository, "house");
    assertThat(git(tree.root(), "branch", "--show-current")).isEqualTo("ralph/house");
  }

  @Test
  void failingHook_isReportedAndLosesNothing() throws Exception {
    Path repository = repository();
    Path hook = repository.resolve(".git/hooks/pre-commit");
    Files.createDirectories(hook.getParent());
    Files.writeString(hook, "#!/bin/sh\necho 'a.txt is not formatted' >&2\nexit 1\n");
    assertThat(hook.toFile().setExecutable(true)).isTrue();
    Worktree tree = Worktree.open(repository, "house");
    Files.writeString(tree.root().resolve("c.txt"), "c\n");

    assertThatThrownBy(() -> tree.commit("Add c"))
        .isInstanceOf(RalphException.class)
        .hasMessageContaining("pre-commit refuses the commit in " + tree.root())
        .hasMessageContaining("a.txt is not formatted");
    assertThat(tree.root().resolve("c.txt")).hasContent("c\n");
    assertThat(tree.setAside("story-1", "left")).as("hooks do not block it").isPresent();

    Files.delete(hook);
    Worktree again = Worktree.open(repository, "house");
    Files.writeString(again.root().resolve("c.txt"), "c\n");
    Path own = again.root().resolve(git(again.root(), "rev-parse", "--git-dir"));
    Files.createFile(own.resolve("index.lock"));
    assertThat(again.commit("Add c")).as("the lock of a killed git is removed").isPresent();
  }

  @Test
  void detachedTree_returnsToItsBranch() throws Exception {
    Path repository = repository();
    Worktree tree = Worktree.open(repository, "house");
    git(tree.root(), "checkout", "--quiet", "--detach");
    String merged = git(repository, "commit-tree", "-p", "HEAD", "-m", "Landed", "HEAD^{tree}");
    git(repository, "branch", "--force", "ralph/house", merged);

    Worktree again = Worktree.open(repository, "house");

    assertThat(git(again.root(), "symbolic-ref", "--short", "HEAD")).isEqualTo("ralph/house");
    assertThat(git(again.root(), "rev-parse", "HEAD")).isEqualTo(merged);
  }

  @Test
  void obstacle_isReportedAndNothingChanges() throws Exception {
    Path nowhere = Files.createDirectory(folder.resolve("nowhere"));
    assertThatThrownBy(() -> Worktree.open(nowhere, "house"))
        .hasMessageContaining("requires a Git repository");

    git(nowhere, "init", "--quiet");
    assertThatThrownBy(() -> Worktree.open(nowhere, "house")).hasMessageContaining("no commit yet");

    Path repository = repository();
    git(repository, "branch", "ralph/theirs");
    assertThatThrownBy(() -> Worktree.open(repository, "theirs"))
        .hasMessageContaining("the branch ralph/theirs already exists")
        .hasMessageContaining("git branch -m ralph/theirs ralph/theirs-old");

    git(repository, "config", "user.useConfigOnly", "true");
    git(repository, "config", "user.name", "");
    assertThatThrownBy(() -> Worktree.open(repository, "house"))
        .hasMessageContaining("git config user.name");
    git(repository, "config", "user.name", "Somebody");

    Path there = Files.createDirectories(repository.resolve(".ralph/worktrees/house"));
    Files.writeString(there.resolve("notes.txt"), "mine\n");
    assertThatThrownBy(() -> Worktree.open(repository, "house"))
        .hasMessageContaining("exists and is not a work tree");
    assertThat(there.resolve("notes.txt")).hasContent("mine\n");
    assertThatThrownBy(() -> Worktree.open(repository, "a/b")).isInstanceOf(RalphException.class);

    Files.delete(there.resolve("notes.txt"));
    Worktree tree = Worktree.open(repository, "house");
    git(tree.root(), "checkout", "--quiet", "--detach");
    Files.writeString(tree.folder().resolve("notes.txt"), "of somebody who looks around\n");
    assertThatThrownBy(() -> Worktree.open(repository, "house"))
        .hasMessageContaining("is on no branch")
        .hasMessageContaining("checkout ralph/house");
    git(repository, "checkout", "--quiet", "--force", "ralph/house");
    assertThatThrownBy(() -> Worktree.open(repository, "house"))
        .hasMessageContaining("the branch ralph/house is checked out in " + repository);
  }

  @Test
  void commitsMissingInWorkTree_areReported() throws Exception {
    Path repository = repository();
    Worktree tree = Worktree.open(repository, "my-house");
    Files.writeString(tree.root().resolve("c.txt"), "what its agent did\n");
    assertThat(tree.commit("Add c")).isPresent();
    git(repository, "commit", "--quiet", "-m", "second", "a.txt");
    String command = "git -C " + tree.root() + " merge main";
    assertThat(Worktree.open(repository, "my-house").notices())
        .contains("1 commit of main is not in the work tree; run: " + command);

    git(tree.root(), "merge", "--quiet", "main");
    assertThat(Worktree.open(repository, "my-house").notices())
        .noneMatch(notice -> notice.contains("merge"));
  }

  @Test
  void branchWithoutOwnWork_startsAtTheCheckout() throws Exception {
    Path repository = repository();
    Worktree tree = Worktree.open(repository, "my-house");
    git(repository, "commit", "--quiet", "-m", "second", "a.txt");
    Path notes = tree.root().resolve("notes.txt");
    Files.writeString(notes, "of an agent that was killed\n");
    assertThat(Worktree.open(repository, "my-house").notices())
        .anyMatch(notice -> notice.contains("1 commit of main is not in the work tree"));
    Files.delete(notes);

    assertThat(Worktree.open(repository, "my-house").notices())
        .noneMatch(notice -> notice.contains("merge"));
    assertThat(git(tree.root(), "log", "-1", "--format=%s", "ralph/my-house")).isEqualTo("second");
    assertThat(tree.commit("Nothing")).as("no work of its own").isEmpty();
  }

  @Test
  void openingFromWithin_acceptsNoAgentCommit() throws Exception {
    Worktree tree = Worktree.open(repository(), "my-house");
    Files.writeString(tree.root().resolve("c.txt"), "by an agent, and not tried yet\n");
    git(tree.root(), "add", "c.txt");
    git(tree.root(), "commit", "--quiet", "-m", "by an agent");

    Worktree again = Worktree.open(tree.folder(), "my-house");

    assertThat(again.setAside("story", "What is left")).isPresent();
    assertThat(tree.root().resolve("c.txt")).doesNotExist();
  }

  @Test
  void submodules_areReported() throws Exception {
    Path repository = repository();
    Files.writeString(repository.resolve(".gitmodules"), "");
    git(repository, "add", ".gitmodules");
    git(repository, "commit", "--quiet", "-m", "modules", ".gitmodules");
    assertThat(Worktree.open(repository, "house").notices())
        .anyMatch(notice -> notice.contains("submodule update --init"));
  }

  @Test
  void symbolicLinks_areRejectedAndNotFollowed() throws Exception {
    Path repository = repository();
    Path outside = Files.createDirectories(folder.resolve("outside/house"));
    Path own = Files.createDirectories(repository.resolve(".ralph"));
    Path trees = own.resolve("worktrees");

    Files.createSymbolicLink(trees, outside.getParent());
    assertRefused(repository, trees);
    Files.delete(trees);
    Files.createDirectory(trees);
    Files.createSymbolicLink(trees.resolve("house"), outside);
    assertRefused(repository, trees.resolve("house"));
    Files.delete(trees.resolve("house"));
    Files.createSymbolicLink(trees.resolve(".gitignore"), outside.resolve("made"));
    assertRefused(repository, trees.resolve(".gitignore"));
    Files.delete(trees.resolve(".gitignore"));
    Files.delete(trees);
    Files.delete(own);
    Files.createSymbolicLink(own, outside.getParent());
    assertRefused(repository, own);

    assertThat(outside).isEmptyDirectory();
    assertThat(outside.getParent().toFile().list()).containsExactly("house");
    Files.delete(own);
    assertThat(Worktree.open(repository, "house").root()).isDirectory();
  }

  private static void assertRefused(Path repository, Path link) {
    assertThatThrownBy(() -> Worktree.open(repository, "house"))
        .isInstanceOf(RalphException.class)
        .hasMessageContaining(link + " is a symbolic link");
  }
}
