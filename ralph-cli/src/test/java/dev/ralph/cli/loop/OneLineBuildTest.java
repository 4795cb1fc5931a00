package dev.ralph.cli.loop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.AgentResult;
import dev.ralph.Loop;
import dev.ralph.Ralph;
import dev.ralph.cli.Terminal;
import dev.ralph.cli.Terminal.Result;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code ralph build TEXT}. */
@Timeout(300)
class OneLineBuildTest {

  private static final String TASK = "Add a dark mode";

  @TempDir Path folder;
  private Path shop;
  private Terminal terminal;

  @BeforeEach
  void emptyFolder() throws IOException {
    shop = Files.createDirectory(folder.resolve("Shop"));
    terminal = new Terminal(shop);
  }

  private Result build(String text, String... more) {
    List<String> words = new ArrayList<>(List.of("build", text, "--agent", "true", "-i", "1"));
    words.addAll(List.of(more));
    return terminal.call(words.toArray(new String[0]));
  }

  private void git(String... words) throws Exception {
    List<String> command =
        new ArrayList<>(List.of("git", "-c", "user.name=A", "-c", "user.email=a@localhost"));
    command.addAll(List.of(words));
    Path log = folder.resolve("git.log");
    Process process =
        new ProcessBuilder(command)
            .directory(shop.toFile())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    assertThat(process.waitFor(2, TimeUnit.MINUTES)).isTrue();
    assertThat(process.exitValue()).as(Files.readString(log)).isZero();
  }

  private void repository(String branch) throws Exception {
    git("init", "-q", "-b", branch);
    git("commit", "-q", "--allow-empty", "-m", "Begin");
  }

  private List<String> tasks(String session) {
    return terminal.call("tasks", "-n", session).out().lines().toList();
  }

  @Test
  void sameLine_addsNoSecondTask() {
    Result first = build(TASK);
    Result again = build("  " + TASK + "\n");

    assertThat(first.code()).isEqualTo(3);
    assertThat(first.err()).contains("ralph: added t1: " + TASK);
    assertThat(first.out())
        .contains("continue with: ralph build -n shop 'Add a dark mode' --agent");
    assertThat(again.err()).isEqualTo("ralph: continuing t1: " + TASK + "\n");
    assertThat(terminal.sessions()).containsExactly("shop");
    assertThat(tasks("shop")).hasSize(1);
    assertThat(build("Another task").err()).contains("added t2: Another task");
  }

  @Test
  void planWithoutSession_isNamedLikeText() throws IOException {
    Files.writeString(shop.resolve("plan.md"), "- [ ] Write the parser\n");

    Result first = terminal.call("build", "--tasks", "plan.md", "--agent", "true", "-i", "1");
    assertThat(first.code()).as(first.err()).isEqualTo(3);
    assertThat(terminal.sessions()).containsExactly("shop");
    assertThat(tasks("shop")).hasSize(1);
  }

  @Test
  void textWithoutCommand_pointsToBuild() {
    assertThat(terminal.call(TASK).err())
        .contains("unknown command 'Add a dark mode'; to start work, write ralph build before");
  }

  /** A task may be completed before the loop is stopped. */
  @Test
  void completedTask_isRepeatedOnlyInCompleteSession() {
    build(TASK, "--gate", "false");
    terminal.call("task", "done", "t1");

    assertThat(build(TASK, "--gate", "false").err()).contains("t1: " + TASK + " is completed;");
    assertThat(build(TASK).code()).isZero();

    assertThat(build(TASK).err()).contains("added t2: " + TASK);
    terminal.call("task", "cancel", "t2");
    assertThat(build(TASK).err()).contains("added t3: " + TASK);
  }

  @Test
  void taskBesideRunningLoop_isAnnounced() {
    build(TASK);
    List<String> printed = new ArrayList<>();
    try (Ralph ralph = Ralph.open(shop.resolve(".ralph/store"));
        Loop loop =
            ralph
                .session(terminal.sessions().get(0))
                .loop(
                    turn -> {
                      printed.add(build("Another task").err());
                      return AgentResult.success();
                    })
                .directory(shop)
                .maxIterations(1)
                .build()) {
      loop.run();
    }

    assertThat(printed)
        .singleElement(InstanceOfAssertFactories.STRING)
        .contains("added t2: Another task; the running loop continues with it")
        .contains("a loop already runs on this session");
  }

  @Test
  void session_isNamedAfterBranch() throws Exception {
    repository("feature/dark-mode");
    Files.createDirectories(shop.resolve("src/main"));
    build(TASK);
    assertThat(terminal.sessions()).containsExactly("feature-dark-mode");

    git("checkout", "-q", "-b", "main");
    build("Another task");
    assertThat(terminal.sessions()).containsExactly("feature-dark-mode", "shop");
  }

  @Test
  void switchedBranch_continuesOpenTask() throws Exception {
    repository("main");
    build(TASK);
    git("checkout", "-q", "-b", "feature/dark-mode");

    assertThat(build(TASK).err()).contains("continuing t1");
    assertThat(terminal.sessions()).containsExactly("shop");
    build("Another task");
    assertThat(terminal.sessions()).containsExactly("feature-dark-mode", "shop");
  }

  @Test
  void folderBelow_findsSameSession() throws Exception {
    build(TASK);
    Path below = Files.createDirectories(shop.resolve("src/main"));

    Result result = new Terminal(below).call("build", TASK, "--agent", "true", "-i", "1");

    assertThat(result.err()).isEqualTo("ralph: continuing t1: " + TASK + "\n");
  }

