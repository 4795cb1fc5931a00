package dev.ralph.core.internal.task;

import dev.ralph.Claim;
import dev.ralph.Iteration;
import dev.ralph.StatusChange;
import dev.ralph.Task.Status;
import dev.ralph.log.RalphException;
import org.jspecify.annotations.Nullable;

/**
 * The task that one of several agents was given, if any. It begins and completes no other: only
 * this one lands from its branch.
 *
 * @param id the task; null where the agent plans, reviews, or does what no task says
 * @param iteration the iteration that it was given for
 */
record GivenTask(@Nullable String id, int iteration) {

  static GivenTask of(Iteration iteration) {
    return new GivenTask(iteration.task(), iteration.number());
  }

  /** Returns the claim under which the agent works, or null if it has none or it has ended. */
  @Nullable Claim claim(Tasks tasks) {
    if (id == null) {
      return null;
    }
    TaskEntry task = tasks.entry(tasks.find(id));
    return task.isHeld() && task.claimedIn == iteration ? task.claim() : null;
  }

  /**
   * Returns a change of status as this agent may make it: of its own task under its claim, of
   * another one unless somebody has that in hand.
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
          tasks.describe(index) + " is not yours any more; end your work");
    }
    return change.under(newest.token()).owner(newest.owner());
  }

  /**
   * Returns the claim of a task that the agent wants to begin, or null if it has ended.
   *
   * @throws RalphException INVALID if it was not given that task
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
            + ". The loop assigns each task to one agent, which works on a branch of its own. Leave it"
            + " to that agent; add a note if you know something about it");
  }
}
