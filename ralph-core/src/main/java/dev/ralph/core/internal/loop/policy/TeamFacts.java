package dev.ralph.core.internal.loop.policy;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The workers of a team and their merge queue.
 *
 * @param workers in the order of their numbers; not empty
 * @param hasMoved whether an iteration or a merge has ended in this step
 * @param hasAssigned whether tasks were offered to the workers since the last look
 */
public record TeamFacts(List<Worker> workers, Queue queue, boolean hasMoved, boolean hasAssigned)
    implements LoopFacts.AgentFacts {

  /** Creates the facts; copies the list. */
  public TeamFacts {
    workers = List.copyOf(workers);
  }

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
    boolean isFree(long now) {
      return !isBusy && over == null && backoff.notBefore().isUp(now);
    }
  }

  /**
   * The merge queue.
   *
   * @param isBusy whether a merge runs, or its results are not recorded yet
   * @param retryAt the time of the next attempt after a failure of Git
   * @param hasLooseWork whether work without a task may wait for a merge
   */
  public record Queue(boolean isBusy, LoopDeadline retryAt, boolean hasLooseWork) {}

  /** Returns whether a worker has an assignment. */
  public boolean isAnyBusy() {
    return workers.stream().anyMatch(Worker::isBusy);
  }

  /** Returns whether a worker works without a task, beside which no other may work. */
  boolean isAnyAlone() {
    return workers.stream().anyMatch(worker -> worker.isBusy() && worker.task().isEmpty());
  }

  /** Returns the ids of assigned tasks; an empty id for a worker without a task. */
  Set<String> assigned() {
    Set<String> ids = new HashSet<>();
    for (Worker worker : workers) {
      if (worker.isBusy()) {
        ids.add(worker.task());
      }
    }
    return ids;
  }

  /** Returns the numbers of the free workers. */
  List<Integer> free(long now) {
    List<Integer> free = new ArrayList<>();
    for (Worker worker : workers) {
      if (worker.isFree(now)) {
        free.add(worker.number());
      }
    }
    return free;
  }

  /**
   * Returns the continuing worker with the earliest end of its backoff; null if all have stopped.
   */
  public @Nullable Worker soonest(long now) {
    Worker soonest = null;
    for (Worker worker : workers) {
      if (worker.over() == null
          && (soonest == null
              || worker.backoff().notBefore().leftNanos(now)
                  < soonest.backoff().notBefore().leftNanos(now))) {
        soonest = worker;
      }
    }
    return soonest;
  }
}
