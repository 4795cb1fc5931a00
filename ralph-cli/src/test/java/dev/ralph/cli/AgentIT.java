package dev.ralph.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.ralph.cli.Checkout.Exit;
import dev.ralph.cli.Checkout.Started;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Runs the commands of orchestrators and agents as processes. */
@Timeout(value = 15, unit = TimeUnit.MINUTES)
class AgentIT {

  private static final int ORCHESTRATORS = 6;

  @TempDir static Path folder;
  private static Checkout shared;
  private Checkout checkout;
  private Path change;

  @BeforeAll
  static void makeACheckout() throws Exception {
    shared = Checkout.shared(folder);
  }

  @BeforeEach
  void makeAChange() throws Exception {
    checkout = shared.elsewhere("at " + System.nanoTime());
    change = OpenSpecProject.copyTo(checkout.work());
  }

  @AfterEach
  void clear() {
    checkout.clear();
  }

  /** Selects a store, which the first command of an orchestrator creates. */
  private void store(String kind) {
    checkout.with("RALPH_STORE", kind + checkout.work().resolve("store"));
  }

  private Exit agent(String words) throws Exception {
    return checkout.ralph(("agent " + words).split(" "));
  }

  private static JsonNode json(Exit exit) throws Exception {
    assertThat(exit.code()).as(exit.toString()).isZero();
    return new ObjectMapper().readTree(exit.out());
  }

  private static void isLocked(Exit exit, String holder) throws Exception {
    assertThat(exit.code()).as(exit.toString()).isEqualTo(1);
    JsonNode failure = new ObjectMapper().readTree(exit.err());
    assertThat(failure.get("code").textValue()).isEqualTo("LOCKED");
    assertThat(failure.get("error").textValue()).contains(holder);
  }

  @Test
  void documentedSession_runsToCompletion() throws Exception {
    String page = Files.readString(Path.of("").toAbsolutePath().resolveSibling("docs/openspec.md"));
    int begin = page.indexOf("```sh\n") + "```sh\n".length();
    Path bin = Files.createDirectory(folder.resolve("bin"));
    Files.createSymbolicLink(bin.resolve("ralph"), checkout.launcher());

    Exit exit =
        checkout.run(
            Map.of("PATH", bin + ":" + System.getenv("PATH")),
            "sh",
            "-e",
            "-c",
            page.substring(begin, page.indexOf("```", begin)));

    assertThat(exit.code()).as(exit.toString()).isZero();
    assertThat(exit.err()).startsWith("ralph: created the store ").hasLineCount(1);
    assertThat(exit.out())
        .endsWith(
            "\"story_complete\":true,\"change_complete\":true}\n"
                + "{\"success\":true,\"learnings_written\":5}\n");
    assertThat(Files.readString(change.resolve("tasks.md")))
        .isEqualTo(OpenSpecProject.read("add-login/tasks.md").replace("- [ ] ", "- [x] "));
    assertThat(Files.readString(change.resolve("design.md")))
        .containsOnlyOnce("## Learnings")
        .containsOnlyOnce("- Nothing was hard (Task 2.10)");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "chronicle:"})
  void concurrentInits_letSingleOrchestratorWin(String kind) throws Exception {
    store(kind);
    List<Started> all = new ArrayList<>();
    for (int i = 0; i < ORCHESTRATORS; i++) {
      all.add(checkout.start("agent", "session", "init", "--create", "--change", "add-login"));
    }
    List<Exit> locked = new ArrayList<>();
    Set<String> sessions = new HashSet<>();
    for (Started each : all) {
      Exit exit = each.exit();
      if (exit.code() == 0) {
        sessions.add(json(exit).get("session_id").textValue());
      } else {
        locked.add(exit);
      }
    }
    assertThat(sessions).hasSize(1);
    String winner = sessions.iterator().next();
    for (Exit exit : locked) {
      isLocked(exit, winner);
    }
    assertThat(json(agent("session list --all")).get("sessions")).hasSize(1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "chronicle:"})
  void killedOrchestrator_sessionIsResumable(String kind) throws Exception {
    store(kind);
    Started orchestrator =
        checkout.startAny(
            "sh",
            "-c",
            "\"$RALPH\" agent session init --create --change add-login --owner-pid $$ >init\n"
                + "session=$(sed 's/[^:]*:\"//; s/\".*//' init)\n"
                + "\"$RALPH\" agent session next-story --session $session\n"
                + "\"$RALPH\" agent learn kept --session $session\n"
                + "\"$RALPH\" agent task done 1.2 --session $session\n"
                + "echo ready; while :; do sleep 1; done");
    orchestrator.awaitOut("ready");
    String session =
        new ObjectMapper()
            .readTree(checkout.work().resolve("init").toFile())
            .get("session_id")
            .textValue();
    isLocked(agent("session init --change add-login"), session);
    isLocked(agent("session resume"), session);

    orchestrator.signal("KILL");
    orchestrator.exit();

    JsonNode resumed = json(agent("session resume"));
    assertThat(resumed.get("session_id").textValue()).isEqualTo(session);
    assertThat(resumed.at("/stories/0/tasks_done").intValue()).isEqualTo(2);
    assertThat(resumed.get("story_id").textValue()).isEqualTo("1");
    assertThat(
            json(agent("context --session " + session)).at("/learnings/0/description").textValue())
        .isEqualTo("kept");
    isLocked(agent("session init --change add-login"), session);
    assertThat(json(agent("session flush --session " + session)).toString())
        .contains("\"learnings_written\":1");
  }

  @Test
  void sessionWithoutChangeLock_writesNothing() throws Exception {
    Process owner = new ProcessBuilder("sleep", "600").start();
    String first;
    try {
      first =
          json(agent("session init --change add-login --owner-pid " + owner.pid()))
              .get("session_id")
              .textValue();
      json(agent("learn late --session " + first));
    } finally {
      owner.destroyForcibly().waitFor();
    }
    String second = json(agent("session init --change add-login")).get("session_id").textValue();
    String tasks = Files.readString(change.resolve("tasks.md"));
    String design = Files.readString(change.resolve("design.md"));
    for (String words :
        List.of(
            "task done 1.2 --story 1",
            "learn x",
            "session next-story",
            "session flush",
            "session end",
            "context --story 1",
            "session resume")) {
      isLocked(agent(words + " --session " + first), second);
    }
    assertThat(change.resolve("tasks.md")).hasContent(tasks);
    assertThat(change.resolve("design.md")).hasContent(design);
    assertThat(json(agent("task done 1.2 --story 1 --session " + second)).toString())
        .contains("\"success\":true");
  }

  /** Kills the command after increasing delays. */
  @Test
  void killedFlush_writesLearningsOnce() throws Exception {
    String session = json(agent("session init --change add-login")).get("session_id").textValue();
    String design = Files.readString(change.resolve("design.md"));
    json(checkout.ralph("agent", "learn", "once", "--session", session));
    for (int kill = 0; kill < 8; kill++) {
      Started flush = checkout.start("agent", "session", "flush", "--session", session);
      flush.process().waitFor(50L * (kill + 1), TimeUnit.MILLISECONDS);
      flush.process().destroyForcibly();
      flush.exit();
    }
    assertThat(agent("session flush --session " + session).code()).isZero();
    assertThat(Files.readString(change.resolve("design.md")))
        .startsWith(design)
        .containsOnlyOnce("## Learnings")
        .containsOnlyOnce("- once\n")
        .endsWith("\n");
  }
}
