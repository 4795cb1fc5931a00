package dev.ralph.core.internal.git;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.core.internal.process.CommandResult;
import dev.ralph.core.internal.process.Git;
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
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(120)
class ReferenceWatchTest {

  private static final List<String> EXPIRE = List.of("reflog", "expire", "--expire=now", "--all");
  private static final List<String> COLLECT = List.of("gc", "--quiet", "--prune=now");

  @TempDir Path folder;
  private Path root;

  @BeforeEach
  void repository() throws Exception {
    root = Files.createDirectories(folder.resolve("repo"));
    git("init", "--quiet", "--template=", "-b", "main");
    git("config", "user.name", "Somebody");
    git("config", "user.email", "somebody@example.org");
    write("first");
    git("add", ".");
    git("commit", "--quiet", "-m", "first");
  }

  private void write(String text) throws IOException {
    Files.writeString(root.resolve("a.txt"), text + "\n");
  }

  private String git(String... arguments) throws Exception {
    CommandResult answer = new Git(root, Duration.ofMinutes(1)).run(arguments);
    assertThat(answer.isGood()).as(String.join(" ", arguments) + ": " + answer.why()).isTrue();
    return answer.line();
  }

  private String stash(String text) throws Exception {
    write(text);
    git("stash", "push", "--quiet", "-m", text);
    return git("rev-parse", "refs/stash");
  }

  private String commit(String branch) throws Exception {
    git("checkout", "--quiet", "-b", branch);
    git("commit", "--quiet", "--allow-empty", "-m", branch);
    String commit = git("rev-parse", "HEAD");
    git("checkout", "--quiet", "main");
    return commit;
  }

  private void collect() throws Exception {
    git(EXPIRE.toArray(new String[0]));
    git(COLLECT.toArray(new String[0]));
  }

  private RepositoryWatch begin() throws Exception {
    return RepositoryWatch.begin(root.resolve(".git"), "goal");
  }

  @Test
  void droppedStash_isKeptAndNamed() throws Exception {
    String older = stash("older");
    String newer = stash("newer");
    try (RepositoryWatch watch = begin()) {
      git("stash", "drop", "stash@{1}");
      assertThat(watch.compare())
          .singleElement()
          .asString()
          .contains("On main: older (kept as refs/ralph-kept/goal/stash/" + older)
          .doesNotContain("newer");
      git("stash", "clear");
      collect();
      assertThat(watch.compare()).singleElement().asString().contains("On main: newer (kept as");
    }
    collect();
    git("stash", "store", "refs/ralph-kept/goal/stash/" + older);
    git("stash", "store", "refs/ralph-kept/goal/stash/" + newer);
    assertThat(git("stash", "list").lines()).hasSize(2);
  }

  @ParameterizedTest
  @ValueSource(strings = {"removed", "deleted", "deleted and pruned"})
  void removedTree_isNamedWithItsFiles(String how) throws Exception {
    Path tree = folder.resolve("a tree");
    git("worktree", "add", "--quiet", "-b", "side", tree.toString());
    Files.writeString(tree.resolve("a.txt"), "changed\n");
    Files.writeString(tree.resolve("new file.txt"), "new\n");
    try (RepositoryWatch watch = begin()) {
      Files.writeString(tree.resolve("later.txt"), "new\n");
      assertThat(watch.compare()).isEmpty();
      if (how.equals("removed")) {
        git("worktree", "remove", "--force", tree.toString());
      } else {
        try (Stream<Path> files = Files.walk(tree)) {
          files.sorted(Comparator.reverseOrder()).forEach(file -> file.toFile().delete());
        }
      }
      if (how.endsWith("pruned")) {
        git("worktree", "prune");
      }
      assertThat(watch.compare())
          .singleElement()
          .asString()
          .contains("work trees were removed", tree.toString())
          .contains("a.txt, later.txt, new file.txt");
      assertThat(watch.compare()).isEmpty();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"--skip-worktree", "--assume-unchanged"})
  void hiddenEdit_isNamedWithRemovedTree(String bit) throws Exception {
    Path tree = folder.resolve("tree");
    git("worktree", "add", "--quiet", "-b", "side", tree.toString());
    git("-C", tree.toString(), "update-index", bit, "a.txt");
    Files.writeString(tree.resolve("a.txt"), "changed\n");
    try (RepositoryWatch watch = begin()) {
      git("worktree", "remove", "--force", tree.toString());
      assertThat(watch.compare())
          .singleElement()
          .asString()
          .contains("with uncommitted files (a.txt)");
    }
  }

