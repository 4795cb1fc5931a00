package dev.ralph.cli.watch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.ralph.Message;
import dev.ralph.Ralph;
import dev.ralph.Session;
import dev.ralph.cli.Main;
import dev.ralph.cli.Terminal;
import dev.ralph.log.Batch;
import dev.ralph.log.Draft;
import dev.ralph.log.Meta;
import dev.ralph.log.Topic;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code ralph watch} as a process: in a pipe, and on a pseudo terminal that script(1) makes. */
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class WatchTest {

  private static final long DEADLINE_SECONDS = 180;

  /** What a page is drawn with; nothing else that begins with an escape may come. */
  private static final Pattern DRAWING =
      Pattern.compile("\u001b\\[(\\?1049[hl]|\\?25[hl]|\\?7[hl]|2?J|H|K|\\d+m)");

  private static final String HOSTILE =
      "\u001b[31mred\u001b[0m \u001b]0;title\u0007 \u001bc\u0007\u009b2J \u001b[?1049l end";

  @TempDir Path folder;
  private Terminal terminal;
  private Process process;
  private final StringBuffer seen = new StringBuffer();

  @BeforeEach
  void beginASession() {
    terminal = new Terminal(folder).with("RALPH_SESSION", "auth");
    assertThat(terminal.call("task", "add", "--create", "the first").code()).isZero();
  }

  @AfterEach
  void end() throws Exception {
    if (process != null) {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly().waitFor();
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

  private static List<String> java(String terminals, String... words) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
    command.addAll(List.of("-Dralph.terminals=" + terminals, Main.class.getName(), "watch"));
    command.addAll(List.of(words));
    return command;
  }

  private void start(List<String> command, String... variables) throws IOException {
    ProcessBuilder builder = new ProcessBuilder(command).directory(folder.toFile());
    builder.environment().put("CLASSPATH", System.getProperty("java.class.path"));
    builder.environment().put("RALPH_SESSION", "auth");
    builder.environment().put("LC_ALL", "C.UTF-8");
    for (int i = 0; i < variables.length; i += 2) {
      builder.environment().put(variables[i], variables[i + 1]);
    }
    process = builder.redirectErrorStream(true).start();
    InputStream out = process.getInputStream();
    Thread reader =
        new Thread(
            () -> {
              byte[] bytes = new byte[8192];
              try {
                for (int n = out.read(bytes); n >= 0; n = out.read(bytes)) {
                  // Bytes of other characters may be cut here; what is looked for is ASCII.
                  seen.append(new String(bytes, 0, n, StandardCharsets.UTF_8));
                }
              } catch (IOException closed) {
                // by the test
              }
            });
    reader.setDaemon(true);
    reader.start();
  }

  /** Waits until the text has been seen, and forgets what came up to there. */
  private String await(String text) throws InterruptedException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(DEADLINE_SECONDS);
    int at = seen.indexOf(text);
    while (at < 0) {
      if (System.nanoTime() > deadline) {
        fail("did not see '" + text + "' but: " + seen);
      }
      Thread.sleep(10);
      at = seen.indexOf(text);
    }
    String until = seen.substring(0, at + text.length());
    seen.delete(0, until.length());
    return until;
  }

  private void type(String keys) throws IOException {
    process.getOutputStream().write(keys.getBytes(StandardCharsets.US_ASCII));
    process.getOutputStream().flush();
  }

  // ---- in a pipe

  @Test
  void aPipeGetsALineForEachChange() throws Exception {
    start(java("", "-n", "auth"));
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
    append("future", Meta.of("action", "fly"), "x");
    append("task", Meta.of("action", "status").with("id", "none").with("status", "x"), "");
    run("task", "add", "the third");
    assertThat(await(" the third\n")).startsWith("task t3 [").hasLineCount(1);

    process.destroy();
    assertThat(process.waitFor()).isEqualTo(143);
  }

  /** Else nobody knows what a loop that began with --wait waits for. */
  @Test
  void aQuestionThatIsOpenAlreadyIsShownAtOnce() throws Exception {
    run("ask", "Which port?");
    run("ask", "Which host?");
    run("answer", "q1", "8080");
    start(java(""));
    assertThat(await("(ralph answer -n auth q2 TEXT)\n"))
        .contains("\n  questions   1 open\n")
        .endsWith("\nquestion q2: Which host? (ralph answer -n auth q2 TEXT)\n")
        .doesNotContain("8080");
  }

  // ---- all sessions

  @Test
  void withoutASessionAPipeGetsALineForEachAndForEachThatChanges() throws Exception {
    run("message", "-n", "later", "hello");
    start(java(""), "RALPH_SESSION", "");
    await("later  idle  no tasks");
    await("auth   idle  0 of 1 tasks done");
    run("task", "done", "t1");
    await("auth  idle  1 of 1 tasks done  ");
    append("output", Meta.of("iteration", 1), "no change");
    run("pause", "-n", "later");
    assertThat(await("\n") + await("\n")).contains("later  paused  ").doesNotContain("auth");
  }

  @Test
  void withoutASessionJsonHasAllWheneverThatChanges() throws Exception {
    start(java("", "--json"), "RALPH_SESSION", "");
    JsonNode first = new ObjectMapper().readTree(await("\n"));
    assertThat(first.get("kind").asText()).isEqualTo("sessions");
    assertThat(first.at("/details/0/tasks_done").asInt(-1)).isZero();
    run("task", "done", "t1");
    JsonNode second = new ObjectMapper().readTree(await("\n"));
    assertThat(second.at("/details/0/tasks_done").asInt()).isEqualTo(1);
  }

  @Test
  void withoutASessionATerminalShowsAPageOfAll() throws Exception {
    run("message", "-n", "later", "hello");
    onATerminal("TERM", "xterm", "RALPH_SESSION", "");
    await("2 sessions in ");
    run("message", "-n", "third", "hello");
    await("3 sessions in ");
    type("q");
    assertEnds(0);
  }

  // ---- what is not there yet

  @Test
  void aStoreAndASessionThatAreNotThereYetAreWaitedFor() throws Exception {
    String store = folder.resolve("new").toString();
    start(java("", "-n", "fresh", "--store", store));
    await("ralph: no store at " + store + " yet; waiting for it, Ctrl+C ends this\n");
    run("task", "add", "-n", "quite-another", "--store", store, "--create", "x");
    await("ralph: no session fresh in " + store + " yet; waiting for it, Ctrl+C ends this\n");
    run("task", "add", "-n", "fresh", "--store", store, "y");
    await("fresh: idle\n  tasks       0 of 1 completed, 1 remaining\n");
  }

  @Test
  void itEndsWhenNobodyReads() throws Exception {
    start(java(""));
    await("none yet\n");
    process.getInputStream().close();
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(DEADLINE_SECONDS);
    while (process.isAlive() && System.nanoTime() < deadline) {
      run("task", "add", "one more");
      process.waitFor(100, TimeUnit.MILLISECONDS);
    }
    assertThat(process.isAlive()).isFalse();
    assertThat(process.exitValue()).isZero();
  }

  @Test
  void inJsonItAnswersTheStatusAgain() throws Exception {
    start(java("1", "--json"), "TERM", "xterm");
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
  void aTerminalThatCanDoLittleGetsLines() throws Exception {
    start(java("1"), "TERM", "dumb");
    assertThat(await("none yet\n")).doesNotContain("\u001b");
    run("task", "add", "the second");
    assertThat(await("the second\n")).startsWith("task t2 [").doesNotContain("\u001b");
  }

  // ---- on a terminal

  /** Starts it on a terminal of 20 rows and 60 columns; what stty says then follows its end. */
  private Path onATerminal(String... variables) throws Exception {
    assumeTrue(Files.isExecutable(Path.of("/usr/bin/script")), "script(1) makes the terminal");
    String command =
        "trap : INT; stty rows 20 cols 60; echo before $(stty -g) \"$(tty) \"; "
            + String.join(" ", java("012"))
            + "; echo code $? after $(stty -g) .";
    start(onTerminal(command), variables);
    Matcher pty = Pattern.compile("before (\\S+) (/dev/\\S+) ").matcher(await("/") + await(" "));
    assertThat(pty.find()).isTrue();
    modes = pty.group(1);
    return Path.of(pty.group(2));
  }

  private String modes = "";

  /** A build in the background of a script ignores Ctrl+C; what runs here must not inherit that. */
  private static List<String> onTerminal(String command) {
    String[] terminal = {"/usr/bin/script", "-qfc", command, "/dev/null"};
    return Stream.concat(Stream.of("env", "--default-signal=INT"), Stream.of(terminal)).toList();
  }

  private String assertEnds(int code) throws Exception {
    String end = await("after " + modes + " .");
    assertThat(end).contains("\u001b[?7h\u001b[?25h\u001b[?1049l").contains("code " + code + " ");
    assertThat(DRAWING.matcher(end).replaceAll("")).doesNotContain("\u001b");
    return end;
  }

  @Test
  void keysSendMessagesAddTasksAnswerAndPause() throws Exception {
    onATerminal("TERM", "xterm");
    await("ends the view");
    type("m");
    await("message: _");
    type("Never mind\u001b"); // Escape leaves the line
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
    await("no limit to raise");
    type("p");
    await("pauses before the next iteration");
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
  void aTerminalShowsAPageThatIsKeptCurrent() throws Exception {
    Path pty = onATerminal("TERM", "xterm");
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
    assertThat(DRAWING.matcher(output).replaceAll(""))
        .doesNotContainPattern("[\u001b\u0007\u009b]");

    Process stty =
        new ProcessBuilder("stty", "-F", pty.toString(), "rows", "2", "cols", "12").start();
    assertThat(stty.waitFor()).isZero();
    await("\u001b[2J");
    String drawn = await("\u2026"); // rows and columns may change one after the other
    String small = DRAWING.matcher(drawn.substring(drawn.lastIndexOf("\u001b[H"))).replaceAll("");
    assertThat(small.split("\r+\n")).containsExactly("auth: idle", "  tasks    \u2026");
    type("q");
    assertEnds(0);
  }

  @Test
  void aPageWithNothingToWatchYetIsLeftByAKey() throws Exception {
    String store = folder.resolve("new").toString();
    onATerminal("TERM", "xterm", "RALPH_STORE", store);
    assertThat(await("ends this")).contains("no store at /");
    type("q");
    assertEnds(0);
  }

  @Test
  void keysReachThePageThatIsShown() throws Exception {
    String store = folder.resolve("new").toString();
    onATerminal("TERM", "xterm", "RALPH_STORE", store);
    await("ends this");
    run("task", "add", "-n", "quite-another", "--store", store, "--create", "x");
    await("no session auth in");
    await("ends this");
    run("task", "add", "--store", store, "y");
    await("arrow keys scroll");
    type("q");
    assertEnds(0);
  }

  @Test
  void aSessionThatIsNotThereYetIsLeftByAKey() throws Exception {
    onATerminal("TERM", "xterm", "RALPH_SESSION", "quite-another");
    await("no session quite-another in");
    await("ends this");
    type("q");
    assertEnds(0);
  }

  @Test
  void aLongPageIsScrolled() throws Exception {
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
    assertThat(await("g: top")).as("it is kept current").contains("completed");
    type("g");
    assertThat(await("arrow keys scroll")).contains("t1 remaining the first");
    type("q");
    assertEnds(0);
  }

  /** The shell has job control, as that of a person has. */
  @Test
  void aStopGivesTheTerminalBackAndItGoesOnAfterwards() throws Exception {
    assumeTrue(Files.isExecutable(Path.of("/usr/bin/script")), "script(1) makes the terminal");
    String command =
        "set -m; trap : INT; stty rows 20 cols 60; echo before $(stty -g) \"$(tty) \"; "
            + String.join(" ", java("012"))
            + "; echo stopped $? $(stty -g) .; fg; echo code $? after $(stty -g) .";
    start(onTerminal(command), "TERM", "xterm");
    Matcher pty = Pattern.compile("before (\\S+) (/dev/\\S+) ").matcher(await("/") + await(" "));
    assertThat(pty.find()).isTrue();
    modes = pty.group(1);
    await("arrow keys scroll");
    type("\u001a");
    String stopped = await("stopped 148 " + modes + " .");
    assertThat(stopped).contains("\u001b[?7h\u001b[?25h\u001b[?1049l");
    assertThat(await("arrow keys scroll")).contains("\u001b[?1049h").contains("\u001b[2J");
    type("q");
    assertEnds(0);
  }

  @Test
  void aSignalGivesTheTerminalBack() throws Exception {
    onATerminal("TERM", "xterm", "NO_COLOR", "1");
    assertThat(await("ends the view")).doesNotContain("\u001b[1m").contains("auth: idle");
    type("\u0003");
    assertEnds(130);
  }
}
