package dev.ralph.core.internal.session;

import dev.ralph.Agent;
import dev.ralph.Loop;

/** Creates loops, so that sessions do not depend on their implementation. */
@FunctionalInterface
public interface LoopFactory {

  /** Returns a builder for a loop of an agent on a session. */
  Loop.Builder loop(LiveSession session, Agent agent);
}
