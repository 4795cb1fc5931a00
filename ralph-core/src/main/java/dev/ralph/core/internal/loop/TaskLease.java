package dev.ralph.core.internal.loop;

import dev.ralph.Claim;
import dev.ralph.Task;
import dev.ralph.core.internal.session.LiveSession;
import dev.ralph.log.ContendedException;
import dev.ralph.log.RalphException;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** The claim of one of several agents on the assigned task. Used only by the stepping thread. */
final class TaskLease {

  /** The duration of a claim without renewal by the loop. */
  static final Duration LENGTH = Duration.ofMinutes(10);

  private final LiveSession session;
  private final Task task;

  /** Null if the claim no longer needs renewal. */
  private @Nullable Claim claim;

  TaskLease(LiveSession session, Task task, Claim claim) {
    this.session = session;
    this.task = task;
    this.claim = claim;
  }

  Task task() {
    return task;
  }

  void renewIfDue() {
    Claim held = claim;
    Instant now = session.clock().instant();
    if (held == null || now.isBefore(held.until().minus(LENGTH.multipliedBy(2).dividedBy(3)))) {
      return;
    }
    try {
      claim = session.tasks().renew(held, LENGTH);
    } catch (ContendedException e) {
      claim = null; // completed or returned
    } catch (RalphException e) {
      // The lease is long enough for another attempt.
      System.getLogger(TaskLease.class.getPackageName())
          .log(System.Logger.Level.DEBUG, "a claim could not be renewed", e);
    }
  }

  /** Releases a task whose work has not begun. */
  void release() {
    Claim held = claim;
    try {
      if (held != null) {
        session.tasks().release(held);
      }
    } catch (ContendedException e) {
      // Another agent has claimed the task.
    }
  }

  /**
   * Returns the task if it is completed, but the work is not on its branch.
   *
   * @param limit the attempt limit of a failed attempt; -1 if the return is no failed attempt
   * @return the task after its return; null if it is not completed
   */
  @Nullable Task reopen(String why, int limit) {
    Claim newest = session.tasks().get(task.id()).claim();
    try {
      if (newest != null) {
        return limit < 0
            ? session.tasks().reopen(task.id(), newest.token(), why)
            : session.tasks().failAttempt(task.id(), newest.token(), why, limit);
      }
    } catch (ContendedException notCompleted) {
      // The end of the iteration releases the task.
    }
    return null;
  }

  /** Returns the reason why the completion of the task was rejected; null otherwise. */
  @Nullable String refused() {
    Claim newest = session.tasks().get(task.id()).claim();
    return newest == null ? null : session.tasks().refused(task.id(), newest.token());
  }

  /** Returns whether the agent has ended another attempt, after a failed attempt. */
  boolean isRepeated() {
    Task now = session.tasks().get(task.id());
    return now.attempts() > 0 && (now.status() == Task.Status.COMPLETED || refused() != null);
  }
}
