package dev.ralph.test;

import dev.ralph.Agent;
import dev.ralph.AgentResult;
import dev.ralph.Turn;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * An agent that follows a script with one step per iteration.
 *
 * <pre>{@code
 * ScriptedAgent agent = ScriptedAgent
 *     .of(turn -> turn.session().tasks().add("Write the form"))
 *     .thenFail("no network")
 *     .then(turn -> turn.session().tasks().complete("t1"))
 *     .then(turn -> turn.session().control().complete());
 * LoopResult result = session.loop(agent).run();
 * assertThat(agent.prompts().get(2)).contains("no network");
 * }</pre>
 *
 * <p>An iteration beyond the last step ends the loop with a fatal result that names the missing
 * step. One thread adds the steps; afterwards the agent is thread-safe.
 */
public final class ScriptedAgent implements Agent {

  /** The agent's work in one iteration. The iteration succeeds unless the step throws. */
  @FunctionalInterface
  public interface Step {

    /**
     * Performs the step.
     *
     * @throws Exception to fail the iteration, with the exception's message as the reason
     */
    void run(Turn turn) throws Exception;
  }

  private final List<Agent> steps = new ArrayList<>();
  private final List<String> prompts = new CopyOnWriteArrayList<>();

  private ScriptedAgent() {}

  /** Returns an agent with the given steps. */
  public static ScriptedAgent of(Step... steps) {
    ScriptedAgent agent = new ScriptedAgent();
    for (Step step : steps) {
      agent.then(step);
    }
    return agent;
  }

  /** Adds a step. Returns this agent. */
  public ScriptedAgent then(Step step) {
    Objects.requireNonNull(step, "step");
    steps.add(
        turn -> {
          step.run(turn);
          return AgentResult.success();
        });
    return this;
  }

  /** Adds a step that fails with the given reason. Returns this agent. */
  public ScriptedAgent thenFail(String reason) {
    return thenReturn(AgentResult.failure(reason));
  }

  /** Adds a step that only returns the given result. Returns this agent. */
  public ScriptedAgent thenReturn(AgentResult result) {
    Objects.requireNonNull(result, "result");
    steps.add(turn -> result);
    return this;
  }

  /** Returns the prompts of all iterations so far, in order. */
  public List<String> prompts() {
    return List.copyOf(prompts);
  }

  /** Returns the number of steps that have not started. */
  public int stepsLeft() {
    return Math.max(0, steps.size() - prompts.size());
  }

  @Override
  public AgentResult run(Turn turn) throws Exception {
    int step = prompts.size();
    prompts.add(turn.prompt());
    if (step >= steps.size()) {
      return AgentResult.fatal(
          "iteration "
              + turn.iteration()
              + " exceeds the script of "
              + steps.size()
              + (steps.size() == 1 ? " step; add a step" : " steps; add a step"));
    }
    return steps.get(step).run(turn);
  }
}
