package dev.ralph.spring.boot;

import dev.ralph.Agent;
import dev.ralph.Loop;

/**
 * A bean that configures each loop that {@link RalphLoops} starts, for example with listeners or
 * tools.
 */
@FunctionalInterface
public interface LoopCustomizer {

  /** Configures a loop, before the caller of {@link RalphLoops} does. */
  void customize(String session, Loop.Builder loop);

  /**
   * Returns the agent to use instead of the given one, for example an observed agent. Default is
   * the given agent.
   */
  default Agent agent(Agent agent) {
    return agent;
  }
}
