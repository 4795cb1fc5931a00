package dev.ralph.cli.loop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.cli.Terminal;
import dev.ralph.cli.TerminalProcess;
import dev.ralph.cli.call.ExitCode;
import dev.ralph.core.internal.process.CommandResult;
import dev.ralph.core.internal.process.Git;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code ralph build --watch} with several agents, and on a change, on a pseudo terminal. */
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class BuildWatchSeveralTest {

  /** Ends its iteration when the test allows it. The test completes the task. */
  private static final String AGENT =
      """
      cat >/dev/null
      echo "works on ${RALPH_STORY:-it} as ${RALPH_AGENT:-the only one}"
      until [ -e "$GO$RALPH_STORY" ]; do sleep 0.1; done
      echo done >"done-$RALPH_STORY-$RALPH_AGENT"
      """;

  private static final String TASKS =
      "## 1. Doors\n- [ ] 1.1 a door\n- [ ] 1.2 a lock\n\n## 2. Roof\n- [ ] 2.1 a roof\n";

  private static final String LIST = "openspec/changes/add-house/tasks.md";

  private static final Pattern SESSION = Pattern.compile("add-house-\\w{8}");

  @TempDir Path folder;
  private Path project;
  private Terminal terminal;
  private TerminalProcess process;

  @BeforeEach
  void makeARepository() throws Exception {
    project = Files.createDirectory(folder.resolve("a house"));
    terminal = new Terminal(project);
    Files.createDirectories(project.resolve(LIST).getParent());
    Files.writeString(project.resolve(LIST), TASKS);
    Files.writeString(project.resolve("openspec/verify"), "test: true\n");
    Files.writeString(project.resolve("agent.sh"), AGENT);
    git("init", "--quiet", "-b", "main");
    git("config", "user.name", "Somebody");
    git("config", "user.email", "somebody@example.org");
    git("add", "--all");
    git("commit", "--quiet", "-m", "Plan a house");
  }

  @AfterEach
  void end() throws Exception {
    if (process != null) {
      process.end();
    }
  }

  private String git(String... arguments) throws InterruptedException {
    CommandResult answer = new Git(project, Duration.ofMinutes(2)).run(arguments);
    assertThat(answer.isGood()).as(String.join(" ", arguments) + ": " + answer.why()).isTrue();
    return answer.line();
  }

  private void run(String... words) {
    assertThat(terminal.call(words).code()).isZero();
  }

  private void build(String... words) throws Exception {
    Map<String, String> variables =
        Map.of(
            "TERM",
            "xterm",
            "GO",
            folder.resolve("go").toString(),
            "GIT_CEILING_DIRECTORIES",
            folder.toString());
    process = TerminalProcess.onATerminal(project, variables, words);
  }

  private void buildAChange(String... more) throws Exception {
    String[] words = {
      "build",
      "--yes",
      "--change",
      "add-house",
      "--agent",
      "sh agent.sh",
      "--watch",
      more[0],
      more[1]
    };
    build(words);
  }

  /** Allows the agents of a story to end, or agents without a story if the text is empty. */
  private void letEnd(String story) throws Exception {
    Files.createFile(folder.resolve("go" + story));
  }

  private static String afterThePage(String seen) {
    return seen.substring(seen.lastIndexOf(TerminalProcess.END) + TerminalProcess.END.length());
  }

  @Test
  void twoWorkers_areShownAndMerged() throws Exception {
    run("task", "add", "--create", "-n", "auth", "the first");
    run("task", "add", "-n", "auth", "the second");
    build("build", "-n", "auth", "--agents", "2", "--agent", "sh agent.sh", "--watch");
    String page = process.await("2| works on it as 2");
    assertThat(page).contains("2 agents").contains("1: t1 the first").contains("2: t2 the second");
    process.type("mBoth of you\r");
    process.await("sent m1");
    run("inbox", "read", "-n", "auth", "m1");
    run("task", "done", "-n", "auth", "t1", "t2");
    letEnd("");
    String end = process.assertEnds(ExitCode.DONE);
    assertThat(afterThePage(end))
        .contains("auth: loop ended: completed after 2 iterations")
        .contains("from ralph/auth into main");
    assertThat(git("ls-files")).contains("done--1", "done--2");
  }

  @ParameterizedTest
  @ValueSource(strings = {"1", "3"})
  void change_staysOnPageForAllStories(String agents) throws Exception {
    buildAChange("--worktree", "--agents=" + agents);
    String page = process.await("works on 1 as");
    assertThat(page).contains("  change      0 of 2 stories, 0 of 3 tasks done");
    String session = session(page);
    process.type("n");
    assertThat(process.await("q: back")).doesNotContain("ralph/" + session);
    process.type("q");
    process.await("running");
    run("task", "done", "-n", session, "t1", "t2");
    letEnd("1");
    process.await("works on 2 as");
    assertThat(process.await("change      1 of 2 stories, 2 of 3 tasks done"))
        .doesNotContain(TerminalProcess.END);
    run("task", "done", "-n", session, "t3");
    letEnd("2");
    String end = process.assertEnds(ExitCode.DONE);
    assertThat(end.split(Pattern.quote(TerminalProcess.END))).as("screen restored once").hasSize(2);
    assertThat(afterThePage(end))
        .contains("loop ended: completed")
        .contains("all stories of add-house are complete")
        .doesNotContain("Story 1");
    assertThat(git("show", "ralph/add-house:" + LIST) + "\n")
        .isEqualTo(TASKS.replace("[ ]", "[x]"));
  }

  @Test
  void leftPage_continuesChangeInLines() throws Exception {
    buildAChange("--agents", "2");
    String session = session(process.await("works on 1 as"));
    process.type("q");
    process.await(TerminalProcess.END);
    process.await("story 1 of 2  #2, 2 of 50");
    run("task", "done", "-n", session, "t1", "t2");
    letEnd("1");
    assertThat(process.await("works on 2 as"))
        .contains("t1 is merged as", "story 1 of 2 is complete", "Story 2. Roof (2 of 2)");
    run("task", "done", "-n", session, "t3");
    letEnd("2");
    process.await("all stories of add-house are complete");
    process.await("code 0 after " + process.modes());
  }

  @Test
  void stopKey_stopsChangeWithoutLoss() throws Exception {
    buildAChange("--agents", "2");
    String session = session(process.await("works on 1 as"));
    process.type("syes\r");
    process.await("stopping after");
    run("task", "done", "-n", session, "t1");
    letEnd("1");
    assertThat(afterThePage(process.assertEnds(ExitCode.STOPPED)))
        .contains("loop ended: stopped", "0 of 2 stories are complete")
        .contains("continue with: ralph build -n " + session);
    assertThat(git("show", "ralph/add-house:" + LIST)).contains("[x] 1.1", "[ ] 1.2");
  }

  private static String session(String page) {
    Matcher session = SESSION.matcher(page);
    assertThat(session.find()).as(page).isTrue();
    return session.group();
  }
}
