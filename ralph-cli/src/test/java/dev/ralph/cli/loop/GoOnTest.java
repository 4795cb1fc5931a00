package dev.ralph.cli.loop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.cli.Terminal;
import dev.ralph.cli.Terminal.Result;
import dev.ralph.core.internal.process.CommandResult;
import dev.ralph.core.internal.process.Git;
import dev.ralph.core.internal.text.CommandLineWords;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code ralph build} prints a command to continue with, which works after each stop reason. */
@Timeout(value = 300, unit = TimeUnit.SECONDS)
class GoOnTest {

  /** The source of the work, and the folder of the work. */
  enum Way {
    TASKS,
    MESSAGE,
    SPEC,
    PROMPT,
    PIPED,
    TASKS_IN_WORKTREE,
    SPEC_IN_WORKTREE,
    CHANGE,
    CHANGE_IN_WORKTREE;

    boolean inWorktree() {
      return name().endsWith("WORKTREE");
    }

    boolean overChange() {
      return name().startsWith("CHANGE");
    }
  }

  /** The stop reason of the first run, which leaves work. */
  enum End {
    MAX_ITERATIONS(3),
    FAILED_AT_LAST(5),
    FAILURES(5),
    STOPPED(9),
    TIME_LIMIT(4),
    NO_PROGRESS(6),
    BUDGET(7),
    INTERRUPTED(130);

    private final int code;

    End(int code) {
      this.code = code;
    }
  }

  @TempDir Path outside;
  private Path folder;
  private Path mode;
  private Path begun;
  private Path go;
  private Terminal terminal;

  static List<Arguments> everyWayAndEnd() {
    List<Arguments> all = new ArrayList<>();
    for (Way way : Way.values()) {
      for (End end : End.values()) {
        all.add(Arguments.of(way, end));
      }
    }
    return all;
  }

  @ParameterizedTest
  @MethodSource("everyWayAndEnd")
  void printedNextCommand_continuesRun(Way way, End end) throws Exception {
    prepare(way);
    behaveFor(end);

    Result first = run(way, end);

    assertThat(first.code()).as(first.out() + first.err()).isEqualTo(end.code);
    behaveFor(null);
    Result again = typed(first.out(), way);
    assertThat(again.out()).as("open work: " + again.err()).contains("Iteration #");
    assertThat(again.code()).as(again.out() + again.err()).isNotEqualTo(1).isNotEqualTo(2);

    if (!way.overChange()) {
      finish(way);
      Result last = typed(again.out(), way);
      assertThat(last.out()).doesNotContain("Iteration #");
      assertThat(last.code()).as(last.out() + last.err()).isZero();
    }
  }

  // ---- the first run

  private void prepare(Way way) throws Exception {
    folder = Files.createDirectory(outside.resolve("a project"));
    mode = outside.resolve("mode");
    begun = outside.resolve("begun");
    go = outside.resolve("go");
    terminal = new Terminal(folder);
    Files.createDirectory(folder.resolve(".git")); // ends the search for a store
    Files.writeString(
        outside.resolve("agent.sh"),
        """
        cat >/dev/null
        cd "$(dirname "$0")"
        read mode <mode
        : >begun
        case "$mode" in
        FAILURES | FAILED_AT_LAST) exit 1 ;;
        STOPPED | INTERRUPTED | TIME_LIMIT)
          i=0
          until [ -e go ] || [ $i = 600 ]; do sleep 0.05; i=$((i + 1)); done
          ;;
        NO_PROGRESS) ;;
        BUDGET) echo '{"cost_usd":9}' >>"$RALPH_USAGE" ;;
        *) date +%s%N >>"$OLDPWD/work.txt" ;;
        esac
        """);
    if (way == Way.SPEC || way == Way.SPEC_IN_WORKTREE) {
      Files.createDirectory(folder.resolve("specs"));
      Files.writeString(folder.resolve("specs/SPEC.md"), "# A spec\n");
    }
    if (way.overChange()) {
      Path change = Files.createDirectories(folder.resolve("openspec/changes/add-house"));
      Files.writeString(change.resolve("tasks.md"), "## 1. Doors\n- [ ] 1.1 a door\n");
      Files.writeString(folder.resolve("openspec/verify"), "test: true\n");
    } else if (way == Way.MESSAGE) {
      assertDone("task", "add", "-n", "another", "makes a store");
      assertDone("message", "-n", "auth", "Do the API first");
    } else {
      assertDone("task", "add", "-n", "auth", "one");
      assertDone("task", "add", "-n", "auth", "two");
    }
    if (way.inWorktree()) {
      Files.delete(folder.resolve(".git"));
      git("init", "-q");
      git("config", "user.name", "A");
      git("config", "user.email", "a@localhost");
      git("config", "commit.gpgsign", "false");
      git("add", "-A", ".");
      git("commit", "-q", "--allow-empty", "-m", "The first");
    }
  }

