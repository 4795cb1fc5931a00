package dev.ralph.core.internal.session;

import dev.ralph.Agent;
import dev.ralph.Loop;

/** Makes loops, so that sessions need not know how these work. */
@FunctionalInterface
public interface LoopFactory {

  /** Begins to set up a loop of the agent on the session. */
  Loop.Builder loop(LiveSession session, Agent agent);
}
