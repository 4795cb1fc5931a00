package dev.ralph.core.internal.task;

import dev.ralph.Task.Status;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The branch that a task's newest claim names.
 *
 * @param name the branch
 * @param waits whether the task is completed on the branch and the branch has not landed yet
 * @param landed when it landed, or null
 * @param commit the commit that it landed as, or null where it has not, or where there was nothing
 *     to land
 * @param isBehind whether the session's branch has moved since the task was completed, so that a
 *     conflict is not the fault of the task's worker
 */
record TaskBranch(
    String name,
    boolean waits,
    @Nullable Instant landed,
    @Nullable String commit,
    boolean isBehind) {

  static TaskBranch begun(String name) {
    return new TaskBranch(name, false, null, null, false);
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
    return nowWaits == waits ? this : new TaskBranch(name, nowWaits, null, null, false);
  }

  TaskBranch landed(Instant time, @Nullable String as) {
    return new TaskBranch(name, false, time, as, false);
  }

  /** Returns the branch of a completed task after the session's branch has moved. */
  TaskBranch behind() {
    return isBehind || !waits ? this : new TaskBranch(name, true, null, null, true);
  }
}
