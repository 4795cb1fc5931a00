package dev.ralph.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ralph.cli.Checkout.Exit;
import dev.ralph.cli.Checkout.Started;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A loop as a process: interrupted in each phase, killed, controlled by commands, and without disk
 * space.
 */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class LoopProcessIT {

  /** Optional message about a new store or a new session. */
  private static final String MADE =
      "(ralph: (created the store \\S+|'a' is a new session in \\S+)\n)?";

  /** Message of Java 25 about a signal that arrives before its modules are initialized. */
  private static final String TOO_EARLY = " logging failed: ";

  /**
   * Message of the virtual machine about a signal that arrives during its own start. The exit code
   * is then 1.
   */
  private static final String BEFORE_MAIN =
      "Error occurred during initialization of VM\njava.lang.InternalError: Bad level: ";

  private static final String TOLD_WHILE_STARTING =
      "(Runtime\\.exit\\(\\d+\\)" + TOO_EARLY + ".*\n)?" + MADE;

  /** Reads its prompt, and starts a grandchild in a separate session that ignores signals. */
  private static final String AGENT =
      """
      cat >prompt
      setsid sh -c 'trap "" TERM INT HUP; echo $$ >grandchild; while :; do sleep 0.2; done' &
      echo $$ >agent
      wait
      """;

  @TempDir static Path folder;
  private static Checkout shared;
  private Checkout checkout;

  @BeforeAll
  static void makeACheckout() throws Exception {
    shared = Checkout.shared(folder);
  }

  @BeforeEach
  void moveIn(TestInfo test) throws Exception {
    checkout =
        shared
            .elsewhere(test.getTestMethod().orElseThrow().getName() + System.nanoTime())
            .with("RALPH_SESSION", "a");
    checkout.file("agent.sh", AGENT);
  }

  @AfterEach
  void nothingIsLeft() {
    List<String> left = checkout.left();
    checkout.clear();
    assertThat(left).as("processes left").isEmpty();
  }

  private static String[] build(String agent, String... more) {
    List<String> words = new ArrayList<>(List.of("build", "-p", "x", "--agent", agent));
    words.addAll(List.of(more));
    return words.toArray(new String[0]);
  }

  /** Returns the number and the status of each iteration, in order. */
  private List<String> iterations() throws Exception {
    List<String> all = new ArrayList<>();
    for (JsonNode iteration : checkout.json("iterations").get("iterations")) {
      all.add(iteration.get("n").asInt() + " " + iteration.get("status").asText());
    }
    return all;
  }

  private String state() throws Exception {
    return checkout.json("status").get("state").asText();
  }

  // ---- deleted store

  @Test
  void deletedStore_isReportedOnce() throws Exception {
    Exit exit = checkout.ralph(build("rm -rf .ralph/store", "-i", "3"));
    assertThat(exit.code()).isEqualTo(1);
    assertThat(exit.err()).containsOnlyOnce("was deleted, moved or replaced");
    assertThat(exit.out())
        .contains(
            "a: loop ended: store_failed after 1 iteration; to see why: ralph doctor; continue")
        .doesNotContain("was deleted");
  }

  // ---- signals

  private void assertEndsAt(Started loop, int code) throws Exception {
    Exit exit = loop.exit();
    assertThat(checkout.left()).as("processes left").isEmpty();
    assertThat(exit.code()).as(exit.err()).isEqualTo(code);
    assertThat(exit.err()).matches(MADE);
    assertThat(exit.out()).contains("a: loop ended: interrupted");
    JsonNode last = checkout.json("log", "--limit", "1").get("meta");
    assertThat(last.get("action").asText()).isEqualTo("loop_end");
    assertThat(last.get("reason").asText()).isEqualTo("interrupted");
  }

  /** Asserts that the next run finds no remains of the last run and has the next number. */
  private void assertGoesOnAt(int number) throws Exception {
    Exit next = checkout.ralph(build("true", "-i", "1"));
    assertThat(next.code()).as(next.err()).isEqualTo(3);
    assertThat(next.out()).startsWith("a - Iteration #" + number + "...\nDone!\n");
    assertThat(iterations()).last().isEqualTo(number + " success");
  }

  @ParameterizedTest
  @CsvSource({"INT,130", "TERM,143", "HUP,129"})
  void signalDuringAgent_endsAgentProcesses(String signal, int code) throws Exception {
    Started loop = checkout.start(build("sh agent.sh"));
    long agent = checkout.awaitPid("agent");
    long grandchild = checkout.awaitPid("grandchild");

    loop.signal(signal);

    assertEndsAt(loop, code);
    assertThat(Checkout.isRunning(agent)).isFalse();
    assertThat(Checkout.isRunning(grandchild)).isFalse();
    assertThat(iterations()).containsExactly("1 interrupted");
    assertThat(state()).isEqualTo("idle");
    assertGoesOnAt(2);
  }

  @ParameterizedTest
  @CsvSource({"INT,130", "TERM,143", "HUP,129"})
  void signalDuringGate_endsGateProcesses(String signal, int code) throws Exception {
    checkout.file("done.sh", "\"$RALPH\" complete\n");
    Started loop = checkout.start(build("sh done.sh", "--gate", "sh agent.sh"));
    long gate = checkout.awaitPid("agent");
    long grandchild = checkout.awaitPid("grandchild");

    loop.signal(signal);

    assertEndsAt(loop, code);
    assertThat(Checkout.isRunning(gate)).isFalse();
    assertThat(Checkout.isRunning(grandchild)).isFalse();
    assertThat(iterations()).containsExactly("1 success");
    // The interrupted run discarded the claim, so the agent of the next run claims completion
    // again.
    Exit next = checkout.ralph(build("sh done.sh", "--gate", "true"));
    assertThat(next.code()).as(next.out()).isZero();
    assertThat(iterations()).containsExactly("1 success", "2 success");
  }

  @ParameterizedTest
  @CsvSource({"INT,130", "TERM,143", "HUP,129"})
  void signalDuringBackoff_endsLoop(String signal, int code) throws Exception {
    Started loop = checkout.start(build("false", "--max-failures", "9"));
    loop.awaitOut("waiting ");

    loop.signal(signal);

    assertEndsAt(loop, code);
    assertThat(iterations()).doesNotContain("1 interrupted").contains("1 failure");
    assertGoesOnAt(iterations().size() + 1);
  }

  @ParameterizedTest
  @CsvSource({"INT,130", "TERM,143", "HUP,129"})
  @Tag("slow")
  void signalDuringPause_endsLoop(String signal, int code) throws Exception {
    checkout.ralph("task", "add", "--create", "one");
    checkout.ralph("pause");
    Started loop = checkout.start(build("true"));
    loop.awaitOut("paused");
    assertThat(state()).isEqualTo("paused");

    loop.signal(signal);

    assertEndsAt(loop, code);
    assertThat(iterations()).isEmpty();
    checkout.ralph("resume");
    assertGoesOnAt(1);
  }

  @Test
  void signalDuringStart_endsLoopCleanly() throws Exception {
    List<String> signals = List.of("INT", "TERM", "HUP");
    List<Integer> codes = List.of(130, 143, 129);
    checkout.file("agent.sh", "echo x >>begun\nexec sleep 600\n");
    Path begun = checkout.work().resolve("begun");

    // Each signal comes later, until one comes after the agent has started. A busy machine needs
    // longer.
    long millis = 0;
    for (int i = 0; !Files.exists(begun); i++) {
      Started loop = checkout.start(build("sh agent.sh"));
      TimeUnit.MILLISECONDS.sleep(millis);
      loop.signal(signals.get(i % 3));

      Exit exit = loop.exit();
      String when = "SIG" + signals.get(i % 3) + " after " + millis + " ms";
      millis += 10 + millis / 10;
      assertThat(checkout.left()).as("processes left by " + when).isEmpty();
      List<Integer> expected = new ArrayList<>(List.of(codes.get(i % 3)));
      if (exit.out().startsWith(BEFORE_MAIN)) {
        expected.add(1);
      }
      assertThat(exit.code()).as(when + ", " + exit).isIn(expected);
      assertThat(exit.err()).as(when).matches(TOLD_WHILE_STARTING);
    }

    assertThat(iterations()).isNotEmpty().allMatch(one -> one.endsWith(" interrupted"));
    assertThat(state()).isEqualTo("idle");
    assertThat(checkout.ralph("verify").code()).isZero();
    assertGoesOnAt(iterations().size() + 1);
  }

  // ---- kills

  @Test
  void nextRun_endsProcessesOfKilledLoop() throws Exception {
    Started loop = checkout.start(build("sh agent.sh"));
    long agent = checkout.awaitPid("agent");
    long grandchild = checkout.awaitPid("grandchild");

    loop.signal("KILL");

    assertThat(loop.exit().code()).isEqualTo(137);
    assertThat(state()).isEqualTo("crashed");
    assertThat(List.of(agent, grandchild)).allMatch(Checkout::isRunning);
    assertThat(checkout.ralph("status").out())
        .containsPattern("left behind  process [0-9 ]*" + agent + "[0-9 ]*; the next ralph build");

    Exit next = checkout.ralph(build("true", "-i", "1"));

    assertThat(next.code()).as(next.err()).isEqualTo(3);
    assertThat(next.err()).isEmpty();
    String ended = next.out().lines().findFirst().orElse("");
    assertThat(ended).startsWith("ended processes of an earlier run: ");
    assertThat(ended.replaceAll(".*run: ", "").split(", ")).contains("" + agent, "" + grandchild);
    assertThat(List.of(agent, grandchild)).noneMatch(Checkout::isRunning);
    assertThat(next.out())
        .contains("iteration 1 was cut off in an earlier run\n")
        .contains(
            "\nthe interrupted run had started 1 iteration; this run may start up to 1 more\n")
        .contains("\na - Iteration #2...\nDone!\n");
    assertThat(iterations()).containsExactly("1 interrupted", "2 success");
    assertThat(state()).isEqualTo("idle");
    assertThat(checkout.ralph("verify").code()).isZero();
    assertGoesOnAt(3);
  }

  @Test
  void killedLoop_leavesWholePromptToAgent() throws Exception {
    String prompt = "so ".repeat(30_000) + "that no pipe can hold it"; // most pipes hold 64 KiB
    checkout.file(
        "agent.sh",
        "echo $$ >agent\nuntil [ -e go ]; do sleep 0.05; done\ncat >reading\nmv reading read\n");
    Started loop = checkout.start("build", "-p", prompt, "--agent", "sh agent.sh");
    long agent = checkout.awaitPid("agent");

    loop.signal("KILL");
    assertThat(loop.exit().code()).isEqualTo(137);
    checkout.file("go", "");

    Checkout.await("the end of the agent", () -> !Checkout.isRunning(agent));
    String read = Files.readString(checkout.work().resolve("read"));
    assertThat(read.contains(prompt)).as("complete, not just " + read.length() + " bytes").isTrue();
  }

  @Test
  void unreadOutput_doesNotDelayEnd() throws Exception {
    String build = "\"$RALPH\" build -p x --agent yes --timeout 1s --max-failures 1";
    // The reading end of the pipe stays open until then, but reads nothing.
    checkout.shell("(" + build + "; echo $? >code) | while ! test -f code; do sleep 0.2; done");

    assertThat(checkout.shell("cat code").out()).isEqualTo("5\n");
    assertThat(iterations()).containsExactly("1 timeout");
  }

  @Test
  void signal_leavesTimeToReadLastLine() throws Exception {
    checkout.file(
        "agent.sh", "head -c 300000 /dev/zero | tr '\\0' x | fold\ntouch said\nsleep 100\n");
    checkout.file(
        "reader.sh",
        """
        until test -f said; do sleep 0.1; done
        kill -TERM $("$RALPH" status --json | sed 's/.*"pid":\\([0-9]*\\).*/\\1/')
        until grep -q loop_end .ralph/store/log/*; do sleep 0.1; done
        tail -n 1
        """);

    Exit exit = checkout.shell("\"$RALPH\" build -p x --agent 'sh agent.sh' | sh reader.sh");

    assertThat(exit.out()).as(exit.err()).startsWith("a: loop ended: interrupted");
  }

  // ---- control by commands

  @Test
  void secondLoop_isRefusedWithFirstProcess() throws Exception {
    Started loop = checkout.start(build("sh agent.sh"));
    checkout.awaitPid("grandchild");

    Exit second = checkout.ralph(build("true"));
    Exit other = checkout.ralph(build("true", "-n", "b", "-i", "1"));

    assertThat(second.code()).isEqualTo(1);
    assertThat(second.out()).isEmpty();
    assertThat(second.err())
        .startsWith("ralph: ")
        .contains("" + loop.process().pid(), InetAddress.getLocalHost().getHostName())
        .hasLineCount(1);
    assertThat(other.code()).as("a loop of another session").isEqualTo(3);
    assertThat(iterations()).containsExactly("1 running");
    assertThat(Checkout.isRunning(checkout.awaitPid("grandchild"))).isTrue();
    loop.signal("TERM");
    assertEndsAt(loop, 143);
  }

  @Test
  void runningLoop_isSteeredByCommands() throws Exception {
    // Each iteration waits for the file "leave".
    checkout.file(
        "agent.sh",
        "cat >new && mv new prompt.$(ls prompt.* 2>/dev/null | wc -l)\n"
            + "until rm leave 2>/dev/null; do sleep 0.05; done\n");
    Path second = checkout.work().resolve("prompt.1");
    Path third = checkout.work().resolve("prompt.2");
    Started loop = checkout.start(build("sh agent.sh"));
    Path first = checkout.work().resolve("prompt.0");
    Checkout.await("the first prompt", () -> Files.exists(first));

    // A message appears in the next prompts until it is marked as read.
    String sent = checkout.ralph("message", "Do the API first").out();
    checkout.file("leave", "");
    Checkout.await("the second prompt", () -> Files.exists(second));
    assertThat(Files.readString(first)).doesNotContain("Do the API first");
    assertThat(sent).startsWith("Message sent: ");
    assertThat(Files.readString(second)).contains("- [m1] ").contains(": Do the API first");

    // A paused loop starts no third iteration; a resumed loop does.
    assertThat(checkout.ralph("inbox", "read", "m1").code()).isZero();
    assertThat(checkout.ralph("pause").code()).isZero();
    checkout.file("leave", "");
    loop.awaitOut("paused");
    assertThat(state()).isEqualTo("paused");
    assertThat(iterations()).containsExactly("1 success", "2 success");
    assertThat(checkout.ralph("resume").code()).isZero();
    Checkout.await("the third prompt", () -> Files.exists(third));
    assertThat(Files.readString(third)).doesNotContain("Do the API first");

    // A stopped loop ends after the current iteration.
    assertThat(checkout.ralph("stop", "--reason", "enough for today").code()).isZero();
    assertThat(state()).isEqualTo("running");
    checkout.file("leave", "");
    Exit exit = loop.exit();
    assertThat(exit.code()).as(exit.err()).isEqualTo(9);
    assertThat(exit.out()).contains("stopped").contains("enough for today");
    assertThat(iterations()).containsExactly("1 success", "2 success", "3 success");
  }

  // ---- in containers

  /**
   * Command prefix for a container. Containers may share a host name, and do not see each other's
   * processes.
   */
  private static final List<String> CONTAINER =
      List.of("unshare", "--pid", "--fork", "--mount-proc", "--kill-child");

  private static String[] inContainer(String... command) {
    return Stream.concat(CONTAINER.stream(), Stream.of(command)).toArray(String[]::new);
  }

  private Exit contained(String... words) throws Exception {
    String[] command = Stream.concat(launcher(), Stream.of(words)).toArray(String[]::new);
    return checkout.run(Map.of(), inContainer(command));
  }

  private Stream<String> launcher() {
    return Stream.of(checkout.launcher().toString());
  }

  private static void assertIsRefused(Exit build) {
    assertThat(build.code()).as(build.err()).isEqualTo(1);
    assertThat(build.err())
        .contains("can't check if the process still runs")
        .contains("ralph stop --gone");
  }

  @Test
  void loopInContainer_keepsSessionUntilStoppedAsGone() throws Exception {
    Exit container = checkout.run(Map.of(), inContainer("true"));
    assumeThat(container.code()).as("needs root: " + container.err()).isZero();
    checkout.file("agent.sh", "echo $$ >agent; sleep 600");
    String[] build = build("sh agent.sh", "--iterations", "1");
    Started loop =
        checkout.startAny(
            inContainer(Stream.concat(launcher(), Stream.of(build)).toArray(String[]::new)));
    checkout.awaitPid("agent");

    assertIsRefused(contained(build("true", "-i", "1")));
    assertThat(contained("status", "--json").out()).contains("\"state\":\"running\"");
    assertIsRefused(checkout.ralph(build("true", "-i", "1")));

    loop.signal("KILL");
    assertThat(loop.exit().code()).isEqualTo(137);
    Checkout.await("the container's end", () -> checkout.left().isEmpty());
    assertIsRefused(contained(build("true", "-i", "1")));
    assertThat(contained("stop", "--gone").code()).isZero();
    assertThat(contained(build("true", "-i", "1")).code()).isEqualTo(3);
    assertThat(iterations()).containsExactly("1 interrupted", "2 success");
  }

  // ---- full disk

  /** Starts a grandchild, and continues when the disk cannot hold a message of one letter. */
  private static final String GREEDY =
      """
      setsid sh -c 'trap "" TERM; echo $$ >grandchild; while :; do sleep 0.2; done' &
      until [ -s grandchild ]; do sleep 0.05; done
      cat /dev/zero >disk/ballast
      for length in 8000 1000 100 1; do
        while "$RALPH" message "$(printf "%0${length}d" 0)"; do :; done
      done
      exit 0
      """;

  @Test
  void fullDisk_endsLoopWithoutLoss() throws Exception {
    Exit mount = checkout.shell("mkdir disk && unshare -m mount -t tmpfs tmpfs disk");
    assumeThat(mount.code()).as("mounting needs root: " + mount.err()).isZero();
    checkout.file("agent.sh", GREEDY);

    Exit exit =
        checkout.run(
            Map.of("RALPH_STORE", "disk/store"),
            "unshare",
            "-m",
            "sh",
            "-c",
            """
            mount -t tmpfs -o size=1m tmpfs disk || exit
            "$RALPH" task add --create 'keep me' >/dev/null
            "$RALPH" build -p x --agent 'sh agent.sh' -i 1 >out 2>err
            echo "full: $?"
            grep State: "/proc/$(cat grandchild)/status" 2>/dev/null | grep -v zombie
            "$RALPH" tasks
            "$RALPH" doctor
            rm disk/ballast
            "$RALPH" build -p x --agent true -i 1 >/dev/null
            echo "room: $?"
            "$RALPH" iterations
            "$RALPH" verify
            """);

    String err = Files.readString(checkout.work().resolve("err"));
    assertThat(exit.out()).as(err).startsWith("full: 1\nt1 ").contains("keep me");
    assertThat(err).as("no stack trace").doesNotContain("\tat ");
    assertThat(err.lines()).last().asString().startsWith("ralph: ").contains("No space left");
    assertThat(exit.out())
        .contains("\nbad  disk: only ")
        .contains(" KB free on the disk of the store");
    assertThat(exit.out()).contains("room: 3\n#1 ").contains("\n#2 success");
    assertThat(exit.out()).doesNotContain("State:").doesNotContain("running");
    assertThat(exit.err()).isEmpty();
    assertThat(exit.code()).as(exit.out()).isZero();
  }

  @Test
  @Tag("slow")
  void fileSizeLimit_endsLoopWithoutLoss() throws Exception {
    Files.createDirectory(checkout.work().resolve("disk"));
    checkout.file("agent.sh", GREEDY);
    assertThat(checkout.ralph("task", "add", "--create", "keep me").code()).isZero();

    Exit exit =
        checkout.shell(
            "ulimit -f 64; exec \"$RALPH\" build -p x --agent 'sh agent.sh' -i 1 2>&1 | cat");

    assertThat(exit.out().lines()).last().asString().startsWith("ralph: ").contains("too large");
    assertThat(checkout.left()).isEmpty();
    assertThat(checkout.ralph("tasks").out()).contains("keep me").hasLineCount(1);
    assertThat(checkout.ralph("verify").code()).isZero();
    Exit next = checkout.ralph(build("true", "-i", "1"));
    assertThat(next.code()).as(next.err()).isEqualTo(3);
    assertThat(iterations()).hasSize(2).last().isEqualTo("2 success");
  }

  // ---- observers

  @Test
  void signal_endsLogFollower() throws Exception {
    checkout.ralph("task", "add", "--create", "one");
    Started follower = checkout.start("log", "--follow");
    follower.awaitOut(" one\n");
    checkout.ralph("message", "two");
    follower.awaitOut(" two\n");

    follower.signal("INT");

    assertThat(follower.exit().code()).isEqualTo(130);
    assertThat(follower.exit().err()).isEmpty();
  }

  @Test
  void closedReader_endsLogFollower() throws Exception {
    checkout.ralph("task", "add", "--create", "one");

    Exit exit =
        checkout.shell(
            """
            { "$RALPH" log --follow; echo "code $?" >&2; echo end >ended; } | head -n 1 &
            n=0
            until [ -e ended ]; do
              "$RALPH" message 'one more' >/dev/null
              n=$((n + 1))
              [ $n -lt 100 ] || exit 1
            done
            wait
            """);

    assertThat(exit.out()).endsWith(" one\n").hasLineCount(1);
    assertThat(exit.err()).isEqualTo("code 0\n");
  }
}
