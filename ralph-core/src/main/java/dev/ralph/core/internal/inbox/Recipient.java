package dev.ralph.core.internal.inbox;

/**
 * An agent as a recipient of messages. Immutable.
 *
 * @param agent the agent's number among several, from 1; 0 for any other reader, who receives all
 *     messages
 * @param agents the number of agents that the loop has
 * @param isAlone whether the agent works on no task of its own, while no other agent works
 * @param iteration the iteration that the agent works in, or 0
 */
public record Recipient(int agent, int agents, boolean isAlone, int iteration) {

  /** A reader that is not one of several agents. */
  public static final Recipient ANY = new Recipient(0, 0, true, 0);

  /**
   * Returns whether the agent receives a message. An agent that works alone receives the messages
   * to all agents: the agent that a message is addressed to may never work again, and a message
   * that nobody reads would block the session's completion.
   *
   * @param addressee the number of the agent that the message is addressed to; 0 for all agents
   */
  public boolean receives(int addressee) {
    return agent == 0 || isAlone || addressee == 0 || addressee == agent || addressee > agents;
  }
}
