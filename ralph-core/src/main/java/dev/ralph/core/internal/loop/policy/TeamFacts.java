package dev.ralph.core.internal.loop.policy;

import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The workers of a team and their tasks.
 *
 * @param workers in the order of their numbers; not empty
 * @param ready the number of tasks that a free worker may claim now
 * @param hasMoved whether an iteration or a merge has ended in this step
 * @param hasAssigned whether tasks were offered to the workers since the last read of the session
 */
public record TeamFacts(
    List<Worker> workers, Queue queue, int ready, boolean hasMoved, boolean hasAssigned)
    implements LoopFacts.AgentFacts {

  /**
   * A worker.
   *
   * @param number from 1
   * @param isBusy whether the worker has an assignment
   * @param task the id of the assigned task; empty without a task
   * @param over the reason why the worker stops; null while it continues
   */
  public record Worker(
      int number, boolean isBusy, String task, @Nullable LoopEnding over, Backoff backoff) {

    /** Returns whether the worker can accept an assignment. */
    public boolean isFree(long now) {
      return !isBusy && over == null && backoff.notBefore().isUp(now);
    }
  }

  /**
   * The merge queue.
   *
   * @param isBusy whether a merge runs, or its results are not recorded yet
   * @param retryAt the time of the next attempt after a failure of Git
   * @param tasks the ids of completed tasks that wait for their merge; an empty id for work without
   *     a task
   * @param heldUp the number of tasks that wait only because a task in the queue may conflict; 0
   *     while no merge runs
   */
  public record Queue(boolean isBusy, LoopDeadline retryAt, List<String> tasks, int heldUp) {}

  /** Returns whether a worker has an assignment. */
  boolean isAnyBusy() {
    return workers.stream().anyMatch(Worker::isBusy);
  }

  /** Returns the ids of assigned tasks; an empty id for a worker without a task. */
  List<String> assigned() {
    return workers.stream().filter(Worker::isBusy).map(Worker::task).toList();
  }

  /** Returns the numbers of the free workers. */
  List<Integer> free(long now) {
    return workers.stream().filter(worker -> worker.isFree(now)).map(Worker::number).toList();
  }

  /**
   * Returns the continuing worker with the earliest end of its backoff; null if all have stopped.
   */
  public static @Nullable Worker soonest(List<Worker> workers, long now) {
    return workers.stream()
        .filter(worker -> worker.over() == null)
        .min(Comparator.comparing(worker -> worker.backoff().notBefore().leftNanos(now)))
        .orElse(null);
  }
}
