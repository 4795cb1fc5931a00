package dev.ralph.cli.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.Agent;
import dev.ralph.AgentResult;
import dev.ralph.Gate;
import dev.ralph.LoopResult;
import dev.ralph.Ralph;
import dev.ralph.Session;
import dev.ralph.StopReason;
import dev.ralph.cli.Terminal;
import dev.ralph.cli.Terminal.Result;
import dev.ralph.domain.ProcessIdentity;
import dev.ralph.log.Batch;
import dev.ralph.log.Draft;
import dev.ralph.log.Meta;
import dev.ralph.log.Topic;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Commands that select a session, show its state, and end it. */
class SteeringTest {

  @TempDir Path folder;
  private Terminal terminal;

  @BeforeEach
  void addATask() {
    terminal = new Terminal(folder);
    done("task", "add", "-n", "auth", "one");
  }

  private Result done(String... words) {
    Result result = terminal.call(words);
    assertThat(result.code()).as(result.err()).isZero();
    return result;
  }

  // ---- session selection

  @Test
  void onlySession_needsNoName() {
    done("message", "hello");
    done("task", "done", "t1");
    assertThat(done("status").out()).startsWith("auth: idle").contains("1 of 1", "1 unread");
    assertThat(terminal.call("build", "--agent", "true", "-i", "1").out())
        .contains("continue with: ralph build -n auth --agent true -i 1");
    assertThat(terminal.sessions()).containsExactly("auth");
  }

  @Test
  void severalSessions_requireName() {
    done("task", "add", "-n", "docs", "two");
    Result result = terminal.call("status");
    assertThat(result.code()).isEqualTo(2);
    assertThat(result.err())
        .isEqualTo(
            "ralph: --name is required (or set RALPH_SESSION); existing sessions:"
                + " 'auth', 'docs'\n");
  }

  @Test
  void emptyStore_requiresNameForGivenStore() throws Exception {
    Terminal empty = new Terminal(Files.createDirectory(folder.resolve("empty")));
    for (String more : List.of("", " --store new --create")) {
      Result result = empty.call(("task add one" + more).split(" "));
      assertThat(result.code()).isEqualTo(more.isEmpty() ? 0 : 2);
      assertThat(folder.resolve("empty/new")).doesNotExist();
    }
  }

  @Test
  void projectFile_mayNameSession() throws Exception {
    done("task", "add", "-n", "docs", "two");
    Files.writeString(folder.resolve(".ralph.conf"), "name = docs\nagent = true\n");

    assertThat(done("status").out()).startsWith("docs: ");
    assertThat(done("status", "-n", "auth").out()).startsWith("auth: ");
    Result build = terminal.call("build", "-i", "1", "--yes");
    assertThat(build.out()).startsWith("docs - Iteration #1");
    assertThat(build.err()).contains("options from ", ": agent, name\n");
    Files.writeString(folder.resolve(".ralph.conf"), "name = nodocs\n");
    assertThat(terminal.call("status").err())
        .startsWith("ralph: no session 'nodocs' (from .ralph.conf) in ");
  }

  // ---- orders

  @Test
  void stopOrder_isShownUntilLoopEnds() {
    List<String> seen = new ArrayList<>();
    Agent agent =
        turn -> {
          seen.add(terminal.call("stop", "--json").line());
          seen.add(terminal.call("status").out());
          seen.add(terminal.call("status", "--json").out());
          return AgentResult.success();
        };
    try (Ralph ralph = Ralph.open(folder.resolve(".ralph/store"))) {
      ralph.session("auth").loop(agent).maxIterations(2).run();
    }
    assertThat(seen.get(0)).isEqualTo("{\"v\":1,\"kind\":\"control\",\"order\":\"stop\"}");
    assertThat(seen.get(1)).startsWith("auth: running, stop requested (");
    assertThat(seen.get(2)).contains("\"stopping\":true");
    assertThat(done("status").out())
        .startsWith("auth: idle; last run ended: stopped (exit code 9)\n  tasks ");
    assertThat(done("status", "--json").out())
        .doesNotContain("stopping")
        .contains("\"last_end\":{\"reason\":\"stopped\",\"exit_code\":9,\"time\":\"20");
  }

