package dev.ralph.test;

import dev.ralph.Agent;
import dev.ralph.AgentResult;
import dev.ralph.Turn;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * An agent that follows a script, one step for each iteration.
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
 * <p>An iteration beyond the script's end ends the loop, and says so. Set up by one thread; after
 * that safe for use by many.
 */
public final class ScriptedAgent implements Agent {

  /** What the agent does in one iteration, which ends well unless this throws. */
  @FunctionalInterface
  public interface Step {

    /**
     * Does it.
     *
     * @throws Exception to fail the iteration, with the exception's message as the reason
     */
    void run(Turn turn) throws Exception;
  }

  private final List<Agent> steps = new ArrayList<>();
  private final List<String> prompts = new CopyOnWriteArrayList<>();

  private ScriptedAgent() {}

  /** Returns an agent with those steps. */
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

  /** Adds a step that does nothing and fails. Returns this agent. */
  public ScriptedAgent thenFail(String reason) {
    return thenReturn(AgentResult.failure(reason));
  }

  /** Adds a step that does nothing but end so. Returns this agent. */
  public ScriptedAgent thenReturn(AgentResult result) {
    Objects.requireNonNull(result, "result");
    steps.add(turn -> result);
    return this;
  }

  /** Returns the prompts of the iterations so far. */
  public List<String> prompts() {
    return List.copyOf(prompts);
  }

  /** Returns how many steps have not been begun. */
  public int stepsLeft() {
    return Math.max(0, steps.size() - prompts.size());
  }

  @Override
  public AgentResult run(Turn turn) throws Exception {
    int step = prompts.size();
    prompts.add(turn.prompt());
    if (step >= steps.size()) {
      return AgentResult.fatal(
          "the script has "
              + steps.size()
              + (steps.size() == 1 ? " step" : " steps")
              + ", and iteration "
              + turn.iteration()
              + " needs another one");
    }
    return steps.get(step).run(turn);
  }
}
