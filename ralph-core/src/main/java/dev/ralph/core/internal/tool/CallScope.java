package dev.ralph.core.internal.tool;

import dev.ralph.AgentInbox;
import dev.ralph.Iteration;
import dev.ralph.Session;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import java.util.function.Consumer;

/**
 * The context of a call.
 *
 * @param session the session
 * @param name the stable name of the agent, or empty
 * @param call the call, assigned to the iteration at whose end the agent's work ends
 * @param messageLease the time for which messages shown to this agent are withheld from others
 * @param claims the tasks that the agent has claimed
 * @param gates the gates that must pass before completion
 * @param progress receives the progress of a long call
 * @param fixedIteration the iteration for which the agent was started, or 0 if the log determines
 *     it
 * @param agent the number of the agent among several, or 0
 * @param ended the ids of long messages whose ends the agent has received
 * @param ending collects the ids of long messages whose ends this call sends
 */
record CallScope(
    Session session,
    String name,
    AgentInbox.Call call,
    Duration messageLease,
    HeldClaims claims,
    CompletionGates gates,
    Consumer<String> progress,
    int fixedIteration,
    int agent,
    Set<String> ended,
    Set<String> ending) {

  /** Returns the iteration in which the agent works, or 0 outside of an iteration. */
  int iteration() {
    if (call.iteration() > 0) {
      return call.iteration(); // looked up when the call began
    }
    return fixedIteration > 0 ? fixedIteration : running(session, agent);
  }

  /**
   * Returns the running iteration of the session, or 0.
   *
   * @param agent the number of the agent among several; 0 for the newest iteration
   */
  static int running(Session session, int agent) {
    return session.iterations().running(agent).map(Iteration::number).orElse(0);
  }

  /** Returns the time that decides which claims are live. */
  Instant now() {
    return session.clock().instant();
  }

  /** Returns the name under which the agent claims tasks. */
  String owner() {
    return name.isEmpty() ? call.reader() : name;
  }
}
