package dev.ralph.cli.watch;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.ralph.Message;
import dev.ralph.Ralph;
import dev.ralph.RecordEntry;
import dev.ralph.Session;
import dev.ralph.cli.Terminal;
import dev.ralph.cli.TerminalProcess;
import dev.ralph.log.Batch;
import dev.ralph.log.Draft;
import dev.ralph.log.Meta;
import dev.ralph.log.Topic;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code ralph watch} as a process: in a pipe, and on a pseudo terminal, created by script(1). */
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class WatchTest {

  private static final long DEADLINE_SECONDS = 180;

  private static final String HOSTILE =
      "\u001b[31mred\u001b[0m \u001b]0;title\u0007 \u001bc\u0007\u009b2J \u001b[?1049l end";

  @TempDir Path folder;
  private Terminal terminal;
  private TerminalProcess process;
  private final Map<String, String> variables = new HashMap<>(Map.of("RALPH_SESSION", "auth"));

  @BeforeEach
  void beginASession() {
    terminal = new Terminal(folder).with("RALPH_SESSION", "auth");
    assertThat(terminal.call("task", "add", "--create", "the first").code()).isZero();
  }

  @AfterEach
  void end() throws Exception {
    if (process != null) {
      process.end();
    }
  }

  private void run(String... words) {
    assertThat(terminal.call(words).code()).isZero();
  }

  private void append(String kind, Meta meta, String content) {
    try (Ralph ralph = Ralph.openExisting(folder.resolve(".ralph/store"))) {
      Draft draft = Draft.of(Topic.of("ralph.auth." + kind), meta, content);
      ralph.log().append(Batch.of(UUID.randomUUID().toString(), List.of(draft)));
    }
  }

  // ---- a process

  private void start(String terminals, String... words) throws IOException {
    process = TerminalProcess.inAPipe(folder, variables, terminals, watch(words));
  }

  private static String[] watch(String... words) {
    return Stream.concat(Stream.of("watch"), Stream.of(words)).toArray(String[]::new);
  }

  private String await(String text) throws InterruptedException {
    return process.await(text);
  }

  private void type(String keys) throws IOException {
    process.type(keys);
  }

  // ---- in a pipe

  @Test
  void pipedWatch_printsLinePerChange() throws Exception {
    start("", "-n", "auth");
    await("auth: idle\n  tasks       0 of 1 completed, 1 remaining\n");
    await("none yet\n");
    run("task", "add", "the second");
    await("task t2 [");
    run("task", "done", "t1");
    await("task t1 completed: the first\n");
    run("message", "API first");
    await(": API first\n");
    run("inbox", "read", "m1");
    await("message m1 was read\n");
    run("ask", "Which port?\nThe usual\u001b[2J one?");
    await("question q1: Which port? The usual\\u001b[2J one? (ralph answer -n auth q1 TEXT)\n");
    run("answer", "q1", "8080", "--by", "Ann");
    await("question q1 answered by Ann: 8080\n");
    append("question", Meta.of("action", "answer").with("id", "none"), "42");
    append("iteration", Meta.of("action", "start").with("n", 1), "");
    await("auth - Iteration #1...\n");
    append("output", Meta.of("iteration", 1), "begin\n" + HOSTILE);
    assertThat(await(" end\n")).isEqualTo("  begin\n  red  \\u001bc\\u0007\\u009b2J  end\n");
    Meta usage = Meta.of("input_tokens", 12).with("output_tokens", 3).with("cost_usd", 0.25);
    append(
        "iteration",
        Meta.of("action", "complete").with("n", 1).with("status", "success").with("usage", usage),
        "");
    await("iteration #1 success");
    await("used 12 tokens in, 3 out, $0.25\n");
    run("note", "add", "--type", "tip", "the port is taken");
    await("note tip: the port is taken\n");
    Meta loop = Meta.of("action", "loop_start").with("host", "there").with("pid", 42);
    append("control", loop.with("run", "one"), "");
    await("auth: running\n");
    Meta gate = Meta.of("action", "begin").with("run", "one").with("kind", "gate");
    append("activity", gate.with("about", "mvn\u001b[2J verify"), "");
    await("gate mvn\\u001b[2J verify\n");
    append("activity", Meta.of("action", "end").with("run", "one"), "");
    append("future", Meta.of("action", "fly"), "x");
    append("task", Meta.of("action", "status").with("id", "none").with("status", "x"), "");
    run("task", "add", "the third");
    assertThat(await(" the third\n")).startsWith("task t3 [").hasLineCount(1);

    process.process().destroy();
    assertThat(process.process().waitFor()).isEqualTo(143);
  }

  /** Otherwise users would not know which question a loop with --wait waits for. */
  @Test
  void openQuestion_isShownAtStart() throws Exception {
    run("ask", "Which port?");
    run("ask", "Which host?");
    run("answer", "q1", "8080");
    start("");
    assertThat(await("(ralph answer -n auth q2 TEXT)\n"))
        .contains("\n  questions   1 open\n")
        .endsWith("\nquestion q2: Which host? (ralph answer -n auth q2 TEXT)\n")
        .doesNotContain("8080");
  }

  // ---- all sessions

  @Test
  void pipedWatchWithoutSession_printsChangedSessions() throws Exception {
    run("message", "-n", "later", "hello");
    set("RALPH_SESSION", "");
    start("");
    await("later  idle  no tasks");
    await("auth   idle  0 of 1 tasks done");
    run("task", "done", "t1");
    await("auth  idle  1 of 1 tasks done  ");
    append("output", Meta.of("iteration", 1), "no change");
    run("pause", "-n", "later");
    assertThat(await("\n") + await("\n")).contains("later  paused  ").doesNotContain("auth");
  }

  @Test
  void jsonWithoutSession_repeatsAllOnChange() throws Exception {
    set("RALPH_SESSION", "");
    start("", "--json");
    JsonNode first = new ObjectMapper().readTree(await("\n"));
    assertThat(first.get("kind").asText()).isEqualTo("sessions");
    assertThat(first.at("/details/0/tasks_done").asInt(-1)).isZero();
    run("task", "done", "t1");
    JsonNode second = new ObjectMapper().readTree(await("\n"));
    assertThat(second.at("/details/0/tasks_done").asInt()).isEqualTo(1);
  }

  @Test
  void terminalWithoutSession_showsAllSessions() throws Exception {
    run("message", "-n", "later", "hello");
    onATerminal("TERM", "xterm", "RALPH_SESSION", "");
    await("2 sessions in ");
    run("message", "-n", "third", "hello");
    await("3 sessions in ");
    type("q");
    assertEnds(0);
  }

  // ---- missing stores and sessions

  @Test
  void missingStoreAndSession_areAwaited() throws Exception {
    String store = folder.resolve("new").toString();
    start("", "-n", "fresh", "--store", store);
    await("ralph: no store at " + store + " yet; waiting, press Ctrl+C to stop\n");
    run("task", "add", "-n", "quite-another", "--store", store, "--create", "x");
    await("ralph: no session fresh in " + store + " yet; waiting, press Ctrl+C to stop\n");
    run("task", "add", "-n", "fresh", "--store", store, "y");
    await("fresh: idle\n  tasks       0 of 1 completed, 1 remaining\n");
  }

  @Test
  void closedReader_endsWatch() throws Exception {
    start("");
    await("none yet\n");
    Process watch = process.process();
    watch.getInputStream().close();
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(DEADLINE_SECONDS);
    while (watch.isAlive() && System.nanoTime() < deadline) {
      run("task", "add", "one more");
      watch.waitFor(100, TimeUnit.MILLISECONDS);
    }
    assertThat(watch.isAlive()).isFalse();
    assertThat(watch.exitValue()).isZero();
  }

  @Test
  void json_repeatsStatusOnChange() throws Exception {
    set("TERM", "xterm");
    start("1", "--json");
    JsonNode first = new ObjectMapper().readTree(await("\n"));
    assertThat(first.get("kind").asText()).isEqualTo("status");
    assertThat(first.at("/tasks/completed").asInt()).isZero();
    assertThat(first.get("questions").asInt(-1)).isZero();
    append("output", Meta.of("iteration", 1), "no change of the status");
    run("task", "done", "t1");
    JsonNode second = new ObjectMapper().readTree(await("\n"));
    assertThat(second.at("/tasks/completed").asInt()).isEqualTo(1);
    run("ask", "Which port?");
    JsonNode third = new ObjectMapper().readTree(await("\n"));
    assertThat(third.get("questions").asInt()).isEqualTo(1);
  }

  @Test
  void dumbTerminal_getsLines() throws Exception {
    set("TERM", "dumb");
    start("1");
    assertThat(await("none yet\n")).doesNotContain("\u001b");
    run("task", "add", "the second");
    assertThat(await("the second\n")).startsWith("task t2 [").doesNotContain("\u001b");
  }

  // ---- on a terminal

  private void onATerminal(String... changed) throws Exception {
    set(changed);
    process = TerminalProcess.onATerminal(folder, variables, "watch");
  }

  private void set(String... changed) {
    for (int i = 0; i < changed.length; i += 2) {
      variables.put(changed[i], changed[i + 1]);
    }
  }

  private void assertEnds(int code) throws Exception {
    process.assertEnds(code);
  }

  @Test
  void keys_steerSession() throws Exception {
    onATerminal("TERM", "xterm");
    await("ends the view");
    type("m");
    await("message: _");
    type("Never mind\u001b"); // Escape discards the input line
    await("ends the view");
    type("mUse the blue one\r");
    await("sent m1");
    type("tWrite the form\r");
    await("added t2");
    type("a");
    await("no question is open");
    try (Ralph ralph = Ralph.openExisting(folder.resolve(".ralph/store"))) {
      ralph.session("auth").questions().ask("Which port?");
    }
    await("Which port?");
    type("a8080\r");
    await("answered q1");
    type("s");
    await("no loop runs");
    type("+");
    await("set the limits when you start");
    type("p");
    await("pausing before the next iteration");
    type("q");
    assertEnds(0);

    try (Ralph ralph = Ralph.openExisting(folder.resolve(".ralph/store"))) {
      Session auth = ralph.session("auth");
      assertThat(auth.inbox().history())
          .extracting(Message::text)
          .first()
          .isEqualTo("Use the blue one");
      assertThat(auth.tasks().get("t2").content()).isEqualTo("Write the form");
      assertThat(auth.questions().get("q1").answer()).isEqualTo("8080");
      assertThat(auth.control().isPaused()).isTrue();
    }
  }

  @Test
  void keys_openIterationPromptAndHelp() throws Exception {
    append("iteration", Meta.of("action", "start").with("n", 1), "");
    Meta begin = Meta.of("folder", "/project").with("commit", "\u001b[2Jcommit");
    append(
        "record",
        new RecordEntry(RecordEntry.Type.BEGIN, begin, null).json().with("iteration", 1),
        "Build\nthe house");
    StringBuilder talk = new StringBuilder();
    for (int i = 1; i <= 40; i++) {
      talk.append(RecordEntry.text("word " + i + " " + HOSTILE).json().json()).append('\n');
    }
    append("record", Meta.of("iteration", 1), talk.toString());
    onATerminal("TERM", "xterm");
    await("ends the view");
    type("i1\r");
    String opened = await("q: back");
    assertThat(opened)
        .contains("in /project at \\u001b[2Jcommi")
        .contains("shown by P")
        .contains("word 3 ");
    assertThat(TerminalProcess.DRAWING.matcher(opened).replaceAll(""))
        .doesNotContainPattern("[\u001b\u0007\u009b]");
    type("G");
    await("word 40 ");
    append("record", Meta.of("iteration", 1), RecordEntry.text("the newest").json().json() + "\n");
    await("the newest");
    type("P");
    await("the house");
    type("q");
    await("ends the view");
    type("i7\r");
    await("no iteration 7");
    type("n");
    assertThat(await("q: back"))
        .contains("from 'ralph build -n auth' in this folder")
        .contains("- Session: auth")
        .contains("[t1] the first");
    type("?");
    await("send a message");
    type("q");
    await("ends the view");
    type("q");
    assertEnds(0);
  }

  @Test
  void page_isUpdatedOnChange() throws Exception {
    onATerminal("TERM", "xterm");
    String page = await("ends the view");
    assertThat(page).contains("\u001b[?1049h\u001b[?25l").contains("\u001b[1mauth\u001b[0m: idle");
    assertThat(page).contains("0 of 1 completed, 1 remaining").contains("t1 remaining the first");
    run("task", "done", "t1");
    assertThat(await("ends the view"))
        .contains("1 of 1 completed")
        .contains("completed\u001b[0m the");
    append("iteration", Meta.of("action", "start").with("n", 1), "");
    append("output", Meta.of("iteration", 1), HOSTILE + " 日本語".repeat(30));
    String output = await("\\u001bc") + await("ends the view");
    assertThat(TerminalProcess.DRAWING.matcher(output).replaceAll(""))
        .doesNotContainPattern("[\u001b\u0007\u009b]");

    process.resize(2, 12);
    await("\u001b[2J");
    String drawn = await("\u2026"); // rows and columns may change separately
    String small =
        TerminalProcess.DRAWING
            .matcher(drawn.substring(drawn.lastIndexOf("\u001b[H")))
            .replaceAll("");
    assertThat(small.split("\r+\n")).containsExactly("auth: idle", "  tasks    \u2026");
    type("q");
    assertEnds(0);
  }

  @Test
  void keyOnPageWithoutStore_endsWatch() throws Exception {
    String store = folder.resolve("new").toString();
    onATerminal("TERM", "xterm", "RALPH_STORE", store);
    assertThat(await("to stop")).contains("no store at /");
    type("q");
    assertEnds(0);
  }

  @Test
  void key_reachesCurrentPage() throws Exception {
    String store = folder.resolve("new").toString();
    onATerminal("TERM", "xterm", "RALPH_STORE", store);
    await("to stop");
    run("task", "add", "-n", "quite-another", "--store", store, "--create", "x");
    await("no session auth in");
    await("to stop");
    run("task", "add", "--store", store, "y");
    await("arrow keys scroll");
    type("q");
    assertEnds(0);
  }

  @Test
  void keyOnPageWithoutSession_endsWatch() throws Exception {
    onATerminal("TERM", "xterm", "RALPH_SESSION", "quite-another");
    await("no session quite-another in");
    await("to stop");
    type("q");
    assertEnds(0);
  }

  @Test
  void longPage_isScrolled() throws Exception {
    for (int i = 2; i <= 40; i++) {
      run("task", "add", "number " + i);
    }
    onATerminal("TERM", "xterm");
    await("arrow keys scroll");
    type("\u001b[6~");
    assertThat(await("g: top")).contains("t19 remaining number 19").contains("rows 19 to 37 of ");
    type("\u001b[B");
    assertThat(await("g: top")).contains("rows 20 to 38 of ");
    type("G");
    assertThat(await("g: top")).contains("t40 remaining number 40").doesNotContain("t19 ");
    run("task", "done", "t40");
    assertThat(await("g: top")).as("page is updated").contains("completed");
    type("g");
    assertThat(await("arrow keys scroll")).contains("t1 remaining the first");
    type("q");
    assertEnds(0);
  }

  /** Uses a shell with job control, like an interactive shell. */
  @Test
  void suspendedWatch_restoresTerminalAndResumes() throws Exception {
    variables.put("TERM", "xterm");
    String after = "; echo stopped $? $(stty -g) .; fg; echo code $? after $(stty -g) .";
    process = TerminalProcess.inAShell(folder, variables, "set -m; trap : INT; ", after, "watch");
    await("arrow keys scroll");
    type("\u001a");
    String stopped = await("stopped 148 " + process.modes() + " .");
    assertThat(stopped).contains(TerminalProcess.END);
    assertThat(await("arrow keys scroll")).contains("\u001b[?1049h").contains("\u001b[2J");
    type("q");
    assertEnds(0);
  }

  @Test
  void signal_restoresTerminal() throws Exception {
    onATerminal("TERM", "xterm", "NO_COLOR", "1");
    assertThat(await("ends the view")).doesNotContain("\u001b[1m").contains("auth: idle");
    type("\u0003");
    assertEnds(130);
  }
}
