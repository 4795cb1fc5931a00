package dev.ralph.core.internal.inbox;

/**
 * An agent as a recipient of messages. Immutable.
 *
 * @param agent the agent's number among several, from 1; 0 for a reader of all messages
 * @param agents the number of agents in the loop
 * @param isAlone whether the agent works alone and without an assigned task
 * @param iteration the agent's iteration, or 0
 */
public record MessageRecipient(int agent, int agents, boolean isAlone, int iteration) {

  /** A reader outside a loop of several agents. */
  public static final MessageRecipient ANY = new MessageRecipient(0, 0, true, 0);

  /**
   * Returns whether the agent receives a message. An agent that works alone receives the messages
   * to all agents. Otherwise a message to an agent that never works again would block the session's
   * completion.
   *
   * @param addressee the number of the addressed agent; 0 for all agents
   */
  public boolean receives(int addressee) {
    return agent == 0 || isAlone || addressee == 0 || addressee == agent || addressee > agents;
  }
}
