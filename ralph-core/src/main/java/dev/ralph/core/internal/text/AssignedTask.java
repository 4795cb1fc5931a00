package dev.ralph.core.internal.text;

import dev.ralph.Iteration;
import dev.ralph.Session;
import dev.ralph.Task;
import dev.ralph.log.RalphException;

/** Checks on the task that a loop of several agents has assigned to an agent. */
public final class AssignedTask {

  private static final int TITLE = 80;

  private AssignedTask() {}

  /**
   * Rejects an agent's claim that the session is complete while the agent's own task is unfinished.
   *
   * @param agent the agent's number among several; 0 for any other caller, which is never rejected
   * @throws RalphException INVALID if the agent has a task that is neither done nor blocked
   */
  public static void requireFinished(Session session, int agent) {
    if (agent == 0) {
      return;
    }
    String id = session.iterations().running(agent).map(Iteration::task).orElse(null);
    Task task = id == null ? null : session.tasks().get(id);
    if (task == null || task.status().isTerminal() || task.status() == Task.Status.BLOCKED) {
      return;
    }
    throw RalphException.invalid(
        "your task is t"
            + task.number()
            + " ("
            + TaskWords.firstLine(task, TITLE)
            + "), which is not completed. Set the task to completed, or to blocked with the"
            + " reason, and end; the loop completes the session once all tasks are done");
  }
}
