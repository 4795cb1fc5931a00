package dev.ralph.core.internal.task;

import dev.ralph.Task.Status;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What became of the branch that a task's newest claim names.
 *
 * @param name the branch
 * @param waits whether the task is completed on the branch and the branch has not landed yet
 * @param landed when it landed, or null
 * @param commit the commit that it landed as, or null where it has not, or where there was nothing
 *     to land
 */
record TaskBranch(String name, boolean waits, @Nullable Instant landed, @Nullable String commit) {

  static TaskBranch begun(String name) {
    return new TaskBranch(name, false, null, null);
  }

  /**
   * Returns what a change of the task's status makes of it; null if the task is begun again after
   * it landed, because the branch is gone then.
   *
   * @param held whether the claim has not ended before: only who holds it can leave work to land
   */
  @Nullable TaskBranch changed(Status status, boolean held) {
    boolean completed = status == Status.COMPLETED;
    if (landed != null) {
      return completed ? this : null;
    }
    boolean nowWaits = completed && (waits || held);
    return nowWaits == waits ? this : new TaskBranch(name, nowWaits, null, null);
  }

  TaskBranch landed(Instant time, @Nullable String as) {
    return new TaskBranch(name, false, time, as);
  }
}