  @ParameterizedTest
  @CsvSource({
    "goal.2, rm -rf $TREE",
    "goal.2, git worktree remove --force $TREE",
    "goal.2, rm -rf $TREE; git worktree prune",
    "goal.2, rm -rf $TREE/* $TREE/.git",
    "goal.2, rm -rf $TREE/*",
    "goal.2-left-1, rm -rf $TREE",
    "goal, rm -rf $TREE"
  })
  void deletedFolderOfAgent_isNamedWithItsFiles(String name, String how) throws Exception {
    Path tree = root.resolve(".ralph/worktrees").resolve(name);
    try (RepositoryWatch watch = begin()) {
      git("worktree", "add", "--quiet", "--detach", tree.toString());
      write(tree, "kept.txt");
      git("-C", tree.toString(), "add", ".");
      git("-C", tree.toString(), "commit", "--quiet", "-m", "kept");
      assertThat(watch.compare()).isEmpty();
      for (int i = 1; i <= 11; i++) {
        write(tree, "a.txt", "new " + i + ".txt");
      }
      assertThat(watch.compare()).isEmpty();
      shell("TREE='" + tree + "'; " + how.replace("$TREE", "\"$TREE\""));
      assertThat(watch.compare())
          .singleElement()
          .asString()
          .contains("deleted or emptied", tree + " with uncommitted files (a.txt, ", "new 11.txt")
          .contains("and 2 more")
          .doesNotContain("kept.txt");
      assertThat(watch.compare()).isEmpty();
    }
  }

  @Test
  void committedFolderOfAgent_isNamedAlone() throws Exception {
    Path tree = root.resolve(".ralph/worktrees/goal.1");
    try (RepositoryWatch watch = begin()) {
      git("worktree", "add", "--quiet", "--detach", tree.toString());
      write(tree, "new.txt");
      assertThat(watch.compare()).isEmpty();
      watch.committed(tree);
      git("worktree", "move", tree.toString(), tree + "-left-1");
      assertThat(watch.compare()).isEmpty();
      watch.committed(tree.resolveSibling("goal.1-left-1"));
      shell("rm -rf '" + tree + "-left-1'");
      assertThat(watch.compare()).singleElement().asString().endsWith("/goal.1-left-1");
    }
  }

  @Test
  void endedAgent_isNotListedBeforeItsCommit() throws Exception {
    Path tree = root.resolve(".ralph/worktrees/goal.1");
    try (RepositoryWatch watch = begin()) {
      git("worktree", "add", "--quiet", "--detach", tree.toString());
      write(tree, "new.txt");
      assertThat(watch.compare(tree)).isEmpty();
      watch.committed(tree);
      shell("rm -rf '" + tree + "'");
      assertThat(watch.compare()).singleElement().asString().endsWith("/goal.1");
    }
  }

  @Test
  void foldersOfOtherSessions_areNotNamed() throws Exception {
    Path tree = root.resolve(".ralph/worktrees/goals.1");
    try (RepositoryWatch watch = begin()) {
      git("worktree", "add", "--quiet", "--detach", tree.toString());
      write(tree, "new.txt");
      assertThat(watch.compare()).isEmpty();
      git("worktree", "remove", "--force", tree.toString());
      assertThat(watch.compare()).isEmpty();
    }
  }

  private static void write(Path tree, String... files) throws IOException {
    for (String file : files) {
      Files.writeString(tree.resolve(file), "changed " + file + "\n");
    }
  }

  private void shell(String script) throws Exception {
    Process process = new ProcessBuilder("sh", "-c", script).directory(root.toFile()).start();
    assertThat(process.waitFor()).isZero();
  }

  @Test
  void addedStash_isNamedAndCanBeDropped() throws Exception {
    try (RepositoryWatch watch = begin()) {
      stash("more");
      assertThat(watch.compare()).singleElement().asString().contains("added").contains("more");
      git("stash", "drop", "--quiet");
      assertThat(watch.compare()).singleElement().asString().contains("removed").contains("more");
    }
  }

  @Test
  void ownStash_isNamedAndNotKept() throws Exception {
    git("checkout", "--quiet", "-b", "ralph/goal.t1");
    try (RepositoryWatch watch = begin()) {
      stash("own");
      assertThat(watch.compare()).singleElement().asString().contains("On ralph/goal.t1: own");
      git("stash", "drop", "--quiet");
      assertThat(watch.compare()).isEmpty();
    }
    assertThat(kept()).isEmpty();
  }

