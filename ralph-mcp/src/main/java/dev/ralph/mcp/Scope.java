package dev.ralph.mcp;

import dev.ralph.Session;
import dev.ralph.ToolCall;

/**
 * What a call works on.
 *
 * @param session the session
 * @param call the call
 * @param claims the tasks that the agent has claimed
 * @param gates what must pass before the session counts as complete
 * @param fixedIteration the iteration that the agent was started for, or 0 where the log tells
 */
record Scope(
    Session session, ToolCall call, HeldClaims claims, CompletionGates gates, int fixedIteration) {

  /** Returns the iteration that the agent works in, or 0 outside any. */
  int iteration() {
    return fixedIteration > 0
        ? fixedIteration
        : session
            .iterations()
            .last()
            .filter(last -> last.status() == dev.ralph.Iteration.Status.RUNNING)
            .map(dev.ralph.Iteration::number)
            .orElse(0);
  }

  /** Returns the name that the agent claims tasks under. */
  String owner() {
    return call.reader();
  }
}
