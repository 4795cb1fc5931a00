package dev.ralph.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ralph.core.internal.branch.WorkBranch;
import dev.ralph.core.internal.process.CommandResult;
import dev.ralph.core.internal.process.Git;
import dev.ralph.log.RalphException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Merges of a session's branch into the user's branch, with and without conflicting user files. */
@Timeout(300)
class BranchMergeTest {

  @TempDir Path folder;
  private Path repository;

  @BeforeEach
  void repository() throws Exception {
    repository = Files.createDirectories(folder.toRealPath().resolve("a repo"));
    git("init", "--quiet", "-b", "main");
    git("config", "user.name", "Somebody");
    git("config", "user.email", "somebody@example.org");
    write(repository, "a.txt", "first\n");
    write(repository, "b.txt", "first\n");
    write(repository, "old/tracked.txt", "first\n");
    write(repository, ".gitignore", ".ralph\n*.local\nout\nlink\n");
    git("add", ".");
    git("commit", "--quiet", "-m", "first");
  }

  private String git(String... arguments) throws InterruptedException {
    CommandResult answer = new Git(repository, Duration.ofMinutes(2)).run(arguments);
    assertThat(answer.isGood()).as(String.join(" ", arguments) + ": " + answer.why()).isTrue();
    return answer.line();
  }

  private static Path write(Path root, String file, String text) throws Exception {
    Path path = root.resolve(file);
    Files.createDirectories(path.getParent());
    return Files.writeString(path, text);
  }

  private Worktree tree() throws Exception {
    return Worktree.open(repository, "goal");
  }

  private WorkBranch branch() throws Exception {
    return WorkBranch.of(repository, "goal");
  }

  /**
   * The file of the session's commit, the file of the user, and the path in the error, or an empty
   * path if the merge succeeds.
   */
  static Stream<Arguments> inTheWay() {
    return Stream.of(
        Arguments.of("config.local", "config.local", "config.local"),
        Arguments.of("new.txt", "new.txt", "new.txt"),
        Arguments.of("deep/er/x.local", "deep/er/x.local", "deep/er/x.local"),
        Arguments.of("out", "out/build/a.o", "out/build/a.o"),
        Arguments.of("out/a.o", "out", "out"),
        Arguments.of("old", "old/mine.local", "old/mine.local"),
        Arguments.of("a.txt/x", "b.local", ""),
        Arguments.of("a b\tc\"ü.local", "a b\tc\"ü.local", "a b\tc\"ü.local"));
  }

  @ParameterizedTest
  @MethodSource("inTheWay")
  void fileInTheWay_isNamedAndKept(String theirs, String mine, String named) throws Exception {
    Worktree tree = tree();
    Files.writeString(tree.root().resolve(".gitignore"), ".ralph\n");
    Path replaced = tree.root().resolve(theirs.split("/")[0]);
    if (Files.exists(replaced)) {
      new Git(tree.root(), Duration.ofMinutes(1)).run("rm", "-rq", "--", theirs.split("/")[0]);
    }
    write(tree.root(), theirs, "theirs\n");
    tree.commit("work");
    write(repository, mine, "mine\n");
    String before = git("rev-parse", "HEAD");

    if (named.isEmpty()) {
      assertThat(branch().merge()).isTrue();
    } else {
      assertThatThrownBy(() -> branch().merge())
          .isInstanceOf(RalphException.class)
          .hasMessageContaining("1 file in " + repository)
          .hasMessageContaining(": " + named + ". Move it away, then run: ralph branch merge goal");
      assertThat(git("rev-parse", "HEAD")).isEqualTo(before);
      assertThat(git("diff", "HEAD")).isEmpty();
    }
    assertThat(repository.resolve(mine)).hasContent("mine\n");
  }

  @Test
  void symbolicLinkInTheWay_isKept() throws Exception {
    Worktree tree = tree();
    Files.writeString(tree.root().resolve(".gitignore"), ".ralph\n");
    write(tree.root(), "link/x", "theirs\n");
    tree.commit("work");
    Path outside = Files.createDirectories(folder.resolve("outside"));
    Files.createSymbolicLink(repository.resolve("link"), outside);

    assertThatThrownBy(() -> branch().merge()).hasMessageContaining(": link. Move it away");

    assertThat(repository.resolve("link")).isSymbolicLink();
    assertThat(outside).isEmptyDirectory();
  }

  @Test
  void linkInPlaceOfFolder_isKept() throws Exception {
    Worktree tree = tree();
    write(tree.root(), "old/tracked.txt", "theirs\n");
    tree.commit("work");
    Files.delete(repository.resolve("old/tracked.txt"));
    Files.delete(repository.resolve("old"));
    Path outside = Files.createDirectories(folder.resolve("outside"));
    Files.createSymbolicLink(repository.resolve("old"), outside);

    assertThatThrownBy(() -> branch().merge()).hasMessageContaining(": old. Move it away");

    assertThat(repository.resolve("old")).isSymbolicLink();
    assertThat(outside).isEmptyDirectory();
  }