  @ParameterizedTest
  @CsvSource({
    "stopped, enough for today, 9",
    "no_progress, nothing has changed, 6",
    "max_iterations, 1 task left, 3",
    "interrupted, the signal SIGINT, ",
    "gone, , ",
    "of a newer version, , "
  })
  void idleSession_showsReasonOfLastEnd(String reason, String detail, String code) {
    appendToControl(
        ProcessIdentity.current().in(Meta.of("action", "loop_start").with("run", "r")),
        Meta.of("action", "loop_end").with("reason", reason).with("detail", detail));

    assertThat(done("status").out())
        .startsWith(
            "auth: idle; last run ended: "
                + reason
                + (code == null ? "" : " (exit code " + code + ")")
                + (detail == null ? "" : "\n  reason      " + detail)
                + "\n  tasks ");
    assertThat(done("status", "--json").out())
        .contains("\"last_end\":{\"reason\":\"" + reason + "\",")
        .contains(detail == null ? "" : ",\"detail\":\"" + detail + "\",")
        .contains(code == null ? "" : ",\"exit_code\":" + code + ",");
  }

  @Test
  void refusedCompletion_isShownWithoutAssignedTask() {
    try (Ralph ralph = Ralph.open(folder.resolve(".ralph/store"))) {
      Session session = ralph.session("auth");
      Agent agent =
          turn -> {
            session.tasks().complete("t1");
            session.control().complete();
            return AgentResult.success().summary("all done");
          };
      LoopResult result =
          session
              .loop(agent)
              .gate(Gate.of("test", "-f", "missing"))
              .directory(folder)
              .maxIdle(1)
              .failurePause(Duration.ofMillis(1))
              .run();
      assertThat(result.reason()).isEqualTo(StopReason.NO_PROGRESS);
      assertThat(result.detail())
          .endsWith("; completion was refused: gate failed with exit code 1: test -f missing");
    }
    String line = "success, completion refused 20";
    String reason = "all done  (refused: gate failed with exit code 1: test -f missing)";
    assertThat(done("status").out()).contains(line, reason);
    assertThat(done("iterations").out()).contains("#1 " + line, reason);
    assertThat(done("iterations", "--json").out())
        .contains("\"returned\":\"gate failed with exit code 1: test -f missing\"");
  }

  @Test
  void runningLoop_acceptsHigherLimits() {
    List<String> seen = new ArrayList<>();
    Agent agent =
        turn -> {
          if (turn.iteration() == 1) {
            seen.add(terminal.call("raise", "--iterations", "2", "--max-cost", "5").line());
            seen.add(terminal.call("raise", "--max-tokens", "100", "--json").line());
            seen.add(terminal.call("status").out());
          }
          return AgentResult.success();
        };
    try (Ralph ralph = Ralph.open(folder.resolve(".ralph/store"))) {
      assertThat(ralph.session("auth").loop(agent).maxIterations(1).run().iterations())
          .isEqualTo(3);
    }
    assertThat(seen.get(0)).isEqualTo("Raised; the limit is now 3 iterations");
    assertThat(seen.get(1)).isEqualTo("{\"v\":1,\"kind\":\"control\",\"order\":\"raise\"}");
    assertThat(seen.get(2)).contains("of 3 iterations");
    assertThat(terminal.call("raise", "--iterations", "1").err()).contains("no loop runs");
    assertThat(terminal.call("raise").err()).contains("no limit to raise");
    assertThat(terminal.call("raise", "--max-cost", "-1").err()).contains("US dollars");
  }

  @Test
  void stopWithoutLoop_claimsNoOrder() {
    assertThat(done("stop", "--json").line()).isEqualTo("{\"v\":1,\"kind\":\"control\"}");
    assertThat(done("status").out()).startsWith("auth: idle\n");
    assertThat(done("pause", "--json").line()).contains("\"order\":\"pause\"");
  }

  @Test
  void iterationOfDeadLoop_isInterrupted() {
    try (Ralph ralph = Ralph.open(folder.resolve(".ralph/store"))) {
      Meta start = Meta.of("action", "start").with("n", 1);
      ralph
          .log()
          .append(Batch.of("b1", List.of(Draft.of(Topic.of("ralph.auth.iteration"), start))));
    }
    assertThat(done("status").out())
        .contains("iterations  #1 interrupted")
        .doesNotContain("running");
    assertThat(done("status", "--json").out()).contains("\"n\":1,\"status\":\"interrupted\"");
    assertThat(done("iterations").out()).startsWith("#1 interrupted");
  }

  // ---- deleting

  @ParameterizedTest
  @ValueSource(strings = {"", "n\n", "\n", "yes please\n"})
  void unconfirmedDelete_keepsSession(String answer) {
    Result result = terminal.type(answer, "delete", "-n", "auth");
    assertThat(result.code()).isEqualTo(1);
    assertThat(result.err())
        .isEqualTo(
            "Erase the session auth permanently? It has 1 task and 0 iterations. [y/N] ralph: nothing"
                + " was deleted\n");
    assertThat(terminal.sessions()).containsExactly("auth");
  }