  private void git(String... words) throws Exception {
    CommandResult answer = new Git(folder, Duration.ofMinutes(2)).run(words);
    assertThat(answer.isGood()).as(answer.why()).isTrue();
  }

  private void behaveFor(@Nullable End end) throws IOException {
    Files.deleteIfExists(begun);
    Files.writeString(mode, (end == null ? "WORK" : end) + "\n");
  }

  private List<String> words(Way way, End end) {
    List<String> words = new ArrayList<>(List.of("build", "--iterations", "2"));
    switch (way) {
      case CHANGE, CHANGE_IN_WORKTREE -> words.addAll(List.of("--change", "add-house", "--yes"));
      case PROMPT -> words.addAll(List.of("-n", "auth", "-p", "Don't stop, \"ever\": it's $HOME"));
      default -> words.addAll(List.of("-n", "auth"));
    }
    if (way.inWorktree()) {
      words.add("--worktree");
    }
    words.addAll(List.of("--agent", "sh '" + outside.resolve("agent.sh") + "'"));
    switch (end) {
      case FAILURES -> words.addAll(List.of("--max-failures", "1"));
      case TIME_LIMIT -> words.addAll(List.of("--time-limit", "1s"));
      case BUDGET -> words.addAll(List.of("--max-cost", "1"));
      case NO_PROGRESS -> words.addAll(List.of("--max-idle", "1"));
      default -> {}
    }
    return words;
  }

  private Result run(Way way, End end) throws Exception {
    List<String> words = words(way, end);
    if (end != End.STOPPED && end != End.INTERRUPTED) {
      return call(words, way);
    }
    CompletableFuture<Result> result = new CompletableFuture<>();
    Thread loop = new Thread(() -> result.complete(call(words, way)));
    loop.start();
    while (!Files.exists(begun)) {
      TimeUnit.MILLISECONDS.sleep(5);
    }
    if (end == End.INTERRUPTED) {
      loop.interrupt();
    } else {
      for (String session : terminal.sessions()) {
        terminal.call("stop", "-n", session);
      }
      Files.createFile(go);
    }
    return result.get();
  }

  private Result call(List<String> words, Way way) {
    String[] all = words.toArray(new String[0]);
    return way == Way.PIPED ? terminal.pipe("Do it well", all) : terminal.call(all);
  }

  // ---- the printed command

  /** Runs the command that the last line of the output prints. */
  private Result typed(String out, Way way) {
    String said = way == Way.PIPED ? "continue with the same text piped into: " : "continue with: ";
    Matcher line = Pattern.compile(said + "(ralph build .*)\n$").matcher(out);
    assertThat(line.find()).as(out).isTrue();
    List<String> words = CommandLineWords.split(line.group(1));
    return call(words.subList(1, words.size()), way);
  }

  /** Completes the open work, and the session if no tasks or messages define the work. */
  private void finish(Way way) {
    if (way == Way.MESSAGE) {
      assertDone("inbox", "read", "-n", "auth", "m1");
    } else {
      assertDone("task", "done", "-n", "auth", "t1");
      assertDone("task", "done", "-n", "auth", "t2");
    }
    if (way == Way.SPEC || way == Way.SPEC_IN_WORKTREE || way == Way.PROMPT || way == Way.PIPED) {
      assertDone("complete", "-n", "auth");
    }
  }

  private void assertDone(String... words) {
    Result result = terminal.call(words);
    assertThat(result.code()).as(result.err()).isZero();
  }

  // ---- commands that cannot be typed