  @Test
  void manyFilesInTheWay_tenAreNamedAndCounted() throws Exception {
    Worktree tree = tree();
    Files.writeString(tree.root().resolve(".gitignore"), ".ralph\n");
    for (int i = 10; i < 35; i++) {
      write(tree.root(), i + ".local", "theirs\n");
      write(repository, i + ".local", "mine\n");
    }
    tree.commit("work");

    assertThatThrownBy(() -> branch().merge())
        .hasMessageContaining("25 files in ")
        .hasMessageContaining("18.local, 19.local and 15 more. Move them away")
        .hasMessageNotContaining("20.local");
  }

  @Test
  void identicalFiles_areNotInTheWay() throws Exception {
    Worktree tree = tree();
    Files.writeString(tree.root().resolve(".gitignore"), ".ralph\n");
    write(tree.root(), "config.local", "same\n");
    write(tree.root(), "run.local", "same\n").toFile().setExecutable(true);
    write(tree.root(), "new file", "same\n");
    Files.createSymbolicLink(tree.root().resolve("link"), Path.of("a.txt"));
    tree.commit("work");
    write(repository, "config.local", "same\n");
    write(repository, "run.local", "same\n");
    write(repository, "new file", "same\n");
    Files.createSymbolicLink(repository.resolve("link"), Path.of("a.txt"));

    assertThat(branch().merge()).isTrue();

    assertThat(git("status", "--porcelain")).isEmpty();
    assertThat(git("rev-parse", "HEAD")).isEqualTo(git("rev-parse", "ralph/goal"));
    assertThat(Files.exists(repository.resolve("link"), LinkOption.NOFOLLOW_LINKS)).isTrue();
  }

  @Test
  void namedPipeInTheWay_isNotRead() throws Exception {
    Worktree tree = tree();
    write(tree.root(), "pipe", "theirs\n");
    tree.commit("work");
    assertThat(
            new ProcessBuilder("mkfifo", repository.resolve("pipe").toString()).start().waitFor())
        .isZero();

    assertThatThrownBy(() -> branch().merge()).hasMessageContaining(": pipe. Move it away");
  }

  @Test
  void submoduleReplacedByFile_keepsItsFiles() throws Exception {
    git("init", "--quiet", "sub");
    git("-C", "sub", "-c", "user.name=a", "-c", "user.email=b", "commit", "--allow-empty", "-qm1");
    git("add", "sub");
    git("commit", "--quiet", "-m", "sub");
    Worktree tree = tree();
    Files.deleteIfExists(tree.root().resolve("sub"));
    write(tree.root(), "sub", "theirs\n");
    tree.commit("work");
    write(repository, "sub/mine.txt", "mine\n");

    assertThatThrownBy(() -> branch().merge()).hasMessageContaining("sub/mine.txt");

    assertThat(repository.resolve("sub/mine.txt")).hasContent("mine\n");
  }

  @Test
  void unrelatedFiles_doNotBlockMerge() throws Exception {
    Worktree tree = tree();
    write(tree.root(), "a.txt", "theirs\n");
    tree.commit("work");
    write(repository, "b.txt", "my change\n");
    write(repository, "untracked.txt", "mine\n");
    write(repository, "staged.txt", "mine\n");
    git("add", "staged.txt");

    assertThat(branch().merge()).isTrue();

    assertThat(repository.resolve("a.txt")).hasContent("theirs\n");
    assertThat(git("status", "--porcelain").lines().map(String::strip))
        .containsExactlyInAnyOrder("M b.txt", "A  staged.txt", "?? untracked.txt");
  }

  @Test
  void changedFiles_areNamed() throws Exception {
    Worktree tree = tree();
    write(tree.root(), "a.txt", "theirs\n");
    write(tree.root(), "b.txt", "theirs\n");
    tree.commit("work");
    write(repository, "a.txt", "mine\n");
    write(repository, "b.txt", "mine\n");
    git("add", "b.txt");

    assertThatThrownBy(() -> branch().merge())
        .hasMessageContaining("2 files in " + repository + " have changes")
        .hasMessageContaining(": a.txt, b.txt. Commit or stash these changes")
        .hasMessageEndingWith("run: ralph branch merge goal");
    assertThat(repository.resolve("a.txt")).hasContent("mine\n");
  }

