package dev.ralph.core.internal.git;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ralph.core.internal.process.CommandResult;
import dev.ralph.core.internal.process.Git;
import dev.ralph.log.RalphException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Filters of agents that drop content of files in a work tree. */
@Timeout(120)
class FilteredFilesTest {

  @TempDir Path folder;
  private Path root;
  private Path tree;

  @BeforeEach
  void repository() throws Exception {
    root = Files.createDirectories(folder.toRealPath().resolve("a repo"));
    git(root, "init", "--quiet", "--template=", "-b", "main");
    git(root, "config", "user.name", "Somebody");
    git(root, "config", "user.email", "somebody@example.org");
    Files.writeString(root.resolve("a.txt"), "one\n");
    git(root, "add", ".");
    git(root, "commit", "--quiet", "-m", "first");
    tree = root.resolve(".ralph/worktrees/goal");
    git(root, "worktree", "add", "--quiet", "-b", "ralph/goal", tree.toString());
  }

  private static String git(Path folder, String... arguments) throws Exception {
    CommandResult answer = new Git(folder, Duration.ofMinutes(1)).run(arguments);
    assertThat(answer.isGood()).as(String.join(" ", arguments) + ": " + answer.why()).isTrue();
    return answer.line();
  }

  /** Writes a file that git adds through a filter, with an old time, so that git trusts it. */
  private void write(String text) throws Exception {
    Files.writeString(tree.resolve(".gitattributes"), "*.dat filter=own\n");
    Path file = Files.writeString(tree.resolve("w.dat"), text);
    Files.setLastModifiedTime(file, FileTime.from(Instant.now().minusSeconds(3600)));
  }

  private TreeChanges changes() throws Exception {
    Git git = new Git(tree, Duration.ofMinutes(1));
    return new TreeChanges(git, tree, IgnoreRules.of(git, GitTrees.common(git, tree), "HEAD"));
  }

  @Test
  void filterOfASingleCommand_dropsNothing() throws Exception {
    write("precious\n");
    git(tree, "-c", "filter.own.clean=true", "add", ".");
    git(tree, "commit", "--quiet", "-m", "agent's");
    assertThat(git(tree, "show", "HEAD:w.dat")).isEmpty();

    assertThat(changes().all()).containsExactly("w.dat");
    assertThat(changes().reveal()).containsExactly("w.dat");
    changes().stage();

    assertThat(git(tree, "show", ":w.dat")).isEqualTo("precious");
    git(tree, "commit", "--quiet", "-m", "kept");
    assertThat(changes().all()).isEmpty();
  }

  @Test
  void filterOfTheConfiguration_isRefused() throws Exception {
    try (RepositoryWatch watch = RepositoryWatch.begin(root.resolve(".git"), "goal")) {
      git(tree, "config", "filter.own.clean", "tr -d p");
      write("precious\n");
      git(tree, "add", ".");
      git(tree, "commit", "--quiet", "-m", "agent's");
      assertThat(watch.compare()).singleElement().asString().contains("filter.own.clean");
    }
    assertThat(changes().all()).containsExactly("w.dat");
    assertThatThrownBy(() -> changes().stage())
        .isInstanceOf(RalphException.class)
        .hasMessageContaining("the filter own")
        .hasMessageContaining("w.dat");

    git(tree, "config", "--unset", "filter.own.clean");
    changes().stage();
    assertThat(git(tree, "show", ":w.dat")).isEqualTo("precious");
  }

  @Test
  void losslessFilterAndFilterOfTheUser_areNoChange() throws Exception {
    git(root, "config", "filter.users.clean", "tr -d p");
    try (RepositoryWatch watch = RepositoryWatch.begin(root.resolve(".git"), "goal")) {
      git(tree, "config", "filter.own.clean", "tr a-z b-za");
      git(tree, "config", "filter.own.smudge", "tr b-za a-z");
      write("precious\n");
      Files.writeString(tree.resolve(".gitattributes"), "*.dat filter=own\n*.md filter=users\n");
      Files.writeString(tree.resolve("x.md"), "precious\n");
      git(tree, "add", ".");
      git(tree, "commit", "--quiet", "-m", "agent's");
      assertThat(watch.compare()).hasSize(1);
    }
    assertThat(changes().all()).isEmpty();
    changes().stage();
    assertThat(git(tree, "show", ":x.md")).isEqualTo("recious");
  }

  @Test
  void mergeDriver_isRemovedAndAlternatesAreNamed() throws Exception {
    try (RepositoryWatch watch = RepositoryWatch.begin(root.resolve(".git"), "goal")) {
      git(tree, "config", "merge.own.driver", "true");
      Path info = Files.createDirectories(root.resolve(".git/objects/info"));
      Files.writeString(info.resolve("alternates"), folder + "\n");
      assertThat(watch.compare())
          .anyMatch(text -> text.contains("merge.own.driver; the earlier values are restored"))
          .anyMatch(text -> text.contains("objects/info/alternates"));
    }
    Git git = new Git(root, Duration.ofMinutes(1));
    assertThat(git.run("config", "merge.own.driver").isGood()).isFalse();
  }

  @Test
  void nameThatCannotBeEncoded_isNotTouched() throws Exception {
    write("precious\n");
    FilteredFiles files = new FilteredFiles(new Git(tree, Duration.ofMinutes(1)), tree);
    assertThat(files.touch(List.of("a\0b", "w.dat"))).containsExactly("w.dat");
  }
}
