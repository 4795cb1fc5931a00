package dev.ralph.core.internal.tool;

import dev.ralph.Iteration;
import dev.ralph.Session;
import dev.ralph.ToolSettings;
import dev.ralph.core.internal.delivery.AgentInbox;
import java.time.Instant;
import java.util.Set;
import java.util.function.Consumer;

/**
 * The context of a call.
 *
 * @param session the session
 * @param settings the settings of the agent's tools
 * @param call the call, assigned to the iteration at whose end the agent's work ends
 * @param claims the tasks that the agent has claimed
 * @param gates the gates that must pass before completion
 * @param progress receives the progress of a long call
 * @param ended the ids of long messages whose ends the agent has received
 * @param ending collects the ids of long messages whose ends this call sends
 */
record CallScope(
    Session session,
    ToolSettings settings,
    AgentInbox.Call call,
    HeldClaims claims,
    CompletionGates gates,
    Consumer<String> progress,
    Set<String> ended,
    Set<String> ending) {

  /** Returns the iteration in which the agent works, or 0 outside of an iteration. */
  int iteration() {
    if (call.iteration() > 0) {
      return call.iteration(); // looked up when the call began
    }
    int fixed = settings.iteration();
    return fixed > 0 ? fixed : running(session, agent());
  }

  /**
   * Returns the running iteration of the session, or 0.
   *
   * @param agent the number of the agent among several; 0 for the newest iteration
   */
  static int running(Session session, int agent) {
    return session.iterations().running(agent).map(Iteration::number).orElse(0);
  }

  /** Returns the stable name of the agent, or empty. */
  String name() {
    return settings.owner();
  }

  /** Returns the number of the agent among several, or 0. */
  int agent() {
    return settings.agent();
  }

  /** Returns the time that decides which claims are live. */
  Instant now() {
    return session.clock().instant();
  }

  /** Returns the name under which the agent claims tasks. */
  String owner() {
    return name().isEmpty() ? call.reader() : name();
  }
}
