package dev.ralph.cli.call;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.cli.Terminal;
import dev.ralph.cli.Terminal.Result;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Commands find the store and the template from any folder of a project. */
class ProjectTest {

  @TempDir Path folder;
  private Path repository;
  private Path below;

  @BeforeEach
  void makeARepository() throws IOException {
    repository = Files.createDirectories(folder.resolve("repository"));
    Files.createDirectory(repository.resolve(".git"));
    below = Files.createDirectories(repository.resolve("src/main/java"));
  }

  private static Terminal in(Path folder) {
    return new Terminal(folder).with("RALPH_SESSION", "auth");
  }

  private void makeAStore(Path at) {
    assertThat(in(at).call("task", "add", "--create", "one").code()).isZero();
    assertThat(at.resolve(".ralph/store")).isDirectory();
  }

  @Test
  void subfolder_findsStore() {
    makeAStore(repository);

    assertThat(in(below).call("tasks").out()).startsWith("t1 ");
    assertThat(in(below).call("message", "hello").code()).isZero();
    assertThat(in(repository).call("inbox").out()).contains("hello");
    assertThat(in(below).call("doctor").out())
        .contains("store: file at " + repository.resolve(".ralph/store"));
  }

  @Test
  void nearestStore_isUsed() {
    makeAStore(repository.resolve("src"));
    makeAStore(repository);
    in(repository.resolve("src")).call("task", "add", "two");

    assertThat(in(below).call("tasks").out()).hasLineCount(2);
    assertThat(in(repository).call("tasks").out()).hasLineCount(1);
  }

  @Test
  void subfolder_createsNoSecondStore() {
    makeAStore(repository);

    in(below).call("build", "--agent", "true", "-i", "1", "--prompt", "x");
    in(below).call("task", "add", "--create", "two");

    assertThat(in(repository).call("iterations").out()).contains("#1");
    assertThat(in(repository).call("tasks").out()).hasLineCount(2);
    assertThat(below.resolve(".ralph")).doesNotExist();
  }

  @Test
  void search_endsAtWorkTreeRoot() throws IOException {
    makeAStore(folder);

    Result none = in(below).call("tasks");
    assertThat(none.code()).isEqualTo(1);
    assertThat(none.err())
        .startsWith("ralph: no store in '" + below + "' or a folder above it, up to '")
        .contains(repository + "'", "--store")
        .hasLineCount(1);

    Files.delete(repository.resolve(".git"));
    assertThat(in(below).call("tasks").out()).startsWith("t1 ");
    Files.writeString(repository.resolve(".git"), "gitdir: elsewhere\n");
    assertThat(in(below).call("tasks").code()).as("linked work tree").isEqualTo(1);
  }

  @Test
  void search_endsBelowGitCeiling() throws IOException {
    Files.delete(repository.resolve(".git"));
    makeAStore(repository);
    Terminal terminal = in(below).with("GIT_CEILING_DIRECTORIES", "/nowhere:" + repository);

    Result none = terminal.call("tasks");
    assertThat(none.code()).isEqualTo(1);
    assertThat(none.err()).contains("up to '" + repository.resolve("src") + "'");
    assertThat(in(repository).with("GIT_CEILING_DIRECTORIES", "" + repository).call("tasks").out())
        .as("the search includes the current folder")
        .startsWith("t1 ");
    Files.createDirectory(repository.resolve(".git"));
    assertThat(terminal.call("mail", "list").err())
        .as("repository above the ceiling")
        .contains("no store");
  }

  @Test
  void storeOption_isTakenLiterally() {
    makeAStore(repository);

    assertThat(in(below).call("tasks", "--store", ".ralph/store").err())
        .contains("no store at '" + below.resolve(".ralph/store") + "'");
    assertThat(in(below).call("task", "add", "two", "--store", "own").code())
        .as("a typing error in --store creates nothing")
        .isEqualTo(1);
    assertThat(in(below).call("task", "add", "two", "--store", "own", "--create").code()).isZero();
    assertThat(in(repository).call("tasks").out()).hasLineCount(1);
  }

  @Test
  void relativeStoreVariable_isFoundFromSubfolder() {
    in(repository).call("task", "add", "--create", "--store", "state/log", "one");
    Terminal there = in(below).with("RALPH_STORE", "./state/log");

    assertThat(there.call("tasks").out()).startsWith("t1 ");
    assertThat(there.call("task", "add", "--create", "two").err()).isEmpty();
    assertThat(there.call("tasks").out()).hasLineCount(2);
    assertThat(below.resolve("state")).doesNotExist();
  }

  @Test
  void relativeStoreVariable_fallsBackToCurrentFolder() {
    in(repository).call("task", "add", "--create", "--store", "log", "one");

    assertThat(in(below).with("RALPH_STORE", "other").call("tasks").err())
        .contains("no store at '" + below.resolve("other") + "'");
    assertThat(in(repository.resolve("src")).with("RALPH_STORE", "../log").call("tasks").out())
        .startsWith("t1 ");
    assertThat(in(below).with("RALPH_STORE", "../log").call("tasks").err())
        .contains("no store at '" + below.resolveSibling("log") + "'");
  }

  @Test
  void newStore_isAnnounced() {
    String made = "ralph: created the store " + below.resolve(".ralph/store") + "\n";

    assertThat(in(below).call("task", "add", "one").err()).isEqualTo(made);
    assertThat(in(below).call("task", "add", "two").err()).isEmpty();
    assertThat(
            in(repository)
                .call("build", "--agent", "true", "-i", "1", "--prompt", "x", "--store", "new")
                .err())
        .isEqualTo("ralph: created the store " + repository.resolve("new") + "\n");
  }

  @Test
  void message_createsNoStore() {
    Result refused = in(below).call("message", "hello");

    assertThat(refused.code()).isEqualTo(1);
    assertThat(refused.err()).contains("no store in").hasLineCount(1);
    assertThat(below.resolve(".ralph")).doesNotExist();
  }

  @Test
  void agent_getsAbsoluteStorePath() {
    makeAStore(repository);

    String agent = "sh -c 'echo \"in $RALPH_STORE by $RALPH\"'";
    assertThat(in(below).call("build", "--agent", agent, "-i", "1", "--prompt", "{{tools}}").out())
        .contains("in " + repository.resolve(".ralph/store") + " by " + Terminal.LAUNCHER);
  }

  @Test
  void subfolder_findsTemplate() throws IOException {
    Files.writeString(repository.resolve(".ralph.template"), "ours {{session}} {{inbox}}");

    assertThat(in(below).call("build", "--dry-run", "--prompt", "own").out()).startsWith("own");
    Files.createDirectories(below.resolve("specs"));
    Files.writeString(below.resolve("specs/SPEC.md"), "# Spec\n");
    assertThat(in(below).call("build", "--dry-run").out()).startsWith("ours auth");
    Files.writeString(below.resolve(".ralph.template"), "nearer {{inbox}}");
    assertThat(in(below).call("build", "--dry-run").out()).startsWith("nearer");
  }
}
