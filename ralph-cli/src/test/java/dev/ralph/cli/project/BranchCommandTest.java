package dev.ralph.cli.project;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.ralph.Ralph;
import dev.ralph.cli.Terminal;
import dev.ralph.core.Worktree;
import dev.ralph.core.internal.branch.BranchHold;
import dev.ralph.core.internal.process.CommandResult;
import dev.ralph.core.internal.process.Git;
import dev.ralph.domain.ProcessIdentity;
import dev.ralph.log.Meta;
import dev.ralph.log.Topic;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The branches of sessions, and the commands that list, merge and delete them. */
class BranchCommandTest {

  @TempDir Path temporary;
  private Path folder;
  private Terminal terminal;

  @BeforeEach
  void repository() throws Exception {
    folder = Files.createDirectory(temporary.resolve("a project"));
    terminal = new Terminal(folder);
    git("init", "--quiet", "-b", "main");
    git("config", "user.name", "Somebody");
    git("config", "user.email", "somebody@example.org");
    Files.writeString(folder.resolve("a.txt"), "first\n");
    Files.writeString(folder.resolve(".gitignore"), ".ralph\n");
    git("add", ".");
    git("commit", "--quiet", "-m", "first");
  }

  private String git(String... arguments) throws InterruptedException {
    CommandResult answer = new Git(folder, Duration.ofMinutes(2)).run(arguments);
    assertThat(answer.isGood()).as(String.join(" ", arguments) + ": " + answer.why()).isTrue();
    return answer.line();
  }

  /** Creates a commit in a work tree, as a build does. */
  private Worktree work(String name, String file) throws Exception {
    Worktree tree = Worktree.open(folder, name);
    Files.writeString(tree.root().resolve(file), name + "\n");
    tree.commit("Work of " + name);
    return tree;
  }

  private String run(String... words) {
    Terminal.Result result = terminal.call(words);
    assertThat(result.code()).as(result.err()).isZero();
    return result.out();
  }

  private String refused(String... words) {
    Terminal.Result result = terminal.call(words);
    assertThat(result.code()).as(result.out()).isNotZero();
    return result.err();
  }

  @Test
  void sessionBranch_isListedMergedAndDiscarded() throws Exception {
    assertThat(run("branch", "list")).startsWith("No session branches");
    assertThat(refused("branch", "diff")).contains("no session branches");
    work("auth", "new.txt");

    assertThat(run("branch", "list")).isEqualTo("ralph/auth  1 commit\n");
    assertThat(run("branch", "diff")).contains("+++ b/new.txt\n").contains("+auth\n");
    assertThat(refused("branch", "discard", "auth")).contains("would lose: 1 commit");
    assertThat(folder.resolve("new.txt")).doesNotExist();

    Terminal.Result merged = terminal.call("branch", "merge", "auth");
    assertThat(merged.out()).isEqualTo("Merged 1 commit from ralph/auth\n");
    assertThat(merged.err()).contains("ralph branch discard auth");
    assertThat(folder.resolve("new.txt")).hasContent("auth\n");
    assertThat(git("log", "--format=%s", "main")).isEqualTo("Work of auth\nfirst");
    assertThat(run("branch", "list")).isEqualTo("ralph/auth  nothing left to merge\n");
    assertThat(run("branch", "merge")).contains("Nothing left to merge from");

    assertThat(run("branch", "discard")).isEqualTo("Discarded ralph/auth\n");
    assertThat(git("branch", "--list", "ralph/*")).isEmpty();
    assertThat(git("for-each-ref", "refs/ralph")).isEmpty();
    assertThat(folder.resolve(".ralph/worktrees/auth")).doesNotExist();
    assertThat(refused("branch", "merge", "auth"))
        .contains("exists here: the work tree was never created");
    assertThat(work("auth", "again.txt").root()).as("created again").exists();
  }

  @Test
  void pushedSessionBranch_isListedAndMerged() throws Exception {
    String pushed = git("commit-tree", "-p", "HEAD", "-m", "Iteration 1 of auth", "HEAD^{tree}");
    for (String name : new String[] {"auth", "auth-story-1-failed-1", "auth-left-1", "a.b"}) {
      git("push", "--quiet", ".", pushed + ":refs/heads/ralph/" + name);
    }
    assertThat(run("branch", "list"))
        .isEqualTo("ralph/auth  1 commit, failed work on ralph/auth-story-1-failed-1\n");
    assertThat(run("branch", "diff")).isEmpty();
    assertThat(run("branch", "merge")).isEqualTo("Merged 1 commit from ralph/auth\n");
    assertThat(git("rev-parse", "main")).isEqualTo(pushed);
    assertThat(run("branch", "discard", "--force")).isEqualTo("Discarded ralph/auth\n");
    assertThat(run("branch", "list")).startsWith("No session branches");
  }