  @Test
  void givenName_hasPrecedence() {
    build(TASK, "-n", "auth");
    assertThat(terminal.sessions()).containsExactly("auth");
    terminal.with("RALPH_SESSION", "other");
    build(TASK);
    assertThat(terminal.sessions()).containsExactly("auth", "other");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "  ", "plan.md", "src/plan.md"})
  void textWithoutTask_isRejected(String text) throws IOException {
    Files.createDirectory(shop.resolve("src"));
    Files.writeString(shop.resolve("plan.md"), "- [ ] one\n");
    Files.writeString(shop.resolve("src/plan.md"), "- [ ] one\n");

    Result result = build(text);

    assertThat(result.code()).isEqualTo(2);
    assertThat(result.err())
        .containsAnyOf("the task is empty", "is a file; use ralph build --tasks");
    assertThat(shop.resolve(".ralph")).doesNotExist();
  }

  @Test
  void nameOfSession_isNoTask() {
    build(TASK);

    assertThat(build("shop").err()).contains("'shop' is a session; use ralph build -n shop");
    assertThat(tasks("shop")).hasSize(1);
  }

  @Test
  void wordsWithoutQuotes_areRejected() {
    assertThat(terminal.call("build", "Add", "a", "mode").err())
        .contains("'a' is unexpected; put text with spaces in quotes");
    assertThat(terminal.call("build", TASK, "--change", "add-house").err())
        .contains("--change defines the work; omit 'Add a dark mode' or --change");
  }

  @Test
  void pipedTask_isAdded() {
    String[] words = {"build", "-", "--agent", "true", "-i", "1"};
    Result result = terminal.pipe("Line one\nLine two\n", words);

    assertThat(result.err()).contains("added t1: Line one\n");
    assertThat(result.out())
        .contains("continue with the same text piped into: ralph build -n shop");
    assertThat(terminal.pipe("Line one\nLine two\n", words).err()).contains("continuing t1");
  }

  @Test
  void controlCharacters_areShownAsText() {
    terminal.terminals("012").with("TERM", "xterm").with("NO_COLOR", "1");

    Result result = build("Add \u001b]0;x\u0007 dark\u001b[2J mode");

    assertThat(result.err()).contains("added t1: Add \\u001b]0;x\\u0007 dark\\u001b[2J mode");
    assertThat(result.out() + result.err()).doesNotContain("\u001b]", "\u001b[2J", "\u0007");
  }

  @Test
  void lostContentOfOtherTask_doesNotPreventTask() throws IOException {
    build("long ".repeat(100_000));
    try (Stream<Path> files = Files.walk(shop.resolve(".ralph/store/content"))) {
      for (Path file : (Iterable<Path>) files.filter(Files::isRegularFile)::iterator) {
        Files.delete(file);
      }
    }

    assertThat(build(TASK).err()).contains("added t2: " + TASK);
  }

  /** The key of a task with lost content must not prevent the same text. */
  @Test
  void lostContentOfSameTask_addsTaskAgain() throws IOException {
    String text = "long ".repeat(100_000).strip();
    build(text);
    try (Stream<Path> files = Files.walk(shop.resolve(".ralph/store/content"))) {
      for (Path file : (Iterable<Path>) files.filter(Files::isRegularFile)::iterator) {
        Files.delete(file);
      }
    }

    assertThat(build(text).err()).contains("added t2: long ");
  }

  @Test
  void editedTask_isContinued() {
    build(TASK);
    terminal.call("task", "edit", "t1", TASK + " with a switch");

    assertThat(build(TASK).err()).contains("continuing t1: " + TASK + " with a switch");
    assertThat(tasks("shop")).hasSize(1);
  }

  @Test
  void editedTaskOfCompleteSession_isAddedAgain() {
    build(TASK);
    terminal.call("task", "edit", "t1", TASK + " with a switch");
    terminal.call("task", "done", "t1");
    assertThat(build(TASK).code()).isZero();

    assertThat(build(TASK).err()).contains("added t2: " + TASK);
  }

  @Test
  void dryRun_changesNothing() {
    assertThat(build(TASK, "--dry-run").err()).contains("adds the task in the command line");
    assertThat(shop.resolve(".ralph")).doesNotExist();
  }

  @Test
  void detachedTask_isOffered() {
    Result result = terminal.call("build", TASK, "--detach");

    assertThat(result.out()).as(result.err()).startsWith("Offered shop to hosts");
    assertThat(tasks("shop")).hasSize(1);
  }

  @Test
  void commits_areCountedWithBranch() throws Exception {
    repository("main");
    Files.writeString(
        shop.resolve("agent.sh"),
        "echo x >>file; git add file;"
            + " git -c user.name=A -c user.email=a@localhost commit -qm Work\n");
    terminal.terminals("012");

    Result result =
        terminal.call("build", TASK, "--agent", "sh agent.sh", "-i", "2", "--no-record");

    assertThat(result.out())
        .contains("\n  tasks: 0 completed, 1 left\n", "\n  commits: 2 on main\n")
        .containsPattern("\n  to see the commits: git log --stat [0-9a-f]{10}\\.\\.HEAD\n");
    assertThat(build(TASK, "--json").out()).contains("\"commits\":0,\"branch\":\"main\"");
  }

  @Test
  void spec_isNamedInHeader() throws IOException {
    terminal.terminals("012");
    assertThat(build(TASK).out()).contains("\n  spec: none (no specs/SPEC.md);");
    Files.createDirectory(shop.resolve("specs"));
    Files.writeString(shop.resolve("specs/SPEC.md"), "# Spec\n");
    assertThat(build(TASK).out())
        .contains("\n  spec: specs/SPEC.md; complete after an agent declares completion\n");
  }
}