  @Test
  void deletedReferences_areKeptAndNamed() throws Exception {
    String feature = commit("feature");
    String other = commit("ralph/other");
    git("tag", "-m", "a tag", "v1", feature);
    git("branch", "merged");
    try (RepositoryWatch watch = begin()) {
      git("branch", "--quiet", "-D", "feature", "merged", "ralph/other");
      git("tag", "-d", "v1");
      collect();
      assertThat(watch.compare())
          .singleElement()
          .asString()
          .contains("feature (kept as refs/ralph-kept/goal/heads/feature)")
          .contains("ralph/other (kept as refs/ralph-kept/goal/heads/ralph/other)")
          .contains("tag v1 (kept as refs/ralph-kept/goal/tags/v1)")
          .contains("merged,");
    }
    assertThat(git("rev-parse", "refs/ralph-kept/goal/heads/feature")).isEqualTo(feature);
    assertThat(git("rev-parse", "refs/ralph-kept/goal/heads/ralph/other")).isEqualTo(other);
    assertThat(kept()).hasSize(3);
  }

  @Test
  void movedBranches_areNamedAndKeptIfLost() throws Exception {
    String feature = commit("feature");
    git("branch", "behind", "main");
    try (RepositoryWatch watch = begin()) {
      git("branch", "-f", "behind", feature);
      git("branch", "-f", "feature", "main");
      assertThat(watch.compare()).singleElement().asString().contains("moved").contains("behind");
      git("branch", "-f", "behind", "main");
      assertThat(watch.compare())
          .singleElement()
          .asString()
          .contains("behind (kept as refs/ralph-kept/goal/heads/behind)");
      git("commit", "--quiet", "--allow-empty", "-m", "of the user's");
      assertThat(watch.compare()).isEmpty();
    }
    assertThat(git("rev-parse", "refs/ralph-kept/goal/heads/behind")).isEqualTo(feature);
  }

  @Test
  void addedReferences_areNamed() throws Exception {
    try (RepositoryWatch watch = begin()) {
      commit("feature");
      git("tag", "v1");
      git("branch", "ralph/goal.t1");
      git("branch", "ralph/other");
      assertThat(watch.compare()).singleElement().asString().endsWith(": feature, tag v1");
    }
    assertThat(kept()).isEmpty();
  }

  @Test
  void workTrees_areNamedAndTheirCommitsKept() throws Exception {
    git("worktree", "add", "--quiet", "--detach", "../own");
    git("-C", "../own", "commit", "--quiet", "--allow-empty", "-m", "own");
    String own = git("-C", "../own", "rev-parse", "HEAD");
    try (RepositoryWatch watch = begin()) {
      git("worktree", "remove", "--force", "../own");
      git("worktree", "add", "--quiet", "--detach", "../more");
      git("worktree", "add", "--quiet", "--detach", ".ralph/worktrees/goal.1");
      collect();
      assertThat(watch.compare())
          .hasSize(2)
          .anyMatch(text -> text.contains("added") && text.endsWith("/more"))
          .anyMatch(text -> text.contains("removed") && text.contains("worktrees/own)"));
    }
    assertThat(git("rev-parse", "refs/ralph-kept/goal/worktrees/own")).isEqualTo(own);
  }

  @Test
  void killedRun_keepsReferencesDeletedByItsAgent() throws Exception {
    commit("feature");
    String entry = stash("user's");
    begin(); // never closed, as after a kill
    git("stash", "clear");
    collect();
    try (RepositoryWatch watch = begin()) {
      assertThat(watch.compare()).singleElement().asString().contains("goal/lost/" + entry);
    }
    assertThat(kept()).containsExactly("refs/ralph-kept/goal/lost/" + entry);
  }

  private List<String> kept() throws Exception {
    return git("for-each-ref", "--format=%(refname)", "refs/ralph-kept")
        .lines()
        .filter(line -> !line.isBlank())
        .toList();
  }

  /** A crash of the machine can leave a file with null bytes. */
  @Test
  void damagedRegistration_isReportedAsRemoval() throws Exception {
    git("worktree", "add", "--quiet", "--detach", folder.resolve("mine").toString());
    try (RepositoryWatch watch = begin()) {
      Files.write(root.resolve(".git/worktrees/mine/gitdir"), new byte[40]);
      assertThat(watch.compare())
          .singleElement()
          .asString()
          .startsWith("work trees were removed while an agent worked: ")
          .endsWith("mine");
    }
    begin().close();
    assertThat(GitTrees.trees(new Git(root, Duration.ofMinutes(1)))).hasSize(1);
  }
}
