package dev.ralph.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ralph.core.internal.branch.WorkBranch;
import dev.ralph.core.internal.process.CommandResult;
import dev.ralph.core.internal.process.Git;
import dev.ralph.log.RalphException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Work trees whose folder or files in the Git folder an agent or the user has deleted or moved. */
@Timeout(120)
class DeletedTreeTest {

  @TempDir Path folder;
  private Path root;

  @BeforeEach
  void repository() throws Exception {
    root = Files.createDirectories(folder.toRealPath().resolve("repo"));
    git(root, "init", "--quiet", "--template=", "-b", "main");
    git(root, "config", "user.name", "Somebody");
    git(root, "config", "user.email", "somebody@example.org");
    commit(root, "first.txt");
  }

  private static String git(Path folder, String... arguments) throws Exception {
    CommandResult answer = new Git(folder, Duration.ofMinutes(1)).run(arguments);
    assertThat(answer.isGood()).as(String.join(" ", arguments) + ": " + answer.why()).isTrue();
    return answer.line();
  }

  private static void commit(Path tree, String file) throws Exception {
    Files.writeString(tree.resolve(file), file + "\n");
    git(tree, "add", file);
    git(tree, "commit", "--quiet", "-m", file);
  }

  private static void delete(Path tree) throws IOException {
    try (Stream<Path> files = Files.walk(tree)) {
      files.sorted(Comparator.reverseOrder()).forEach(file -> file.toFile().delete());
    }
    assertThat(tree).doesNotExist();
  }

  private List<String> left() throws Exception {
    return git(root, "for-each-ref", "--format=%(refname:short)", "refs/heads/ralph/s.t0-left-*")
        .lines()
        .filter(line -> !line.isEmpty())
        .toList();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "..", "../.."})
  void deletedFolder_keepsCommitsAndStagedFiles(String what) throws Exception {
    Worktree tree = Worktree.open(root, "s");
    git(tree.root(), "checkout", "--quiet", "--detach");
    commit(tree.root(), "one.txt");
    git(tree.root(), "checkout", "--quiet", "HEAD^");
    commit(tree.root(), "two.txt");
    Files.writeString(tree.root().resolve("three.txt"), "three\n");
    git(tree.root(), "add", "three.txt");
    delete(tree.root().resolve(what).normalize());

    assertThatThrownBy(() -> WorkBranch.of(root, "s").discard(false))
        .hasMessageContaining("2 commits on no branch");
    assertThatThrownBy(() -> tree.commit("work"))
        .isInstanceOf(RalphException.class)
        .hasMessageContaining(tree.root() + " was deleted");
    assertThat(tree.notices())
        .anyMatch(text -> text.endsWith("kept on ralph/s.t0-left-1 and ralph/s.t0-left-2"));
    Worktree again = Worktree.open(root, "s");

    assertThat(again.root().resolve("first.txt")).exists();
    assertThat(left()).containsExactly("ralph/s.t0-left-1", "ralph/s.t0-left-2");
    assertThat(git(root, "ls-tree", "--name-only", "ralph/s.t0-left-1").lines())
        .containsExactly("first.txt", "three.txt", "two.txt");
    assertThat(git(root, "ls-tree", "--name-only", "ralph/s.t0-left-2").lines())
        .containsExactly("first.txt", "one.txt");
    assertThatThrownBy(() -> WorkBranch.of(root, "s").discard(false))
        .hasMessageContaining("ralph/s.t0-left-1");
  }

  @Test
  void deletedFolderWithoutWork_isCreatedAgain() throws Exception {
    Worktree tree = Worktree.open(root, "s");
    commit(tree.root(), "one.txt");
    delete(tree.root());

    Worktree again = Worktree.open(root, "s");

    assertThat(again.root().resolve("one.txt")).exists();
    assertThat(left()).isEmpty();
  }

  @Test
  void deletedFolderOfMovedRepository_isCreatedAgain() throws Exception {
    Worktree tree = Worktree.open(root, "s");
    commit(tree.root(), "one.txt");
    delete(tree.root());
    root = Files.move(root, root.resolveSibling("moved"));

    Worktree again = Worktree.open(root, "s");

    assertThat(again.root()).startsWith(root);
    assertThat(again.root().resolve("one.txt")).exists();
  }

  @ParameterizedTest
  @ValueSource(strings = {"ralph-whole", "ralph-whole index"})
  void deletedMarker_keepsTheWork(String deleted) throws Exception {
    Worktree tree = Worktree.open(root, "s");
    Files.writeString(tree.root().resolve("new.txt"), "new\n");
    Files.writeString(tree.root().resolve("first.txt"), "changed\n");
    Path own = Path.of(git(tree.root(), "rev-parse", "--absolute-git-dir"));
    for (String name : deleted.split(" ")) {
      Files.delete(own.resolve(name));
    }

    Worktree again = Worktree.open(root, "s");

    assertThat(again.root().resolve("new.txt")).hasContent("new\n");
    assertThat(again.root().resolve("first.txt")).hasContent("changed\n");
    assertThat(own.resolve("ralph-whole")).exists();
  }

  /** A killed git leaves no index, and a file with the beginning of its content. */
  @ParameterizedTest
  @ValueSource(strings = {"", "fir"})
  void fileCutOffByKilledGit_isNoWork(String content) throws Exception {
    commit(root, "second.txt");
    Worktree tree = Worktree.open(root, "s");
    Path own = Path.of(git(tree.root(), "rev-parse", "--absolute-git-dir"));
    Files.delete(own.resolve("ralph-whole"));
    Files.delete(own.resolve("index"));
    Files.delete(tree.root().resolve("second.txt"));
    Files.writeString(tree.root().resolve("first.txt"), content);

    Worktree again = Worktree.open(root, "s");

    assertThat(again.root().resolve("first.txt")).hasContent("first.txt\n");
    assertThat(again.root().resolve("second.txt")).exists();
    assertThat(again.commit("nothing")).isEmpty();
  }

  @Test
  void treeUnusableByGit_isNotReplaced() throws Exception {
    Worktree tree = Worktree.open(root, "s");
    Path file = Files.writeString(tree.root().resolve("new.txt"), "new\n");
    Path own = Path.of(git(tree.root(), "rev-parse", "--absolute-git-dir"));
    Files.writeString(own.resolve("HEAD"), "damaged\n");

    assertThatThrownBy(() -> Worktree.open(root, "s"))
        .isInstanceOf(RalphException.class)
        .hasMessageContaining(tree.root().toString());
    assertThatThrownBy(() -> WorkBranch.of(root, "s").discard(false))
        .isInstanceOf(RalphException.class);
    assertThat(file).hasContent("new\n");
  }

  @Test
  void usersTreeOnMissingDisk_staysRegistered() throws Exception {
    Path own = folder.toRealPath().resolve("own");
    git(root, "worktree", "add", "--quiet", "--detach", own.toString());
    commit(own, "own.txt");
    String commit = git(own, "rev-parse", "HEAD");
    Path away = Files.move(own, own.resolveSibling("away"));

    Worktree tree = Worktree.open(root, "s");
    Files.move(away, own);

    assertThat(tree.root().resolve("first.txt")).exists();
    assertThat(git(own, "rev-parse", "HEAD")).isEqualTo(commit);
  }
}
