package dev.ralph.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ralph.AgentResult;
import dev.ralph.LoopResult;
import dev.ralph.Message;
import dev.ralph.Ralph;
import dev.ralph.Session;
import dev.ralph.StopReason;
import dev.ralph.Task;
import dev.ralph.log.Appended;
import dev.ralph.log.Batch;
import dev.ralph.log.Meta;
import dev.ralph.log.RalphException;
import dev.ralph.spi.ForwardingStore;
import dev.ralph.spi.StoreConfig;
import dev.ralph.store.memory.MemoryStoreProvider;
import dev.ralph.tool.AgentTools;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The tools of a session for a model in the same process. */
class AgentToolsTest {

  private final Ralph ralph = Ralph.inMemory();
  private final Session session = ralph.session("s");
  private final AgentTools tools = session.openTools();

  @AfterEach
  void close() {
    tools.close();
    ralph.close();
  }

  private String call(String tool, String arguments) {
    AgentTools.Result result = tools.call(tool, arguments);
    assertThat(result.isError()).as(result.text()).isFalse();
    return result.text();
  }

  private String refusal(String tool, String arguments) {
    AgentTools.Result result = tools.call(tool, arguments);
    assertThat(result.isError()).as(result.text()).isTrue();
    return result.text();
  }

  // ---- definitions and store faults

  @Test
  void toolDefinitions_haveDescriptionAndSchema() {
    assertThat(tools.definitions())
        .extracting(AgentTools.Definition::name)
        .contains("task_next", "task_status", "note_add", "session_complete");
    assertThat(tools.definitions())
        .allSatisfy(
            tool -> {
              assertThat(tool.description()).isNotBlank();
              Meta schema = Meta.parse(tool.schema());
              assertThat(schema.string("type")).isEqualTo("object");
              assertThat(schema.object("properties").keys())
                  .containsAll(schema.strings("required"))
                  .doesNotContain("session_name");
            });
  }

  @Test
  void failedMessageLookup_keepsToolResult() {
    AtomicInteger faults = new AtomicInteger();
    try (Ralph over = overAStoreOfFaults(faults, ".inbox");
        AgentTools faulty = over.session("s").openTools()) {
      over.session("s").inbox().send("Do the API first");
      faults.set(1);

      AgentTools.Result result = faulty.call("task_add", "{\"content\":\"Write it\"}");

      assertThat(result.text()).matches("Task t1 \\[\\w+] added");
      assertThat(over.session("s").inbox().unread()).hasSize(1);
    }
  }

  @Test
  void failedTaskRelease_stillReleasesMessages() {
    AtomicInteger faults = new AtomicInteger();
    try (Ralph over = overAStoreOfFaults(faults, ".task")) {
      over.session("s").tasks().add("Write it");
      over.session("s").inbox().send("Do the API first");
      AgentTools faulty = over.session("s").openTools();
      assertThat(faulty.call("task_next", "{}").text()).contains("Do the API first");
      faults.set(1);

      faulty.close();

      assertThat(faults).hasValue(0);
      try (AgentTools next = over.session("s").openTools()) {
        assertThat(next.messages()).contains("Do the API first");
      }
    }
  }

  /** Returns sessions over a store that fails a number of appends to topics with a suffix. */
  private static Ralph overAStoreOfFaults(AtomicInteger faults, String topics) {
    return Ralph.over(
        new ForwardingStore(new MemoryStoreProvider().open(StoreConfig.in(null))) {
          @Override
          public Appended append(Batch batch) {
            if (batch.drafts().get(0).topic().name().endsWith(topics)
                && faults.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
              throw new IllegalStateException("a fault of the host's store");
            }
            return super.append(batch);
          }
        });
  }

  // ---- calls

