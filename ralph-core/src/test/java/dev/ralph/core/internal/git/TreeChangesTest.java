package dev.ralph.core.internal.git;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import dev.ralph.core.internal.process.CommandResult;
import dev.ralph.core.internal.process.Git;
import dev.ralph.core.internal.process.ProcessSpec;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Changes are listed and committed even if the index, the configuration or an agent's rules hide
 * them.
 */
@Timeout(300)
class TreeChangesTest {

  @TempDir Path folder;
  private Path root;
  private Git git;

  @BeforeEach
  void repository() throws Exception {
    root = Files.createDirectories(folder.toRealPath().resolve("a repo"));
    git = new Git(root, Duration.ofMinutes(2));
    ask("init", "--quiet", "-b", "main");
    ask("config", "user.name", "Somebody");
    ask("config", "user.email", "somebody@example.org");
    write("a.txt", "one\n");
    write("sub/b.txt", "one\n");
    write(".gitignore", "built/\n*.log\n");
    write("sub/.gitignore", "/only\nany\n!keep.log\n");
    commit();
  }

  private void write(String path, String text) throws Exception {
    Files.createDirectories(root.resolve(path).getParent());
    Files.writeString(root.resolve(path), text);
  }

  private void commit() throws Exception {
    ask("add", "--all");
    ask("commit", "--quiet", "-m", "first");
  }

  private String ask(String... arguments) throws Exception {
    CommandResult answer = git.run(arguments);
    assertThat(answer.isGood()).as(String.join(" ", arguments) + ": " + answer.why()).isTrue();
    return answer.line();
  }

  private void shell(String script) throws Exception {
    CommandResult answer =
        ProcessSpec.command("sh", "-ec", script)
            .directory(root)
            .run(Duration.ofMinutes(2), Duration.ofSeconds(5), 10_000);
    assertThat(answer.isGood()).as(answer.why()).isTrue();
  }

  private IgnoreRules rules() throws Exception {
    return IgnoreRules.of(git, GitTrees.common(git, root), "HEAD");
  }

  /** Each script changes a.txt or adds w, and hides the change. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "echo w > w; echo '*' > .gitignore",
        "echo w > w; echo w >> .git/info/exclude",
        "echo w > w; echo w > ../mine; git config core.excludesFile \"$(pwd)/../mine\"",
        "echo w > w; git config status.showUntrackedFiles no",
        "mkdir w; echo w > w/w; echo '*' > w/.gitignore",
        "mkdir -p w/x; echo w > w/x/w; echo '*' > w/.gitignore; echo '!.gitignore' > w/x/.gitignore",
        "echo w > 'w \"\\ü'; echo 'w*' >> .gitignore",
        "printf w > \"$(printf 'w\\377')\"; echo 'w*' >> .gitignore",
        "ln -s nowhere w; echo w >> .gitignore",
        "echo w > '#w'; echo '*w' >> .gitignore",
        "echo w > ':(exclude)w'; echo '*w' >> .gitignore",
        "echo w > A.TXT; git config core.ignoreCase true",
        "git update-index --skip-worktree a.txt; echo w > a.txt",
        "git update-index --assume-unchanged a.txt; echo w > a.txt",
        "git update-index --assume-unchanged a.txt; git update-index --skip-worktree a.txt;"
            + " echo w > a.txt",
        "git config core.ignoreStat true; git update-index --refresh --again; git checkout -q ."
            + " ; git reset -q --hard; touch a.txt; git add a.txt; echo w > a.txt",
        "git update-index --skip-worktree a.txt; rm a.txt",
        "git config core.sparseCheckout true; git update-index --skip-worktree a.txt; echo w > a.txt",
      })
  void hiddenChange_isListedAndStaged(String script) throws Exception {
    TreeChanges changes = new TreeChanges(git, root, rules());
    shell(script);

    assertThat(changes.all()).isNotEmpty();
    String index = ask("ls-files", "-v");
    changes.all();
    assertThat(ask("ls-files", "-v")).as("unchanged index").isEqualTo(index);
    changes.stage();
    ask("commit", "--quiet", "-m", "work");
    assertThat(changes.all()).isEmpty();
    assertThat(ask("show", "--format=", "--name-only", "HEAD")).containsPattern("(?i)w|a[.]txt");
  }

  @Test
  void unreadableFolder_isListed() throws Exception {
    write("closed/w", "w\n");
    Path closed = root.resolve("closed");
    shell("chmod 000 closed");
    try {
      assumeFalse(Files.isReadable(closed), "this user reads all folders");
      assertThat(new TreeChanges(git, root, rules()).all()).containsExactly("closed/");
    } finally {
      shell("chmod 700 closed");
    }
  }

  @Test
  void nameWithSpace_isListedOnce() throws Exception {
    write("new file", "new\n");
    write("a\\ \"b", "new\n");
    assertThat(new TreeChanges(git, root, rules()).all().stream().map(TreeChanges::plain))
        .containsExactlyInAnyOrder("new file", "a\\ \"b");
  }

  /**
   * Compares the commit with the whole tree, because paths without the letter w must also be found.
   */
  @Test
  void stagedTree_hasEachFile() throws Exception {
    TreeChanges changes = new TreeChanges(git, root, rules());
    shell(
        "mkdir -p venv/bin; echo '*' > venv/.gitignore; echo 1 > venv/bin/python;"
            + " mkdir built; echo 1 > built/x; echo 1 > y.log; echo 1 > sub/any; echo '*' > .gitignore");

    List<String> forced = changes.stage();

    assertThat(forced).containsExactly("venv/.gitignore", "venv/bin/python");
    assertThat(ask("ls-files").lines())
        .containsExactlyInAnyOrder(
            ".gitignore",
            "a.txt",
            "sub/.gitignore",
            "sub/b.txt",
            "venv/.gitignore",
            "venv/bin/python");
    assertThat(changes.ignored()).containsExactlyInAnyOrder("built/", "sub/any", "y.log");
  }

