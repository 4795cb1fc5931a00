package dev.ralph.cli.loop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.cli.Terminal;
import dev.ralph.cli.TerminalProcess;
import dev.ralph.cli.call.ExitCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code ralph build --watch} on a pseudo terminal, created by script(1). */
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class BuildWatchTest {

  /** Works until the test allows it to end. */
  private static final String AGENT =
      """
      cat >/dev/null
      printf 'begin \\033[31mred\\033[0m \\033]0;title\\007 \\033c \\033[?1049l end\\n'
      until [ -e go ]; do sleep 0.1; done
      """;

  private static final String[] BUILD = {
    "build", "-n", "auth", "--agent", "sh agent.sh", "--watch"
  };

  @TempDir Path folder;
  private Terminal terminal;
  private TerminalProcess process;

  @BeforeEach
  void beginASession() throws IOException {
    terminal = new Terminal(folder).with("RALPH_SESSION", "auth");
    run("task", "add", "--create", "the first");
    Files.writeString(folder.resolve("agent.sh"), AGENT);
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

  private void build(String... more) throws Exception {
    Map<String, String> variables =
        Map.of("TERM", "xterm", "GIT_CEILING_DIRECTORIES", folder.getParent().toString());
    String[] words = Stream.concat(Stream.of(BUILD), Stream.of(more)).toArray(String[]::new);
    process = TerminalProcess.onATerminal(folder, variables, words);
  }

  private void letTheAgentEnd() throws IOException {
    Files.createFile(folder.resolve("go"));
  }

  private static String afterThePage(String seen) {
    return seen.substring(seen.lastIndexOf(TerminalProcess.END) + TerminalProcess.END.length());
  }

  @Test
  void page_showsLoopAndEndFollows() throws Exception {
    build();
    String page = process.await("begin red");
    assertThat(page).contains("running").doesNotContain("Iteration #1");
    String rest = process.await("ends the view");
    assertThat(rest).contains("\\u001bc");
    assertThat(TerminalProcess.DRAWING.matcher(rest).replaceAll("")).doesNotContain("\u001b");
    process.type("mUse the blue one\r");
    process.await("sent m1");
    process.type("n");
    process.await("q: back");
    process.type("G");
    process.await("rows");
    process.type("q");
    process.await("running");
    run("task", "done", "t1");
    run("inbox", "read", "m1");
    letTheAgentEnd();
    String end = process.assertEnds(ExitCode.DONE);
    assertThat(end).doesNotContain("Done!");
    assertThat(afterThePage(end))
        .contains("auth: loop ended: completed after 1 iteration")
        .contains("\r\n  tasks: 1 completed\r\n  run: 1 iteration, ");
  }

  /** Otherwise the next page would overwrite the warning. */
  @Test
  void hookWarning_followsPage() throws Exception {
    build("--on-question", "sh -c 'touch asked; exit 7'");
    process.await("begin red");
    run("ask", "Which port?");
    process.await("Which port?");
    while (!Files.exists(folder.resolve("asked"))) {
      Thread.sleep(10);
    }
    process.type("syes\r");
    letTheAgentEnd();
    String end = process.assertEnds(ExitCode.STOPPED);
    String warning = "warning: --on-question sh -c 'touch asked; exit 7': exit code 7";
    assertThat(end).containsOnlyOnce(warning);
    assertThat(afterThePage(end)).contains(warning);
  }

  @Test
  void leftPage_continuesInLines() throws Exception {
    build();
    process.await("ends the view");
    process.type("q");
    process.await(TerminalProcess.END);
    assertThat(process.await("at most")).contains("agent: sh agent.sh");
    process.await("#1, 1 of 50");
    run("task", "done", "t1");
    letTheAgentEnd();
    process.await("Done!");
    process.await("auth: loop ended: completed after 1 iteration");
    process.await("code 0 after " + process.modes());
  }

  @Test
  void stopKey_ordersStop() throws Exception {
    build();
    process.await("begin red");
    process.type("syes\r");
    process.await("stopping after this iteration");
    letTheAgentEnd();
    assertThat(afterThePage(process.assertEnds(ExitCode.STOPPED)))
        .contains("auth: loop ended: stopped after 1 iteration")
        .contains("continue with: ralph build -n auth");
  }

  @Test
  void signal_endsLoopAndPage() throws Exception {
    build();
    process.await("begin red");
    process.type("\u0003");
    assertThat(afterThePage(process.assertEnds(ExitCode.INTERRUPTED)))
        .contains("auth: loop ended: interrupted after 1 iteration");
  }

  @Test
  void signal_isReportedAtOnce() throws Exception {
    build();
    process.await("ends the view");
    process.type("q");
    process.await("#1, 1 of 50");
    process.type("\u0003");
    process.await("stopping after a signal: the agent has up to 30s to end; files, tasks and");
    process.await("auth: loop ended: interrupted after 1 iteration");
    process.await("continue with: ralph build -n auth");
    process.await("code 130 after " + process.modes());
  }

  /** A killed loop cannot restore the terminal. A shell that it started earlier does. */
  @Test
  void killedLoop_restoresTerminal() throws Exception {
    String after = "; until [ $(stty -g) = $m ]; do sleep 0.1; done; echo after $(stty -g) .";
    process =
        TerminalProcess.inAShell(folder, Map.of("TERM", "xterm"), "m=$(stty -g); ", after, BUILD);
    process.await("begin red");
    ProcessHandle ralph =
        process
            .process()
            .descendants()
            .filter(each -> each.info().command().orElse("").endsWith("/java"))
            .findFirst()
            .orElseThrow();
    assertThat(ralph.destroyForcibly()).isTrue();
    assertThat(process.await("after " + process.modes() + " .")).contains(TerminalProcess.END);
    letTheAgentEnd();
  }

  @Test
  void withoutTerminal_linesArePrinted() throws Exception {
    letTheAgentEnd();
    assertThat(terminal.call("build", "--agent", "sh agent.sh", "--watch", "-i", "1").out())
        .contains("auth - Iteration #1")
        .doesNotContain("\u001b[?1049h");
  }

  @Test
  void watchWithDetach_isRefused() {
    assertThat(terminal.call("build", "--detach", "--watch", "-p", "x").err())
        .contains("--watch cannot be combined with --detach");
  }
}
