package dev.ralph.test;

import dev.ralph.Agent;
import dev.ralph.Iteration;
import dev.ralph.LoopResult;
import dev.ralph.Session;

/** Runs agents on sessions as a loop does. */
public final class TestLoop {

  private TestLoop() {}

  /**
   * Runs one iteration in the present folder, and nothing after it: the prompt is made from the
   * session's state, and the log says how the iteration went, as in every loop.
   *
   * @return how the iteration went
   * @throws IllegalStateException if there was none, because the session was complete, paused or
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
