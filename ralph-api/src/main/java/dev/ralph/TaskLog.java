package dev.ralph;

import dev.ralph.log.AmbiguousException;
import dev.ralph.log.ContendedException;
import dev.ralph.log.NotFoundException;
import dev.ralph.log.RalphException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The tasks of a session.
 *
 * <p>A reference to a task is its number ({@code t12}), its id, or the beginning of its id (8
 * characters or more). Methods with a reference throw {@link NotFoundException} if no object
 * matches, and {@link AmbiguousException} if several match; its message names them. Each change is
 * an atomic step: a task has one holder, however many processes claim it.
 */
public interface TaskLog {

  /** The priority of tasks without an explicit priority. */
  int DEFAULT_PRIORITY = 2;

  /** Adds a task with default priority and no dependencies. */
  default Task add(String content) {
    return add(NewTask.of(content));
  }

  /**
   * Adds a task. If a task with the same {@linkplain NewTask#key key} exists, returns that task
   * instead.
   *
   * @throws RalphException INVALID if the content or the key is blank, the priority is not 0 to 4,
   *     the iteration is negative, or a pattern is no valid path pattern; NOT_FOUND or AMBIGUOUS
   *     for a dependency
   */
  Task add(NewTask task);

  /**
   * Adds several tasks atomically. In their dependencies, {@code #1} is the first task of the list,
   * and so on; a task can depend on earlier tasks of the list. Tasks with a known key are not added
   * again.
   *
   * @return the tasks in the order of the list
   * @throws RalphException INVALID as {@link #add(NewTask)}, or if a number refers to no earlier
   *     task of the list; NOT_FOUND or AMBIGUOUS for a dependency. The message names the task
   */
  List<Task> addAll(List<NewTask> tasks);

  /** Returns all tasks in the order in which they were added. */
  TaskList list();

  /** Returns the task with a reference. */
  Task get(String ref);

  /** Returns the tasks that are ready now. */
  TaskList ready();

  /**
   * Returns the tasks that are {@linkplain TaskList#ready ready} at a time, sorted by priority and
   * age.
   */
  TaskList ready(Instant now);

  /**
   * Sets the status of a task. Every status except in progress ends the claim.
   *
   * @throws ContendedException if the token of the change is not the token of the newest claim, if
   *     that claim has ended, or if the change has an owner and another owner has a live lease
   * @throws RalphException INVALID if the iteration is negative
   */
  Task status(String ref, StatusChange change);

  /** Completes a task. */
  default Task complete(String ref) {
    return status(ref, StatusChange.to(Task.Status.COMPLETED));
  }

  /**
   * Makes a task depend on another.
   *
   * @throws RalphException INVALID if the dependency would create a cycle
   */
  Task depend(String ref, String on);

  /** Removes a dependency. Does nothing if there is no such dependency. */
  Task undepend(String ref, String on);

  /**
   * Changes the content, priority, dependencies or touched files of a task, as one step.
   *
   * @throws RalphException INVALID if the task is completed or cancelled, the new content is blank,
   *     the priority is not 0 to 4, a pattern is no valid path pattern, or a dependency would
   *     create a cycle; NOT_FOUND or AMBIGUOUS for a dependency
   * @throws ContendedException if the edit has an owner and another owner has a live lease
   */
  Task edit(String ref, TaskEdit edit);

  /**
   * Claims a ready task and sets it in progress. The holder may claim the task again. The
   * {@linkplain NewTask#touches touched} files are not checked.
   *
   * @param owner the holder; not blank
   * @param lease the length of the lease unless renewed: 1 ms to 30 days
   * @return the claim, or empty if another owner has a live lease
   * @throws RalphException INVALID if the task is blocked, completed or cancelled or waits for a
   *     dependency, or if the owner is blank or the lease is out of range
   */
  default Optional<Claim> claim(String ref, String owner, Duration lease) {
    return claim(ref, owner, lease, 0);
  }

  /**
   * Claims a task for an agent of a loop, like {@link #claim(String, String, Duration)}.
   *
   * @param iteration the iteration whose end also ends the claim; 0 for none
   * @throws RalphException also INVALID if the iteration is negative
   */
  Optional<Claim> claim(String ref, String owner, Duration lease, int iteration);

  /**
   * Claims the first ready task; empty if no task is ready.
   *
   * @param owner the holder; not blank
   * @param lease the length of the lease unless renewed: 1 ms to 30 days
   * @throws RalphException INVALID if the owner is blank or the lease is out of range
   */
  default Optional<Claim> claimNext(String owner, Duration lease) {
    return claimNext(owner, lease, 0);
  }

  /**
   * Claims the first ready task for an agent of a loop, like {@link #claimNext(String, Duration)}.
   *
   * @param iteration the iteration whose end also ends the claim; 0 for none
   * @throws RalphException also INVALID if the iteration is negative
   */
  Optional<Claim> claimNext(String owner, Duration lease, int iteration);

  /**
   * Renews a claim. The token does not change.
   *
   * @param lease the length of the lease from now: 1 ms to 30 days
   * @throws ContendedException if the task has a newer claim, or the claim has ended
   * @throws RalphException INVALID if the lease is out of range
   */
  Claim renew(Claim claim, Duration lease);

  /**
   * Releases a claim. The task is remaining again.
   *
   * @throws ContendedException if the task has a newer claim, or the claim has ended
   */
  Task release(Claim claim);
}
