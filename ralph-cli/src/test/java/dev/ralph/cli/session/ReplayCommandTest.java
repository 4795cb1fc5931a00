package dev.ralph.cli.session;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.ralph.AgentResult;
import dev.ralph.Gate;
import dev.ralph.Message;
import dev.ralph.NewTask;
import dev.ralph.Ralph;
import dev.ralph.RecordEntry;
import dev.ralph.Session;
import dev.ralph.StatusChange;
import dev.ralph.Task;
import dev.ralph.ToolSettings;
import dev.ralph.Turn;
import dev.ralph.Verdict;
import dev.ralph.cli.Terminal;
import dev.ralph.core.internal.delivery.AgentInbox;
import dev.ralph.tool.AgentTools;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code ralph replay} repeats the recorded actions of an agent and runs the gates again. */
@Timeout(120)
class ReplayCommandTest {

  private static final ObjectMapper JSON = new ObjectMapper();

  @TempDir Path folder;
  private Terminal terminal;

  @BeforeEach
  void recordASession() throws IOException {
    terminal = new Terminal(folder).with("RALPH_SESSION", "auth");
    run("task", "add", "--create", "write it");
    Path isTested = folder.resolve("tested");
    try (Ralph ralph = Ralph.open(folder.resolve(".ralph/store"))) {
      Session session = ralph.session("auth");
      iterate(session, isTested);
      session.inbox().send("Test it too", "anna", null);
      session.tasks().add("test it");
      Files.createFile(isTested);
      iterate(session, isTested);
    }
    Files.delete(isTested);
  }

  private void iterate(Session session, Path isTested) {
    session
        .loop(ReplayCommandTest::work)
        .directory(folder)
        .gate(
            Gate.named(
                "tests",
                context ->
                    Files.exists(isTested) ? Verdict.passed() : Verdict.ofExit(3, "no test")))
        .maxIterations(1)
        .run();
  }

  private static AgentResult work(Turn turn) {
    try (AgentTools tools = openTools(turn)) {
      call(turn, tools, "task_list", "{}");
      for (Message message : turn.session().inbox().unread()) {
        call(turn, tools, "inbox_mark_read", "{\"id\":\"" + message.id() + "\"}");
      }
      for (Task task : turn.session().tasks().ready()) {
        call(turn, tools, "note_add", "{\"type\":\"tip\",\"content\":\"Did a task\"}");
        call(turn, tools, "task_status", status(task));
      }
      String told = call(turn, tools, "session_complete", "{}");
      if (turn.iteration() == 2) {
        assertThat(told).doesNotContain("with word");
        somebodySends(turn.session(), "Say how it went");
        told = call(turn, tools, "session_complete", "{}");
        assertThat(told).contains("Say how it went");
        String word = told.replaceAll("(?s).*with word ([a-z]+).*", "$1");
        call(turn, tools, "session_complete", "{\"word\":\"" + word + "\"}");
      }
    }
    return AgentResult.success();
  }

  /** Sends a message, and waits so that later frames and record entries have a later time. */
  private static void somebodySends(Session session, String text) {
    session.inbox().send(text);
    awaitNextMillisecond();
  }

  /**
   * Waits for the next millisecond. Times in the log have milliseconds, and a replay sorts frames
   * and record entries by time.
   */
  private static void awaitNextMillisecond() {
    Instant begun = Instant.now();
    while (!Instant.now().isAfter(begun.plusMillis(1))) {
      Thread.onSpinWait();
    }
  }

  private static String status(Task task) {
    return "{\"id\":\"" + task.id() + "\",\"status\":\"completed\"}";
  }

  /** Opens tools that record no calls, as for a client in another process. */
  private static AgentTools openTools(Turn turn) {
    return turn.session().openTools(ToolSettings.STANDARD.iteration(turn.iteration()).inLoop());
  }

  private static String call(Turn turn, AgentTools tools, String tool, String arguments) {
    String id = String.valueOf(System.nanoTime());
    turn.record(RecordEntry.toolCall(id, "mcp__ralph__" + tool, arguments));
    AgentTools.Result result = tools.call(tool, arguments);
    turn.record(RecordEntry.toolResult(id, result.isError(), result.text()));
    return result.text();
  }

  private String run(String... words) {
    Terminal.Result result = terminal.call(words);
    assertThat(result.code()).as(result.out() + result.err()).isZero();
    return result.out();
  }

  @Test
  void commandAgent_reportsIterations() {
    try (Ralph ralph = Ralph.open(folder.resolve(".ralph/store"))) {
      Session session = ralph.session("script");
      session.tasks().add("write it");
      session
          .loop(
              turn -> {
                try (AgentTools tools = openTools(turn)) { // as the command does
                  tools.call("task_status", status(turn.session().tasks().get("t1")));
                }
                return AgentResult.success();
              })
          .directory(folder)
          .maxIterations(1)
          .run();
    }
    Terminal.Result result = terminal.call("replay", "-n", "script");
    assertThat(result.code()).isOne();
    assertThat(result.out())
        .containsOnlyOnce("Reason: ")
        .contains("the record of iteration #1 has no tool calls. A command agent");
    assertThat(terminal.call("replay", "-n", "script", "--to", "again", "--json").out())
        .contains("\"without_calls\":[1]");
    assertThat(run("replay")).doesNotContain("Reason");
  }

