package dev.ralph;

import java.time.Instant;
import java.util.List;
import java.util.Map;

/**
 * A list of a session's tasks at one moment. Selections of the list show the same moment.
 *
 * <p>Tasks are read on demand: counting and selecting tasks does not read them, and reading the
 * first task does not read the others. Immutable; safe for use by many threads.
 */
public interface TaskList extends List<Task> {

  /**
   * Returns the number of tasks of each status, for all statuses in their order. Frames, commands
   * and JSON have the {@linkplain Task.Status#word() word} of a status instead of the constant. The
   * caller may change the map.
   */
  Map<Task.Status, Integer> counts();

  /** Returns the tasks with one of the statuses, in the order of this list. */
  TaskList of(Task.Status... statuses);

  /** Returns the tasks that are neither completed nor cancelled, in the order of this list. */
  default TaskList open() {
    return of(Task.Status.REMAINING, Task.Status.IN_PROGRESS, Task.Status.BLOCKED);
  }

  /**
   * Returns the completed tasks that are not {@linkplain Task#isSettled settled}, in the order of
   * this list.
   */
  TaskList toMerge();

  /**
   * Returns the tasks that an agent can begin. Such a task is remaining or in progress, has no live
   * lease, and all its dependencies are {@linkplain Task#isSettled settled} or cancelled. The files
   * that it {@linkplain NewTask#touches touches} are not touched by a leased task or a task to be
   * merged. Tasks are sorted by priority, then by age, the oldest first.
   *
   * @param now the time at which leases are checked
   */
  TaskList ready(Instant now);

  /**
   * Returns the tasks that are remaining or in progress and not {@linkplain #ready ready}, because
   * of a dependency, a touched file or a live lease, in the order in which they were added.
   *
   * @param now the time at which leases are checked
   */
  TaskList waiting(Instant now);
}