  @Test
  void confirmedOrPipedDelete_erasesSession() {
    assertThat(terminal.type("y\n", "delete", "-n", "auth").code()).isZero();
    done("task", "add", "-n", "auth", "one");
    done("delete", "-n", "auth", "--yes");
    done("task", "add", "-n", "auth", "one");
    assertThat(terminal.pipe("", "delete", "-n", "auth").code()).isZero();
    assertThat(done("sessions").line()).isEqualTo("No sessions yet");
  }

  @Test
  void onlySession_isNotDeletedWithoutName() {
    assertThat(terminal.call("delete", "--yes").code()).isEqualTo(2);
    assertThat(terminal.sessions()).containsExactly("auth");
  }

  // ---- past states

  @Test
  void past_isAddressedByAge() {
    assertThat(done("tasks", "--at", "1h").line()).isEqualTo("No tasks yet");
    assertThat(done("tasks", "--at", "1ms").out()).contains("one");
    assertThat(done("diff", "1h").out()).contains("+ t1 ");
    assertThat(done("diff", "2h", "1h").line()).isEqualTo("No changes");
    assertThat(terminal.call("tasks", "--at", "1x").code()).isNotZero();
  }

  // ---- loops of dead processes

  @Test
  void stopOfCrashedLoop_isNotOrdered() throws Exception {
    loopInItsFirstIteration();

    assertThat(done("stop").out()).startsWith("No loop runs the session auth");
    assertThat(done("status").out()).startsWith("auth: crashed").doesNotContain("stop requested");
    assertThat(done("status", "--json").out()).doesNotContain("\"stopping\":true");
  }

  @Test
  void pastIteration_isShownAsRunning() throws Exception {
    loopInItsFirstIteration();
    String then = Instant.now().toString();

    assertThat(done("status").out()).contains("#1 interrupted");
    assertThat(done("status", "--at", then).out())
        .startsWith("auth: running")
        .contains("#1 running")
        .doesNotContain("interrupted", "crashed");
    assertThat(done("iterations", "--at", then).out()).startsWith("#1 running");
  }

  @Test
  void loopOnDifferentHost_showsLeaseEnd() throws Exception {
    ProcessIdentity there = new ProcessIdentity("there", 42, 0);
    loopInItsFirstIteration(there, Duration.ofHours(1));
    assertThat(done("status").out())
        .containsPattern(
            "^auth: running \\(process 42 on there, until \\d\\d:\\d\\d:\\d\\d if not"
                + " renewed\\)");
    assertThat(done("status", "--json").out()).contains("\"live\":true,\"until\":\"20");

    loopInItsFirstIteration(there, Duration.ofMillis(1));
    Instant leaseEnd = Instant.now().plusMillis(1);
    while (!Instant.now().isAfter(leaseEnd)) {
      Thread.onSpinWait();
    }
    assertThat(done("status").out())
        .containsPattern("^auth: crashed \\(process 42 on there, until \\d\\d:\\d\\d:\\d\\d\\)");
  }

  private void loopInItsFirstIteration() throws Exception {
    Process sleeping = new ProcessBuilder("sleep", "60").start();
    ProcessIdentity process = ProcessIdentity.of(sleeping.toHandle());
    sleeping.destroyForcibly().waitFor();
    loopInItsFirstIteration(process, Duration.ZERO);
  }

  private void loopInItsFirstIteration(ProcessIdentity process, Duration lease) {
    Meta begun =
        process.in(
            Meta.of("action", "loop_start")
                .with("run", "r")
                .with("first", 1)
                .with("from", 1)
                .with("lease", lease.toMillis()));
    Meta start = Meta.of("action", "start").with("n", 1);
    try (Ralph ralph = Ralph.openExisting(folder.resolve(".ralph/store"))) {
      ralph.append(
          List.of(
              Draft.of(Topic.of("ralph.auth.control"), begun),
              Draft.of(Topic.of("ralph.auth.iteration"), start)));
    }
  }

  private void appendToControl(Meta... frames) {
    Topic topic = Topic.of("ralph.auth.control");
    try (Ralph ralph = Ralph.openExisting(folder.resolve(".ralph/store"))) {
      ralph.append(Stream.of(frames).map(meta -> Draft.of(topic, meta)).toList());
    }
  }
}
