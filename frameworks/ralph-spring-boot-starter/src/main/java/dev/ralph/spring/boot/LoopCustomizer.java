package dev.ralph.spring.boot;

import dev.ralph.Agent;
import dev.ralph.Loop;

/** A bean that sets up every loop that {@link RalphLoops} starts: a listener, say, or tools. */
@FunctionalInterface
public interface LoopCustomizer {

  /** Sets up a loop, before the one who starts it does. */
  void customize(String session, Loop.Builder loop);

  /** Returns the agent that works in place of another one, as one that observes it does. */
  default Agent agent(Agent agent) {
    return agent;
  }
}
