package dev.ralph.core.internal.loop;

import dev.ralph.Agent;
import java.util.concurrent.Executor;

/** A prepared turn of an agent, with its prompt, transcript and limits. */
final class ReadyTurn {

  private final Agent agent;
  private final LoopTurn turn;
  private final Transcript transcript;
  private final UsageLog used;
  private final TimeBox limit;
  private final Executor executor;

  ReadyTurn(
      Agent agent,
      LoopTurn turn,
      Transcript transcript,
      UsageLog used,
      TimeBox limit,
      Executor executor) {
    this.agent = agent;
    this.turn = turn;
    this.transcript = transcript;
    this.used = used;
    this.limit = limit;
    this.executor = executor;
  }

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
          transcript.flush();
          used.keep();
          tick.run();
        });
  }

  /** Ends the turn for a reason that concerns the whole run. From any thread. */
  void end(String why) {
    turn.ending().request(why);
  }
}
