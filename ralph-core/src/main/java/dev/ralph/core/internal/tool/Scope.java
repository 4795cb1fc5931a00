package dev.ralph.core.internal.tool;

import dev.ralph.AgentInbox;
import dev.ralph.Iteration;
import dev.ralph.Session;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import java.util.function.Consumer;

/**
 * What a call works on.
 *
 * @param session the session
 * @param name the agent's, by which it comes again, or nothing
 * @param call the call, as one of the iteration that the agent's work ends with
 * @param messageLease for how long others are not shown what this agent asked for
 * @param claims the tasks that the agent has claimed
 * @param gates what must pass before the session counts as complete
 * @param progress tells the client how far a long call is, if it wants to know
 * @param fixedIteration the iteration that the agent was started for, or 0 where the log tells
 * @param agent the number of the agent among several, or 0
 * @param ended the ids of long messages whose ends the agent has been shown
 * @param ending takes the ids of those whose ends it is shown now
 */
record Scope(
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

  /** Returns the iteration that the agent works in, or 0 outside any. */
  int iteration() {
    if (call.iteration() > 0) {
      return call.iteration(); // looked up when the call began
    }
    return fixedIteration > 0 ? fixedIteration : running(session, agent);
  }

  /**
   * Returns the iteration of the session that runs, or 0.
   *
   * @param agent whose, of several; 0 for the newest
   */
  static int running(Session session, int agent) {
    return session.iterations().running(agent).map(Iteration::number).orElse(0);
  }

  /** Returns what says whose claim still runs. */
  Instant now() {
    return session.clock().instant();
  }

  /** Returns the name that the agent claims tasks under. */
  String owner() {
    return name.isEmpty() ? call.reader() : name;
  }
}
