package dev.ralph.core.internal.loop.agent;

import dev.ralph.Agent;
import dev.ralph.core.internal.loop.policy.AgentOutcome;
import dev.ralph.core.internal.loop.run.TimeBox;
import java.util.concurrent.Executor;

/**
 * A prepared turn of an agent.
 *
 * @param limit the time limit of the agent
 * @param executor runs the agent
 */
public record ReadyTurn(
    Agent agent, LoopTurn turn, UsageLog used, TimeBox limit, Executor executor) {

  /**
   * Runs the agent.
   *
   * @param tick called about every second during the run
   */
  public AgentOutcome take(AgentRunner runner, Runnable tick) {
    return runner.run(
        agent,
        turn,
        executor,
        limit,
        () -> {
          turn.transcript().flush();
          used.keep();
          tick.run();
        });
  }

  /** Ends the turn for a reason that concerns the whole run. From any thread. */
  public void end(String why) {
    turn.ending().request(why);
  }
}