  @Test
  void hiddenChange_isNotReplaced() throws Exception {
    Worktree tree = tree();
    write(tree.root(), "a.txt", "theirs\n");
    tree.commit("work");
    git("update-index", "--skip-worktree", "a.txt");
    write(repository, "a.txt", "mine\n");

    assertThatThrownBy(() -> branch().merge()).hasMessageContaining("a.txt");

    assertThat(repository.resolve("a.txt")).hasContent("mine\n");
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void movedBranch_isNamedWithSafeCommand(boolean isInTree) throws Exception {
    Worktree tree = tree();
    write(tree.root(), "a.txt", "theirs\n");
    tree.commit("work");
    String former = git("rev-parse", "main");
    write(tree.root(), "agent.txt", "agent\n");
    Git there = new Git(tree.root(), Duration.ofMinutes(1));
    there.run("add", "-A");
    String moved =
        there.run("commit-tree", "-p", former, "-m", "m", there.run("write-tree").line()).line();
    Git where = isInTree ? there : new Git(repository, Duration.ofMinutes(1));
    assertThat(where.run("update-ref", "refs/heads/main", moved).isGood()).isTrue();
    write(repository, "b.txt", "my own change\n");

    assertThatThrownBy(() -> branch().merge())
        .hasMessageContaining(
            "main was moved from " + former.substring(0, 10) + " to " + moved.substring(0, 10))
        .hasMessageContaining("Do not commit or stash")
        .satisfies(
            e -> {
              String message = String.valueOf(e.getMessage());
              String command = message.substring(message.indexOf("run: ") + 5);
              command = command.substring(0, command.indexOf(", then"));
              Process shell =
                  new ProcessBuilder("sh", "-c", command).redirectErrorStream(true).start();
              String said =
                  new String(shell.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
              assertThat(shell.waitFor()).as(said).isZero();
            });

    assertThat(git("rev-parse", "main")).isEqualTo(former);
    assertThat(git("branch", "--contains", moved)).contains("main-moved-");
    assertThat(branch().merge()).isTrue();
    assertThat(repository.resolve("b.txt")).hasContent("my own change\n");
    assertThat(repository.resolve("a.txt")).hasContent("theirs\n");
  }

  @Test
  void ownCommit_isNoMovedBranch() throws Exception {
    Worktree tree = tree();
    write(tree.root(), "a.txt", "theirs\n");
    tree.commit("work");
    write(repository, "b.txt", "mine\n");
    git("commit", "--quiet", "-am", "mine");

    assertThatThrownBy(() -> branch().merge())
        .hasMessageContaining("main has 1 commit that ralph/goal does not have");
  }

  @Test
  void mergeInProgress_isNamed() throws Exception {
    Worktree tree = tree();
    write(tree.root(), "new.txt", "theirs\n");
    tree.commit("work");
    git("branch", "other");
    write(repository, "a.txt", "mine\n");
    git("commit", "--quiet", "-am", "mine");
    git("switch", "--quiet", "other");
    write(repository, "a.txt", "others\n");
    git("commit", "--quiet", "-am", "others");
    new Git(repository, Duration.ofMinutes(1)).run("merge", "main");

    assertThatThrownBy(() -> branch().merge())
        .hasMessageContaining("a merge is in progress in " + repository);

    new Git(repository, Duration.ofMinutes(1)).run("merge", "--abort");
    new Git(repository, Duration.ofMinutes(1)).run("rebase", "main");
    assertThatThrownBy(() -> branch().merge()).hasMessageContaining("a rebase is in progress");
  }

  @Test
  void setAside_keepsIgnoredFilesReplacedByReset() throws Exception {
    write(repository, "settings.txt", "first\n");
    git("add", ".");
    git("commit", "--quiet", "-m", "settings");
    Worktree tree = tree();
    Files.writeString(tree.root().resolve(".gitignore"), "settings.txt\n.ralph\n");
    new Git(tree.root(), Duration.ofMinutes(1)).run("rm", "-q", "--cached", "settings.txt");
    write(tree.root(), "settings.txt", "the agent's\n");

    String kept = tree.setAside("story-1", "left").orElseThrow();

    assertThat(git("show", kept + ":settings.txt")).isEqualTo("the agent's");
    assertThat(tree.root().resolve("settings.txt")).hasContent("first\n");
  }

  @Test
  void ignoredFileInTheWay_blocksTheUpdate() throws Exception {
    Worktree tree = tree();
    write(tree.root(), "config.local", "the agent's\n");
    Files.writeString(repository.resolve(".gitignore"), ".ralph\n");
    write(repository, "config.local", "main's\n");
    git("add", ".");
    git("commit", "--quiet", "-m", "config");

    Worktree again = tree();

    assertThat(again.root().resolve("config.local")).hasContent("the agent's\n");
    assertThat(again.notices()).anyMatch(notice -> notice.contains("config.local"));
  }
}
