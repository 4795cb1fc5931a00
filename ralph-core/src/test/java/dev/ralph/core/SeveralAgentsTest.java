package dev.ralph.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ralph.Claim;
import dev.ralph.Iteration;
import dev.ralph.Message;
import dev.ralph.NewTask;
import dev.ralph.Ralph;
import dev.ralph.Task;
import dev.ralph.ToolSettings;
import dev.ralph.Usage;
import dev.ralph.core.internal.control.RunToken;
import dev.ralph.core.internal.session.LiveSession;
import dev.ralph.domain.ProcessIdentity;
import dev.ralph.log.TopicFilter;
import dev.ralph.tool.AgentTools;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Several agents on one session: their permitted calls, messages and completion. */
class SeveralAgentsTest {

  private static final ProcessIdentity SELF = ProcessIdentity.current();

  private final Ralph ralph = Ralph.inMemory();
  private final LiveSession session = (LiveSession) ralph.session("s");
  private final RunToken run = RunToken.take();

  @BeforeEach
  void begin() {
    session.control().startLoop(SELF, run, 1, 0, 2, null);
  }

  @AfterEach
  void end() {
    run.release();
    ralph.close();
  }

  /** Claims the next task and starts an iteration, as a loop does for an agent. */
  private Claim give(int agent) {
    int number = session.iterations().last().map(Iteration::number).orElse(0) + 1;
    Claim claim =
        session
            .tasks()
            .claimNextFor(
                "agent-" + agent, Duration.ofMinutes(5), number, task -> "s.t" + task.number())
            .orElseThrow();
    session.iterations().start(null, SELF, agent, claim.taskId());
    return claim;
  }

  private void ends(int iteration) {
    session.tasks().endIteration(iteration);
    session.iterations().complete(iteration, Iteration.Status.SUCCESS, null, Usage.NONE);
  }

  private AgentTools tools(int agent) {
    return session.openTools(ToolSettings.STANDARD.agent(agent).inLoop());
  }

  private static String call(AgentTools tools, String name, String arguments) {
    AgentTools.Result result = tools.call(name, arguments);
    assertThat(result.isError()).as(result.text()).isFalse();
    return result.text();
  }

  private static String refusal(AgentTools tools, String name, String arguments) {
    AgentTools.Result result = tools.call(name, arguments);
    assertThat(result.isError()).as(result.text()).isTrue();
    return result.text();
  }

  @Test
  void sessionComplete_isRefusedWithOwnTaskOpen() {
    session.tasks().add("one");
    give(1);
    try (AgentTools tools = tools(1)) {
      assertThat(refusal(tools, "session_complete", "{}"))
          .contains("your task is t1 (one)", "Set the task to completed");
      call(tools, "task_status", "{\"id\":\"t1\",\"status\":\"completed\"}");
      assertThat(call(tools, "session_complete", "{}")).contains("marked complete");
    }
  }

  @Test
  void agent_getsOnlyItsOwnTask() {
    session.tasks().add("one");
    session.tasks().add("two");
    session.tasks().add("three");
    give(1);
    give(2);
    try (AgentTools first = tools(1);
        AgentTools second = tools(2)) {
      assertThat(call(first, "task_next", "{}")).contains("Task t1 is yours").contains("one");
      assertThat(call(second, "task_next", "{}")).contains("Task t2 is yours").contains("two");
      assertThat(refusal(first, "task_status", "{\"id\":\"t3\",\"status\":\"in_progress\"}"))
          .contains("t3 three is not your task; yours is t1 one");
      assertThat(refusal(first, "task_status", "{\"id\":\"t2\",\"status\":\"completed\"}"))
          .contains("t2 two is not your task");
      call(first, "task_status", "{\"id\":\"t1\",\"status\":\"in_progress\"}");
      call(first, "task_status", "{\"id\":\"t1\",\"status\":\"completed\"}");
      assertThat(call(first, "task_next", "{}")).contains("You have no further task");
      assertThat(call(second, "task_list", "{\"id\":\"t1\"}"))
          .contains("completed, not merged yet");
    }
    Task done = session.tasks().get("t1");
    assertThat(done.isSettled()).isFalse();
    assertThat(done.iteration()).isEqualTo(1);
    assertThat(session.tasks().get("t2").claim().owner())
        .as("closed tools keep the assignment of the loop")
        .isEqualTo("agent-2");
    assertThat(session.tasks().list().ready(session.clock().instant()))
        .extracting(Task::number)
        .containsExactly(3);
  }

  @Test
  void addedNotesAndTasks_haveTheAgentsIteration() {
    session.tasks().add("one");
    session.tasks().add("two");
    give(1);
    give(2);
    try (AgentTools first = tools(1)) {
      call(first, "note_add", "{\"type\":\"tip\",\"content\":\"look\"}");
      call(first, "task_add", "{\"content\":\"more\",\"touches\":[\"src/**\"]}");
    }
    assertThat(session.notes().list().get(0).iteration()).isEqualTo(1);
    assertThat(session.tasks().get("t3").iteration()).isEqualTo(1);
    assertThat(session.tasks().get("t3").touches()).containsExactly("src/**");
  }

