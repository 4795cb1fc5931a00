package dev.ralph.core.internal.loop;

import dev.ralph.Agent;
import dev.ralph.core.internal.loop.policy.AgentOutcome;
import java.util.concurrent.Executor;

/**
 * A prepared turn of an agent.
 *
 * @param limit the time limit of the agent
 * @param executor runs the agent
 */
record ReadyTurn(Agent agent, LoopTurn turn, UsageLog used, TimeBox limit, Executor executor) {

  /**
   * Runs the agent.
   *
   * @param tick called about every second during the run
   */
  AgentOutcome take(AgentRunner runner, Runnable tick) {
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
  void end(String why) {
    turn.ending().request(why);
  }
}
