package dev.ralph.core.internal.loop;

import dev.ralph.Claim;
import dev.ralph.Task;
import dev.ralph.core.internal.session.LiveSession;
import dev.ralph.log.ContendedException;
import dev.ralph.log.RalphException;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The claim under which one agent of several works on the task that it was given. For the thread
 * that steps.
 */
final class TaskLease {

  /** For how long a task is held without a sign of life of the loop. */
  static final Duration LENGTH = Duration.ofMinutes(10);

  private final LiveSession session;
  private final Task task;

  /** Null where it need not be renewed any more. */
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
      claim = null; // it is done, or was given back
    } catch (RalphException e) {
      // The lease is long enough for another try.
      System.getLogger(TaskLease.class.getPackageName())
          .log(System.Logger.Level.DEBUG, "a claim could not be renewed", e);
    }
  }

  /** Gives the task back that nobody has begun. */
  void giveBack() {
    Claim held = claim;
    try {
      if (held != null) {
        session.tasks().release(held);
      }
    } catch (ContendedException e) {
      // Somebody else has it.
    }
  }

  /**
   * Returns the task if it is completed, but the work is not on its branch.
   *
   * @param limit the attempt limit of a failed attempt; -1 if this is none
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

  /** Returns the reason that the completion of the task was refused; null if it was not. */
  @Nullable String refused() {
    Claim newest = session.tasks().get(task.id()).claim();
    return newest == null ? null : session.tasks().refused(task.id(), newest.token());
  }

  /** Returns whether the agent has ended another attempt, after one that failed. */
  boolean isRepeated() {
    Task now = session.tasks().get(task.id());
    return now.attempts() > 0 && (now.status() == Task.Status.COMPLETED || refused() != null);
  }
}
