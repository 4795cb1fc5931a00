package dev.ralph.test;

import dev.ralph.Agent;
import dev.ralph.Iteration;
import dev.ralph.LoopResult;
import dev.ralph.Session;

/** Runs single iterations of a loop in tests. */
public final class TestLoop {

  private TestLoop() {}

  /**
   * Runs one iteration in the current directory. The prompt comes from the session's state, and the
   * log records the iteration, as in every loop.
   *
   * @return the recorded iteration
   * @throws IllegalStateException if no iteration ran because the session was complete, paused or
   *     stopped
   */
  public static Iteration runOnce(Session session, Agent agent) {
    LoopResult result = session.loop(agent).maxIterations(1).maxFailures(1).run();
    if (result.iterations() == 0) {
      throw new IllegalStateException("no iteration was run: " + result.reason().word());
    }
    return session
        .iterations()
        .last()
        .orElseThrow(() -> new IllegalStateException("the log has no iteration"));
  }
}
