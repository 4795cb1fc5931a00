package dev.ralph.core.internal.git;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.core.internal.process.CommandResult;
import dev.ralph.core.internal.process.Git;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Work trees whose file {@code .git} an agent replaced by a repository. */
@Timeout(120)
class ReplacedGitTest {

  @TempDir Path folder;
  private Path root;
  private Path tree;

  @BeforeEach
  void repositories() throws Exception {
    root = Files.createDirectories(folder.toRealPath().resolve("a repo"));
    init(root);
    commit(root, "first.txt");
    tree = root.resolve(".ralph/worktrees/goal");
    git(root, "worktree", "add", "--quiet", "--detach", tree.toString());
    Files.delete(tree.resolve(".git"));
    init(tree);
  }

  private static void init(Path folder) throws Exception {
    git(folder, "init", "--quiet", "--template=", "-b", "main");
    git(folder, "config", "user.name", "Somebody");
    git(folder, "config", "user.email", "somebody@example.org");
  }

  private static String git(Path folder, String... arguments) throws Exception {
    CommandResult answer = new Git(folder, Duration.ofMinutes(1)).run(arguments);
    assertThat(answer.isGood()).as(String.join(" ", arguments) + ": " + answer.why()).isTrue();
    return answer.line();
  }

  private static String commit(Path folder, String file) throws Exception {
    Files.writeString(folder.resolve(file), file + "\n");
    git(folder, "add", file);
    git(folder, "commit", "--quiet", "-m", file);
    return git(folder, "rev-parse", "HEAD");
  }

  private String stash(String text) throws Exception {
    Files.writeString(tree.resolve("a.txt"), text);
    git(tree, "stash", "push", "--quiet");
    return git(tree, "rev-parse", "refs/stash");
  }

  private String remove() throws Exception {
    return ReplacedGit.remove(Git.alone(root, Duration.ofMinutes(1)), tree, "ralph/goal-left-");
  }

  @Test
  void commitsOfReplacement_areKept() throws Exception {
    String first = commit(tree, "a.txt");
    String older = stash("older\n");
    String newer = stash("newer\n");
    String undone = commit(tree, "undone.txt");
    git(tree, "reset", "--quiet", "--hard", "HEAD^");
    String other = commit(tree, "other.txt");
    git(tree, "update-ref", "refs/notes/own", other);
    git(tree, "reset", "--quiet", "--hard", "HEAD^");

    assertThat(remove()).endsWith("on the branch ralph/goal-left-1");

    assertThat(git(root, "rev-list", "ralph/goal-left-1").lines())
        .contains(first, older, newer, undone, other);
    assertThat(git(root, "ls-tree", "--name-only", "ralph/goal-left-1")).isEqualTo("a.txt");
    assertThat(tree.resolve(".git")).doesNotExist();
  }

  /** The list of commits with their children is longer than the output that the runner keeps. */
  @Test
  void manyCommits_areKept() throws Exception {
    StringBuilder commits = new StringBuilder();
    for (int i = 1; i <= 1_200; i++) {
      commits.append("commit refs/heads/main\nmark :").append(i);
      commits.append("\ncommitter A <a@example.org> ").append(i).append(" +0000\ndata 0\n");
      for (int parent = i - 1; parent > 0 && parent >= i - 200; parent--) {
        commits.append(parent == i - 1 ? "from :" : "merge :").append(parent).append('\n');
      }
    }
    commits.append("commit refs/heads/other\ncommitter A <a@example.org> 9000 +0000\n");
    commits.append("data 0\nfrom :1200\n");
    Git own = new Git(tree, Duration.ofMinutes(1));
    CommandResult imported = own.runWith(commits.toString(), "fast-import", "--quiet");
    assertThat(imported.isGood()).as(imported.why()).isTrue();
    String other = git(tree, "rev-parse", "other");

    assertThat(remove()).endsWith("on the branch ralph/goal-left-1");

    String[] contains = {"merge-base", "--is-ancestor", other, "ralph/goal-left-1"};
    assertThat(new Git(root, Duration.ofMinutes(1)).run(contains).isGood()).isTrue();
  }

  @Test
  void replacementWithSubmodules_isRenamed() throws Exception {
    Path module = Files.createDirectories(tree.resolve(".git/modules/lib"));
    Files.writeString(module.resolve("HEAD"), "ref: refs/heads/main\n");

    assertThat(remove()).endsWith("now renamed to " + tree.resolve(".git-left-1"));

    assertThat(tree.resolve(".git-left-1/modules/lib/HEAD")).exists();
  }

  @Test
  void replacementWithoutCommit_isRemoved() throws Exception {
    assertThat(remove()).endsWith("by a new repository, which was removed");
    assertThat(tree.resolve(".git")).doesNotExist();
  }
}