  @Test
  void divergedOrDirtyBranch_isNotMergedUnsafely() throws Exception {
    Worktree tree = work("auth", "new.txt");
    Files.writeString(folder.resolve("a.txt"), "my own change\n");
    git("commit", "--quiet", "-am", "mine");
    assertThat(refused("branch", "merge"))
        .contains("main has 1 commit that ralph/auth does not have")
        .contains("git -C")
        .contains("merge main");
    assertThat(run("branch", "list")).isEqualTo("ralph/auth  1 commit; 1 behind\n");
    git("-C", tree.root().toString(), "merge", "--quiet", "main");
    Files.writeString(tree.root().resolve("more.txt"), "not committed\n");

    Terminal.Result merged = terminal.call("branch", "merge");

    assertThat(merged.code()).as(merged.err()).isZero();
    assertThat(merged.err()).contains("1 file with uncommitted changes in the work tree");
    assertThat(folder.resolve("new.txt")).exists();
    assertThat(folder.resolve("a.txt")).hasContent("my own change\n");
    assertThat(refused("branch", "discard")).contains("would lose: 1 changed file");
    git("switch", "--quiet", "--detach");
    assertThat(refused("branch", "merge")).contains("no branch is checked out");
    assertThat(run("branch", "discard", "--force")).contains("Discarded");
    assertThat(tree.root()).doesNotExist();
  }

  @Test
  void failedWork_isDiscardedWithBranch() throws Exception {
    Worktree house = work("house", "a-house.txt");
    Worktree other = work("house-two", "b-house.txt");
    for (Worktree tree : new Worktree[] {house, other}) {
      Files.writeString(tree.root().resolve("bad.txt"), "bad\n");
      tree.setAside("story-1", "left");
    }
    assertThat(run("branch", "list"))
        .isEqualTo(
            "ralph/house  1 commit, failed work on ralph/house-story-1-failed-1\n"
                + "ralph/house-two  1 commit, failed work on ralph/house-two-story-1-failed-1\n");
    assertThat(refused("branch", "diff")).contains("ralph branch list shows 2");
    run("branch", "discard", "house", "--force");
    assertThat(git("branch", "--format=%(refname:short)", "--list", "ralph/*").lines())
        .containsExactly("ralph/house-two", "ralph/house-two-story-1-failed-1");
    JsonNode json = new ObjectMapper().readTree(run("branch", "list", "--json"));
    assertThat(json.at("/kind").textValue()).isEqualTo("branches");
    JsonNode one = json.at("/branches/0");
    assertThat(one.at("/name").textValue()).isEqualTo("house-two");
    assertThat(one.at("/commits").intValue()).isEqualTo(1);
    assertThat(one.at("/set_aside/0").textValue()).isEqualTo("ralph/house-two-story-1-failed-1");
  }

  @Test
  void heldBranch_isNeitherDiscardedNorMerged() throws Exception {
    Worktree tree = work("auth", "new.txt");
    work("other", "other.txt");
    Terminal inTree = new Terminal(tree.root());
    BranchHold held = BranchHold.take(folder, "auth");
    try (held) {
      assertThat(refused("branch", "discard", "auth", "--force"))
          .contains("the branch ralph/auth is in use by this process");
      git("-C", tree.root().toString(), "reset", "--quiet", "--hard", "main");
      assertThat(inTree.call("branch", "merge", "other").err()).contains("ralph/auth is in use");
      assertThat(git("rev-parse", "ralph/auth")).isEqualTo(git("rev-parse", "main"));
    }
    assertThat(inTree.call("branch", "merge", "other").out()).contains("Merged 1 commit");
    assertThat(run("branch", "discard", "auth", "--force")).contains("Discarded");
  }

  @Test
  void branchOfSessionWithLoop_isNotDiscarded() throws Exception {
    work("auth", "new.txt");
    run("task", "add", "-n", "auth", "--create", "begin a store");
    try (Ralph ralph = Ralph.open(folder.resolve(".ralph/store"))) {
      Meta begun = Meta.of("action", "loop_start").with("run", "1").with("first", 1);
      Meta host = new ProcessIdentity("blue", 7, 0).in(begun.with("lease", 60_000));
      ralph.append(Topic.of("ralph.auth.control"), host, "");
    }
    assertThat(refused("branch", "discard", "auth", "--force"))
        .contains("a loop runs the session auth, in process 7 on blue")
        .contains("ralph stop -n auth");
    run("stop", "-n", "auth", "--gone");
    assertThat(run("branch", "discard", "auth", "--force")).contains("Discarded");
  }
}