  @ParameterizedTest
  @ValueSource(strings = {"two\nlines", "\u001b[31mred", "LONG"})
  void untypableCommand_isNotPrinted(String prompt) throws Exception {
    prepare(Way.TASKS);
    String text = prompt.replace("LONG", "x".repeat(1_000));

    Result result = terminal.call("build", "-n", "auth", "--agent", "true", "-i", "1", "-p", text);

    assertThat(result.out()).endsWith("; continue with the same command\n");
  }

  // ---- sessions with tasks only

  @Test
  void taskSession_completesWithoutOpenWork() throws Exception {
    prepare(Way.TASKS);
    assertDone("message", "-n", "auth", "Use the old parser");
    finish(Way.TASKS);

    Result unread = terminal.call("build", "-n", "auth", "--agent", "true", "-i", "1");
    assertThat(unread.code()).as("unread message").isEqualTo(3);
    assertDone("inbox", "read", "-n", "auth", "m1");
    Result gate =
        terminal.call("build", "-n", "auth", "--agent", "true", "-i", "1", "--gate", "false");
    assertThat(gate.code()).as("failing gate").isEqualTo(3);
    assertThat(gate.out()).contains("completion refused: gate failed", "Iteration #2");
    Result done = terminal.call("build", "-n", "auth", "--agent", "true", "--gate", "true");

    assertThat(done.code()).as(done.err()).isZero();
    assertThat(done.out())
        .endsWith("auth: loop ended: completed after 0 iterations; no open work\n");
    assertThat(terminal.call("status", "-n", "auth").out()).startsWith("auth: completed\n");
    Result again = terminal.call("build", "-n", "auth", "--agent", "true");
    assertThat(again.code()).isZero();
    assertThat(again.out()).doesNotContain("Iteration").contains("no open work");
    assertThat(terminal.call("build", "-n", "auth", "--agent", "true", "--dry-run").err())
        .contains("no open task and no unread message; ralph build only runs the gates\n");
  }

  @Test
  void messageToCompletedSession_isDelivered() throws Exception {
    prepare(Way.TASKS);
    finish(Way.TASKS);
    assertThat(terminal.call("build", "-n", "auth", "--agent", "true").code()).isZero();
    assertDone("message", "-n", "auth", "One more thing");

    Result result = terminal.call("build", "-n", "auth", "--agent", "cat", "-i", "1");

    assertThat(result.out()).contains("One more thing");
    assertDone("inbox", "read", "-n", "auth", "m1");
    assertThat(terminal.call("build", "-n", "auth", "--agent", "true").code()).isZero();
  }

  @Test
  void completionClaimedByUser_isGrantedByNextBuild() throws Exception {
    prepare(Way.TASKS);
    finish(Way.TASKS);
    assertThat(terminal.call("complete", "-n", "auth").line())
        .isEqualTo("Completion claimed; the next ralph build accepts it if the gates pass");
    assertThat(terminal.call("build", "-n", "auth", "--agent", "true").code()).isZero();
    assertThat(terminal.call("status", "-n", "auth").out()).startsWith("auth: completed\n");
  }

  /** A spec may require more than the tasks that were created from it. */
  @Test
  void sessionWithSpec_asksAgentForCompletion() throws Exception {
    prepare(Way.SPEC);
    finish(Way.TASKS);
    Result result = terminal.call("build", "-n", "auth", "--agent", "true", "-i", "1");
    assertThat(result.out()).contains("Iteration #1", "no agent called complete");
    assertThat(result.code()).isEqualTo(3);
  }

  @Test
  void sessionWithoutInstructions_isRefused() throws Exception {
    prepare(Way.TASKS);
    for (String session : List.of("new", "noted")) {
      terminal.call("note", "add", "-n", "noted", "The port is taken");
      Result result = terminal.call("build", "-n", session, "--agent", "true");
      assertThat(result.code()).isEqualTo(1);
      assertThat(result.err())
          .contains("SPEC.md' does not exist; give a spec by --spec FILE, or the work by")
          .hasLineCount(1);
    }
  }

  @Test
  void missingSpec_isReportedAtFirstBuild() throws Exception {
    prepare(Way.TASKS);
    assertThat(terminal.call("build", "-n", "auth", "--agent", "true", "-i", "1").err())
        .containsOnlyOnce("no ./specs/SPEC.md;");
    assertThat(terminal.call("build", "-n", "auth", "--agent", "true", "-i", "1").err())
        .doesNotContain("spec");
  }
}
