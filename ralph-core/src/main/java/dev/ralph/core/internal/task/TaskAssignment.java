package dev.ralph.core.internal.task;

import dev.ralph.Claim;
import dev.ralph.Iteration;
import dev.ralph.StatusChange;
import dev.ralph.Task.Status;
import dev.ralph.log.RalphException;
import org.jspecify.annotations.Nullable;

/**
 * The assignment of one of several agents. The agent can begin and complete only this task, because
 * only this task is merged from its branch.
 *
 * @param id the task; null if the agent plans, reviews, or works without a task
 * @param iteration the iteration of the assignment
 */
record TaskAssignment(@Nullable String id, int iteration) {

  static TaskAssignment of(Iteration iteration) {
    return new TaskAssignment(iteration.task(), iteration.number());
  }

  /** Returns the agent's claim, or null if the agent has no task or the claim has ended. */
  @Nullable Claim claim(Tasks tasks) {
    if (id == null) {
      return null;
    }
    TaskEntry task = tasks.entry(tasks.find(id));
    return task.isHeld() && task.claimedIn == iteration ? task.claim() : null;
  }

  /**
   * Returns a permitted form of the agent's status change. A change of its own task carries the
   * claim's token. A change of a foreign task carries an owner, and is rejected during a lease of
   * the task.
   *
   * @throws RalphException INVALID if the agent begins or completes another task; CONTENDED if the
   *     task was claimed again since
   */
  StatusChange checked(Tasks tasks, int index, StatusChange change) {
    boolean isOwn = tasks.entry(index).id().equals(id);
    if (!isOwn) {
      if (change.status() == Status.COMPLETED || change.status() == Status.IN_PROGRESS) {
        throw notGiven(tasks, index);
      }
      return change.owner("agent of iteration " + iteration);
    }
    Claim newest = tasks.entry(index).claim();
    if (newest == null || newest.iteration() != iteration) {
      throw RalphException.contended(
          tasks.describe(index) + " is no longer your task; end your work");
    }
    return change.under(newest.token()).owner(newest.owner());
  }

  /**
   * Returns the claim of the task that the agent begins, or null if the claim has ended.
   *
   * @throws RalphException INVALID if the task is not assigned to the agent
   */
  @Nullable Claim claim(Tasks tasks, int index) {
    if (!tasks.entry(index).id().equals(id)) {
      throw notGiven(tasks, index);
    }
    return claim(tasks);
  }

  private RalphException notGiven(Tasks tasks, int index) {
    return RalphException.invalid(
        tasks.describe(index)
            + " is not your task"
            + (id == null ? "" : "; yours is " + tasks.describe(tasks.find(id)))
            + ". The loop assigns each task to one agent on a separate branch. Leave the task"
            + " to its agent; add a note with useful information");
  }
}
