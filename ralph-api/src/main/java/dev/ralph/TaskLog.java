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
 * characters or more). A method given a reference throws {@link NotFoundException} or {@link
 * AmbiguousException}, the message naming the candidates. Every change is decided and appended as
 * one step: however many processes try, a task has one holder.
 */
public interface TaskLog {

  /** The priority of a task that was given none. */
  int DEFAULT_PRIORITY = 2;

  /** Adds a task of default priority that depends on nothing. */
  default Task add(String content) {
    return add(NewTask.of(content));
  }

  /**
   * Adds a task, unless one was added under the same {@linkplain NewTask#key key} before: that is
   * the answer then.
   *
   * @throws RalphException INVALID if the content or the key is blank, the priority is not 0 to 4,
   *     the iteration is negative, or a pattern can't be one of paths in a repository; NOT_FOUND or
   *     AMBIGUOUS for a dependency
   */
  Task add(NewTask task);

  /**
   * Adds several tasks, all or none. Among the dependencies of each, {@code #1} is the first task
   * of the list, and so on; a task can depend on those before it. Those whose key is known already
   * are not added again.
   *
   * @return the tasks in the order of the list
   * @throws RalphException INVALID as {@link #add(NewTask)}, or if there is no such task before it;
   *     NOT_FOUND or AMBIGUOUS for a dependency. The message says which task it is about
   */
  List<Task> addAll(List<NewTask> tasks);

  /** Returns all tasks in the order they were added. */
  TaskList list();

  /** Returns the task referred to. */
  Task get(String ref);

  /** Returns what {@link #ready(Instant)} returns at present. */
  TaskList ready();

  /**
   * Returns the tasks that can be worked on, as {@link TaskList#ready} says. The most urgent come
   * first, of these the oldest.
   */
  TaskList ready(Instant now);

  /**
   * Sets the status of a task. Every status but in progress ends its claim, because nobody works on
   * it then.
   *
   * @throws ContendedException if the change presents the token of a claim that is no longer the
   *     newest, or has ended, or is made on behalf of an owner and another one's lease runs
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
   * @throws RalphException INVALID if the tasks would then wait for each other
   */
  Task depend(String ref, String on);

  /** Lets a task no longer wait for another; does nothing if it did not wait for it. */
  Task undepend(String ref, String on);

  /**
   * Changes the text, the priority, the dependencies of a task or what it touches, as one step.
   *
   * @throws RalphException INVALID if the task is completed or cancelled, the new text is blank,
   *     the priority is not 0 to 4, a pattern can't be one of paths in a repository, or a
   *     dependency would make tasks wait for each other; NOT_FOUND or AMBIGUOUS for a dependency
   * @throws ContendedException if the edit is made on behalf of an owner and another one's lease
   *     runs
   */
  Task edit(String ref, TaskEdit edit);

  /**
   * Claims a task that is ready, and sets it in progress. Its holder may claim it again. What it
   * {@linkplain NewTask#touches touches} does not matter here: to name a task is to choose it.
   *
   * @param owner who claims it; not blank
   * @param lease for how long, unless it is renewed: 1 ms to 30 days
   * @return the claim, or empty if another owner's lease still runs
   * @throws RalphException INVALID if the task is blocked, completed or cancelled, or waits for
   *     others, or if the owner is blank or the lease outside that range
   */
  default Optional<Claim> claim(String ref, String owner, Duration lease) {
    return claim(ref, owner, lease, 0);
  }

  /**
   * As {@link #claim(String, String, Duration)}, for the agent of a loop.
   *
   * @param iteration the iteration that the claim ends with, should it not have ended before; 0 for
   *     none
   * @throws RalphException INVALID if the iteration is negative, too
   */
  Optional<Claim> claim(String ref, String owner, Duration lease, int iteration);

  /**
   * Claims the first task that is ready; empty if there is none.
   *
   * @param owner who claims it; not blank
   * @param lease for how long, unless it is renewed: 1 ms to 30 days
   * @throws RalphException INVALID if the owner is blank or the lease outside that range
   */
  default Optional<Claim> claimNext(String owner, Duration lease) {
    return claimNext(owner, lease, 0);
  }

  /**
   * As {@link #claimNext(String, Duration)}, for the agent of a loop.
   *
   * @param iteration the iteration that the claim ends with, should it not have ended before; 0 for
   *     none
   * @throws RalphException INVALID if the iteration is negative, too
   */
  Optional<Claim> claimNext(String owner, Duration lease, int iteration);

  /**
   * Prolongs a claim from now on; the token stays the same.
   *
   * @param lease for how long from now on: 1 ms to 30 days
   * @throws ContendedException if the claim is no longer the newest of its task, or has ended
   * @throws RalphException INVALID if the lease is outside that range
   */
  Claim renew(Claim claim, Duration lease);

  /**
   * Gives a claimed task back. The next one who claims it begins it again.
   *
   * @throws ContendedException if the claim is no longer the newest of its task, or has ended
   */
  Task release(Claim claim);
}