  @Test
  void task_isAddedClaimedAndCompletedByTools() {
    assertThat(call("task_add", "{\"content\":\"Write it\",\"priority\":\"1\"}"))
        .matches("Task t1 \\[\\w+] added");
    assertThat(call("task_next", null)).contains("t1", "Write it");
    assertThat(session.tasks().get("t1").status()).isEqualTo(Task.Status.IN_PROGRESS);
    call("task_status", "{\"id\":1,\"status\":\"completed\"}");
    assertThat(session.tasks().get("t1").status()).isEqualTo(Task.Status.COMPLETED);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "task_lst    | {}               | unknown tool 'task_lst'; use one of inbox_list,",
        "task_add    | {\"content\":     | the arguments are not a JSON object: the text ends"
            + " too early",
        "task_add    | 7                | the arguments are not a JSON object",
        "task_next   | {\"x\":1}         | unknown argument 'x'; no arguments are allowed",
        "task_list   | {\"offset\":1e99999999999} | offset must be a whole number from 0 on",
        "task_status | {\"id\":\"t9\",\"status\":\"completed\"} | there is no task 't9'",
      })
  void invalidCall_returnsErrorWithRemedy(String tool, String arguments, String said) {
    session.tasks().add("one");
    assertThat(refusal(tool, arguments)).startsWith("ERROR: ").contains(said);
  }

  @Test
  void openTask_blocksCompletion() {
    session.tasks().add("one");
    assertThat(refusal("session_complete", "")).contains("1 task is still open: t1 one");
    call("task_status", "{\"id\":\"t1\",\"status\":\"cancelled\"}");
    assertThat(call("session_complete", "")).startsWith("Session \"s\" marked complete.");
  }

  // ---- messages

  @Test
  void message_comesOnceAndStaysUnreadUntilMarked() {
    session.inbox().send("Stop at once");
    assertThat(call("task_list", "")).contains("MESSAGE FROM THE OPERATOR", "Stop at once");
    assertThat(call("task_list", "")).isEqualTo("No tasks yet");
    assertThat(session.inbox().unread()).hasSize(1);
    call("inbox_mark_read", "{\"id\":\"m1\"}");
    assertThat(session.inbox().unread()).isEmpty();
  }

  @Test
  void hostTool_canFetchMessages() {
    assertThat(tools.messages()).isEmpty();
    session.inbox().send("Stop at once");
    assertThat(tools.messages())
        .startsWith("## MESSAGE FROM THE OPERATOR")
        .contains("Stop at once");
    assertThat(tools.messages()).isEmpty();
    assertThat(session.inbox().unread()).hasSize(1);
  }

  @Test
  void unansweredResult_isShownAgain() {
    session.inbox().send("Stop at once");
    AgentTools.Call lost = tools.begin("task_list", Meta.empty());
    assertThat(lost.run().text()).contains("Stop at once");

    assertThat(call("task_list", ""))
        .contains("Stop at once\n  (shown again, because the first delivery may have been lost)");
  }

  @Test
  void call_knowsOnlyResultsAnsweredBefore() {
    session.inbox().send("Stop at once");
    AgentTools.Call first = tools.begin("task_list", Meta.empty());
    AgentTools.Call meanwhile = tools.begin("task_list", Meta.empty());
    assertThat(first.run().text()).contains("Stop at once");
    first.answered();

    assertThat(meanwhile.run().text()).contains("shown again");
    assertThat(call("task_list", "")).doesNotContain("Stop at once");
    assertThat(session.inbox().unread()).extracting(Message::text).containsExactly("Stop at once");
  }

  // ---- closing

  @Test
  void closedTools_releaseTasksAndMessages() {
    session.tasks().add("one");
    session.inbox().send("Stop at once");
    call("task_next", "");
    assertThat(session.tasks().get("t1").claim().isLive(Instant.now())).isTrue();

    tools.close();

    assertThat(session.tasks().ready()).extracting(Task::content).containsExactly("one");
    assertThat(refusal("task_next", "")).contains("was closed");
    try (AgentTools another = session.openTools()) {
      assertThat(another.call("task_list", "").text()).contains("Stop at once");
    }
  }

  @Test
  void toolsOfTurn_workInALoop() {
    session.tasks().add("one");
    AtomicInteger iterations = new AtomicInteger();
    LoopResult result =
        session
            .loop(
                turn -> {
                  try (AgentTools ours = turn.openTools()) {
                    if (iterations.incrementAndGet() == 1) {
                      session.inbox().send("Careful");
                      assertThat(ours.call("task_next", "").text()).contains("one", "Careful");
                      ours.call("note_add", "{\"type\":\"tip\",\"content\":\"x\"}");
                      return AgentResult.failure("gave up");
                    }
                    assertThat(turn.prompt()).contains("Careful");
                    ours.call("inbox_mark_read", "{\"id\":\"m1\"}");
                    ours.call("task_next", "");
                    ours.call("task_status", "{\"id\":\"t1\",\"status\":\"completed\"}");
                    ours.call("session_complete", "");
                    return AgentResult.success();
                  }
                })
            .failurePause(Duration.ofMillis(1))
            .maxIterations(3)
            .run();

    assertThat(result.reason()).isEqualTo(StopReason.COMPLETED);
    assertThat(iterations).hasValue(2);
    assertThat(session.notes().list()).allMatch(note -> note.iteration() == 1);
  }

  @Test
  void pastSession_hasNoTools() {
    assertThatThrownBy(() -> session.at(Instant.now()).openTools())
        .isInstanceOfSatisfying(
            RalphException.class,
            e -> assertThat(e.code()).isEqualTo(RalphException.Code.UNSUPPORTED));
  }
}