  @Test
  void replay_repeatsToolCallsAndGates() throws IOException {
    assertThat(run("status")).contains("completed");

    assertThat(run("replay"))
        .isEqualTo("The session auth-replay replays 2 iterations of auth: no differences\n");

    assertThat(run("tasks", "-n", "auth-replay")).contains("write it").contains("test it");
    assertThat(run("status", "-n", "auth-replay")).contains("completed");
    assertThat(run("iterations", "-n", "auth-replay", "--show", "1"))
        .contains("gate failed with exit code 3: tests\n         Its last lines:\n");
    assertThat(run("iterations", "-n", "auth-replay", "--show", "2"))
        .contains("gate passed: tests");
    assertThat(run("inbox", "-n", "auth-replay", "--all"))
        .contains("Test it too")
        .contains("anna")
        .contains("Say how it went");
    try (Stream<Path> files = Files.list(folder)) {
      assertThat(files)
          .as("no files outside of the store")
          .containsExactly(folder.resolve(".ralph"));
    }
  }

  @Test
  void replay_repeatsChangesBetweenIterations() throws IOException {
    try (Ralph ralph = Ralph.open(folder.resolve(".ralph/store"))) {
      Session session = ralph.session("auth");
      session.questions().ask("Which port?");
      once(session, "ask", "{\"question\":\"Which host?\"}");
      session.tasks().addAll(List.of(NewTask.of("a").key("k"), NewTask.of("b").dependsOn("#1")));
      session.tasks().depend("t4", "t2");
      session.tasks().status("t3", StatusChange.to(Task.Status.BLOCKED).because("no key"));
      session.notes().add("tip", "Look there", 0, "t4");
      session.questions().answer("q2", "localhost", "anna");
      once(session, "task_list", "{}");
    }

    assertThat(run("replay")).endsWith("replays 4 iterations of auth: no differences\n");

    assertThat(run("task", "show", "-n", "auth-replay", "t3")).contains("no key");
    assertThat(run("task", "show", "-n", "auth-replay", "t4")).contains("t2").contains("t3");
    assertThat(run("notes", "-n", "auth-replay")).contains("Look there").contains("t4");
    assertThat(run("inbox", "-n", "auth-replay")).containsOnlyOnce("localhost").contains("anna");
  }

  /** As with opencode's server, whose model receives a message without a tool call. */
  @Test
  void replay_repeatsDeliveryByClient() {
    try (Ralph ralph = Ralph.open(folder.resolve(".ralph/store"))) {
      ralph
          .session("auth")
          .loop(
              turn -> {
                AgentInbox inbox = AgentInbox.of(turn.session());
                AgentInbox.Call itself =
                    new AgentInbox.Call("opencode-1", "1", Set.of(), turn.iteration());
                somebodySends(turn.session(), "Take the blue one");
                List<AgentInbox.Delivery> shown = inbox.deliver(itself, Duration.ofMinutes(10));
                try (AgentTools tools = openTools(turn)) {
                  inbox.acknowledge(itself, List.of(shown.get(0).message().id()));
                  awaitNextMillisecond();
                  assertThat(call(turn, tools, "task_list", "{}")).doesNotContain("blue");
                  call(turn, tools, "session_complete", "{}");
                }
                return AgentResult.success();
              })
          .maxIterations(1)
          .run();
    }

    assertThat(run("replay")).endsWith("replays 3 iterations of auth: no differences\n");
  }

  private static void once(Session session, String tool, String arguments) {
    session
        .loop(
            turn -> {
              try (AgentTools tools = openTools(turn)) {
                call(turn, tools, tool, arguments);
              }
              return AgentResult.success();
            })
        .maxIterations(1)
        .run();
  }

  @Test
  void replay_namesEachDifference() throws IOException {
    String second;
    try (Ralph ralph = Ralph.open(folder.resolve(".ralph/store"))) {
      second = ralph.session("auth").tasks().get("t2").id();
    }
    run("erase", second);

    Terminal.Result result = terminal.call("replay", "--to", "again");

    assertThat(result.code()).isEqualTo(1);
    assertThat(result.out().lines())
        .anySatisfy(line -> assertThat(line).startsWith("#2, call 1 of task_list: recorded '"))
        .last()
        .satisfies(line -> assertThat(line).startsWith("The session again replays 2 iterations"));
    JsonNode answer = JSON.readTree(terminal.call("replay", "--json").out());
    assertThat(answer.get("kind").asText()).isEqualTo("replayed");
    assertThat(answer.get("session").asText()).isEqualTo("auth-replay");
    assertThat(answer.get("iterations").asInt()).isEqualTo(2);
    JsonNode first = answer.get("differences").get(0);
    assertThat(List.of(first.get("n").asInt(), first.get("what").asText()))
        .isEqualTo(List.of(2, "call 1 of task_list"));
    assertThat(first.get("recorded").asText()).contains("test it");
    assertThat(first.get("now").asText()).doesNotContain("test it");
  }

  @Test
  void replayIntoExistingSession_isRefused() {
    run("replay", "--to", "again");

    Terminal.Result result = terminal.call("replay", "--to", "again");

    assertThat(result.code()).isEqualTo(1);
    assertThat(result.err()).contains("the session 'again' already exists").contains("--to");
    assertThat(terminal.call("replay", "-n", "other").code()).isEqualTo(1);
  }
}
