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

/** How a harness and its agent are tested without a model, a process or a file. */
class ModelAgentTest {

  private final Ralph ralph = Ralph.inMemory();
  private final Session session = ralph.session("s");
  private final List<String> heard = new ArrayList<>();

  @AfterEach
  void close() {
    ralph.close();
  }

  /** An agent whose model gives these answers, one after the other. */
  private ModelAgent agent(Answer... answers) {
    return new ModelAgent(
        (conversation, tools) -> {
          heard.clear();
          heard.addAll(conversation);
          return answers[conversation.size() - 1];
        });
  }

  /** One iteration of a real loop: prompt, agent, log. */
  @Test
  void theAgentDoesTheTaskThatIsNext() {
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
    assertThat(heard.get(1)).contains("Write the form");
  }

  /** The agent alone, without a loop around it. */
  @Test
  void theAgentHearsOfAMistakeAndOfTheOperator() {
    TestTurn turn = TestTurn.on(session).prompt("Do it");
    session.inbox().send("Leave the old form as it is");

    agent(new Answer("task_status", "{\"id\":\"t9\"}"), new Answer("", "done")).run(turn);

    assertThat(heard.get(1)).startsWith("ERROR: ").contains("Leave the old form as it is");
    assertThat(turn.outputs()).containsExactly("task_status {\"id\":\"t9\"}");
  }

  /** The harness around an agent that does what the test needs. */
  @Test
  void theLoopGoesOnAfterAFailure() {
    ScriptedAgent agent =
        ScriptedAgent.of().thenFail("no network").then(turn -> turn.session().control().complete());

    LoopResult result =
        session.loop(agent).failurePause(Duration.ofMillis(1)).maxIterations(5).run();

    assertThat(result.reason()).isEqualTo(StopReason.COMPLETED);
    assertThat(agent.prompts().get(1)).contains("no network");
  }
}
