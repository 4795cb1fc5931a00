package dev.ralph;

import java.time.Instant;
import java.util.List;
import java.util.Map;

/**
 * Tasks of a session as they stand at one moment, or some of them. It does not change when the log
 * does, and parts of it are of the same moment.
 *
 * <p>A task is read when it is asked for: counting tasks, selecting some or taking the first one
 * does not read the others. Unmodifiable; safe for use by many threads.
 */
public interface TaskList extends List<Task> {

  /**
   * Returns how many of these tasks have each status; all statuses are there, in their order. The
   * map is the caller's.
   */
  Map<Task.Status, Integer> counts();

  /** Returns those that have one of the statuses, in the order of this list. */
  TaskList of(Task.Status... statuses);

  /** Returns those that are neither completed nor cancelled, in the order of this list. */
  default TaskList open() {
    return of(Task.Status.REMAINING, Task.Status.IN_PROGRESS, Task.Status.BLOCKED);
  }

  /**
   * Returns those that are completed and wait to {@linkplain Task#isLanded land}, in the order of
   * this list.
   */
  TaskList toLand();

  /**
   * Returns those that can be worked on: not begun or begun, all dependencies {@linkplain
   * Task#isLanded landed} or cancelled, under nobody's lease, and {@linkplain NewTask#touches
   * touching} nothing that a task under a lease or one that waits to land may touch. The most
   * urgent come first, of these the oldest.
   *
   * @param now decides whose lease runs
   */
  TaskList ready(Instant now);

  /**
   * Returns those that are not begun or begun and yet not {@linkplain #ready ready}, because they
   * wait for other tasks, touch what these touch, or are under somebody's lease, in the order they
   * were added.
   *
   * @param now decides whose lease runs
   */
  TaskList waiting(Instant now);
}
