package dev.ralph.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.Iteration;
import dev.ralph.LoopResult;
import dev.ralph.Ralph;
import dev.ralph.Session;
import dev.ralph.StopReason;
import dev.ralph.Task;
import dev.ralph.examples.ModelAgent.Answer;
import dev.ralph.test.ScriptedAgent;
import dev.ralph.test.TestLoop;
import dev.ralph.test.TestTurn;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Shows how to test a harness and its agent without a model, processes or files. */
class ModelAgentTest {

  private final Ralph ralph = Ralph.inMemory();
  private final Session session = ralph.session("s");
  private final List<String> received = new ArrayList<>();

  @AfterEach
  void close() {
    ralph.close();
  }

  /** Creates an agent whose model returns the given answers in order. */
  private ModelAgent agent(Answer... answers) {
    return new ModelAgent(
        (conversation, tools) -> {
          received.clear();
          received.addAll(conversation);
          return answers[conversation.size() - 1];
        });
  }

  /** Runs one iteration of a real loop. */
  @Test
  void agent_completesTheNextTask() {
    session.tasks().add("Write the form");

    Iteration iteration =
        TestLoop.runOnce(
            session,
            agent(
                new Answer("task_next", ""),
                new Answer("task_status", "{\"id\":\"t1\",\"status\":\"completed\"}"),
                new Answer("", "wrote it")));

    assertThat(iteration.status()).isEqualTo(Iteration.Status.SUCCESS);
    assertThat(iteration.summary()).isEqualTo("wrote it");
    assertThat(session.tasks().get("t1").status()).isEqualTo(Task.Status.COMPLETED);
    assertThat(received.get(1)).contains("Write the form");
  }

  /** Runs the agent without a loop. */
  @Test
  void agent_receivesErrorsAndMessages() {
    TestTurn turn = TestTurn.on(session).prompt("Do it");
    session.inbox().send("Leave the old form as it is");

    agent(new Answer("task_status", "{\"id\":\"t9\"}"), new Answer("", "done")).run(turn);

    assertThat(received.get(1)).startsWith("ERROR: ").contains("Leave the old form as it is");
    assertThat(turn.outputs()).containsExactly("task_status {\"id\":\"t9\"}");
  }

  /** Runs the loop with a scripted agent. */
  @Test
  void failedIteration_loopContinues() {
    ScriptedAgent agent =
        ScriptedAgent.of().thenFail("no network").then(turn -> turn.session().control().complete());

    LoopResult result =
        session.loop(agent).failurePause(Duration.ofMillis(1)).maxIterations(5).run();

    assertThat(result.reason()).isEqualTo(StopReason.COMPLETED);
    assertThat(agent.prompts().get(1)).contains("no network");
  }
}
