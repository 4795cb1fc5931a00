package dev.ralph.core.internal.task;

import dev.ralph.Task.Status;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The branch named in a task's newest claim.
 *
 * @param name the branch
 * @param waits whether the task is completed and the branch waits to be merged
 * @param merged the time of the merge, or null
 * @param commit the merge commit; null before the merge, or if there was nothing to merge
 * @param isBehind whether the session's branch has moved since the task's completion; the task's
 *     worker then did not cause a conflict
 */
record TaskBranch(
    String name,
    boolean waits,
    @Nullable Instant merged,
    @Nullable String commit,
    boolean isBehind) {

  static TaskBranch begun(String name) {
    return new TaskBranch(name, false, null, null, false);
  }

  /**
   * Returns the branch after a change of the task's status. Returns null if a merged task is
   * reopened, because its branch was deleted.
   *
   * @param held whether the claim was held until the change: only its holder leaves work to merge
   */
  @Nullable TaskBranch changed(Status status, boolean held) {
    boolean completed = status == Status.COMPLETED;
    if (merged != null) {
      return completed ? this : null;
    }
    boolean nowWaits = completed && (waits || held);
    return nowWaits == waits ? this : new TaskBranch(name, nowWaits, null, null, false);
  }

  TaskBranch merged(Instant time, @Nullable String as) {
    return new TaskBranch(name, false, time, as, false);
  }

  /** Returns the branch of a completed task after the session's branch has moved. */
  TaskBranch behind() {
    return isBehind || !waits ? this : new TaskBranch(name, true, null, null, true);
  }
}