  @Test
  void agentInProcess_completesOnlyItsOwnTask() {
    session.tasks().add("one");
    session.tasks().add("two");
    give(1);
    var own = session.asAgent(1).tasks();
    assertThatThrownBy(() -> own.complete("t2")).hasMessageContaining("is not your task");
    assertThatThrownBy(() -> own.claim("t2", "me", Duration.ofMinutes(1)))
        .hasMessageContaining("is not your task");
    assertThat(own.claimNext("me", Duration.ofMinutes(1)).orElseThrow().owner())
        .isEqualTo("agent-1");
    assertThat(own.complete("t1").isSettled()).isFalse();
    assertThat(own.claimNext("me", Duration.ofMinutes(1))).isEmpty();
  }

  @Test
  void endedIteration_rejectsChangesOfItsAgent() {
    session.tasks().add("one");
    give(1);
    ends(1);
    assertThatThrownBy(() -> session.asAgent(1).tasks().complete("t1"))
        .hasMessageContaining("no iteration of agent 1 of session s runs");
    assertThat(session.tasks().get("t1").status()).isEqualTo(Task.Status.REMAINING);
  }

  @Test
  void messageMissingInPrompt_isShownByTools() {
    session.tasks().add("one");
    session.tasks().add("two");
    give(1);
    Message message = session.inbox().send("Stop the presses");
    give(2);
    try (AgentTools first = tools(1);
        AgentTools second = tools(2)) {
      assertThat(call(second, "task_next", "{}"))
          .as("already in the second agent's prompt")
          .doesNotContain("Stop the presses");
      assertThat(call(first, "task_next", "{}")).contains("Stop the presses");
      call(first, "inbox_mark_read", "{\"id\":\"m" + message.number() + "\"}");
    }
  }

  @Test
  void completion_isGrantedWhenAllTasksAreMerged() {
    session.tasks().add("one");
    session.tasks().add("two");
    session.tasks().add(NewTask.of("three").dependsOn("t2"));
    Claim one = give(1);
    Claim two = give(2);
    try (AgentTools first = tools(1)) {
      call(first, "task_status", "{\"id\":\"t1\",\"status\":\"completed\"}");
      assertThat(refusal(first, "session_complete", "{}"))
          .contains("1 task is still open: t3 three; complete or cancel it first")
          .doesNotContain("t2");
      session.tasks().complete("t3");
      call(first, "session_complete", "{}");
    }
    ends(1);
    assertThat(session.control().grantCompletion()).as("t2 is in progress").isFalse();
    session.asAgent(2).tasks().complete("t2");
    ends(2);
    assertThat(session.control().outstanding())
        .containsExactly("2 tasks are done and not merged yet: t1 one, t2 two");
    session.tasks().merged(one, "c0ffee");
    assertThat(session.control().grantCompletion()).isFalse();
    session.tasks().merged(two, null);
    assertThat(session.control().grantCompletion()).isTrue();
    assertThat(session.control().isCompleted()).isTrue();
  }

  @Test
  void parallelIterations_haveSeparateTranscripts() {
    session.tasks().add("one");
    session.tasks().add("two");
    session.tasks().add("three");
    give(1);
    give(2);
    say(1, "a");
    say(2, "b");
    say(1, "c");
    ends(2);
    give(2);
    say(3, "d");
    say(1, "e");
    ends(1);
    ends(3);
    assertThat(session.iterations().transcript(1)).isEqualTo("a\nc\ne\n");
    assertThat(session.iterations().transcript(2)).isEqualTo("b\n");
    assertThat(session.iterations().transcript(3)).isEqualTo("d\n");
  }

  private void say(int iteration, String text) {
    session.iterations().keep(List.of(session.iterations().part(iteration, text, false)));
  }

  @Test
  void fork_resetsUnmergedTasks() {
    session.tasks().add(NewTask.of("one").touches("src/**"));
    session.tasks().add("two");
    give(1);
    give(2);
    session.asAgent(1).tasks().complete("t1");
    var fork = session.fork("other").tasks();
    assertThat(fork.list()).extracting(Task::status).containsOnly(Task.Status.REMAINING);
    assertThat(fork.get("t1").touches()).containsExactly("src/**");
    assertThat(fork.get("t1").branch()).isNull();
  }

  @Test
  void pastSession_showsTaskNotMergedYet() {
    session.tasks().add("one");
    Claim one = give(1);
    session.asAgent(1).tasks().complete("t1");
    var before = ralph.log().last(TopicFilter.parse("ralph.s.*")).orElseThrow();
    session.tasks().merged(one, "c0ffee");
    assertThat(session.at(before).tasks().get("t1").isSettled()).isFalse();
    assertThat(session.tasks().get("t1").isSettled()).isTrue();
  }
}