  @Test
  void folderNoLongerIgnored_isWork() throws Exception {
    TreeChanges changes = new TreeChanges(git, root, rules());
    shell("mkdir built; echo 1 > built/x; : > .gitignore");
    assertThat(changes.all()).containsExactly(".gitignore", "built/x");
    changes.stage();
    assertThat(ask("ls-files", "built")).isEqualTo("built/x");
  }

  @Test
  void ruleRecordedAsAgents_isNotTheUsers() throws Exception {
    shell("echo mine >> .git/info/exclude; echo agents >> .git/info/exclude");
    Path common = GitTrees.common(git, root);
    IgnoreRules.addByAgent(common, List.of("agents", ""));
    shell("echo 1 > mine; echo 1 > agents");
    assertThat(new TreeChanges(git, root, rules()).untracked()).containsExactly("agents");
  }

  @Test
  void nestedRepository_isListedAsAFolder() throws Exception {
    shell("git init -q lib; echo 1 > lib/x");
    assertThat(new TreeChanges(git, root, rules()).untracked()).containsExactly("lib/");
  }

  @Test
  void sparseCheckout_keepsItsBits() throws Exception {
    shell("git sparse-checkout set --no-cone '/*' '!/sub/'");
    TreeChanges changes = new TreeChanges(git, root, rules());
    assertThat(changes.all()).isEmpty();
    assertThat(changes.reveal()).isEmpty();
    assertThat(ask("ls-files", "-v", "sub")).isEqualTo("S sub/.gitignore\nS sub/b.txt");
    write("sub/b.txt", "changed\n");
    assertThat(changes.all()).containsExactly("sub/b.txt");
  }

  @Test
  void subfolder_listsWholeTree() throws Exception {
    shell("echo w > w; echo w >> .git/info/exclude; git update-index --skip-worktree a.txt");
    write("a.txt", "changed\n");
    Git below = new Git(root.resolve("sub"), Duration.ofMinutes(2));
    IgnoreRules none = new IgnoreRules("");
    assertThat(new TreeChanges(below, root, none).all()).containsExactly("a.txt", "w");
    new TreeChanges(below, root, none).stage();
    assertThat(ask("diff", "--cached", "--name-only")).isEqualTo("a.txt\nw");
  }

  /** The ignore rules of a commit, collected at the top, ignore the same files as git. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "x",
        "/x",
        "x/",
        "d/x",
        "/d/x",
        "d/",
        "*.o",
        "!x",
        "x\n!x",
        "*\n!x",
        "**/x",
        "d/**",
        "\\#x",
        "#x",
        "\\!x",
        "x ",
        "x\\ ",
        "[xy]",
        "d/*\n!d/x",
        "\uFEFFx",
        "x\r\ny",
        "",
        "*",
        "/*",
        "d/**/x"
      })
  void nestedRules_areThoseOfGit(String rules) throws Exception {
    for (String top : List.of("", "!x")) {
      ask("rm", "-r", "-q", "--cached", ".");
      write(".gitignore", top + "\n");
      write("s[a]b/.gitignore", rules + "\n");
      ask("add", "--force", ".gitignore", "s[[]a]b/.gitignore");
      ask("commit", "--quiet", "--allow-empty", "-m", "rules");
      for (String path : List.of("x", "y", "d/x", "d/y", "d/e/x", "a.o", "#x", "!x", "x ")) {
        write(path, "");
        write("s[a]b/" + path, "");
        write("sab/" + path, "");
      }
      String expected = ask("ls-files", "--others", "--exclude-standard");
      assertThat(new TreeChanges(git, root, rules()).untracked())
          .as(top + " above " + rules)
          .containsExactlyElementsOf(expected.lines().toList());
    }
  }

  @ParameterizedTest
  @CsvSource({
    "'', x, x",
    "s/, x, /s/**/x",
    "s/, /x, /s/x",
    "s/, x/, /s/**/x/",
    "s/, x/y, /s/x/y",
    "s/t/, !x, !/s/t/**/x",
    "s*/, /x, /s\\*/x",
    "s/, '#x', '#x'"
  })
  void rule_movesToTheTop(String folder, String rule, String expected) {
    assertThat(IgnoreRules.fromTop(folder, rule)).isEqualTo(expected);
  }

  static Stream<List<String>> quoted() {
    return Stream.of(
        List.of("a b", "a b"),
        List.of("\"a\\\"b\\\\\\t\"", "a\"b\\\t"),
        List.of("\"\\303\\274/\"", "ü/"),
        List.of("\"", "\""));
  }

  @ParameterizedTest
  @MethodSource("quoted")
  void quotedPath_isDecoded(List<String> path) {
    assertThat(TreeChanges.plain(path.get(0))).isEqualTo(path.get(1));
  }
}
