package dev.ralph.core.internal.task;

import dev.ralph.Task.Status;
import dev.ralph.domain.IndexSet;
import java.nio.LongBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Sets of task indexes: by status, by priority, free, held, waiting for a merge, and with declared
 * touched files. Counts and selections are computed from these sets. Not thread-safe, except for a
 * copy without further changes.
 */
final class TaskSets {

  private static final Status[] STATUSES = Status.values();
  private static final int FREE = STATUSES.length + TaskFold.LEAST_URGENT + 1;
  private static final int HELD = FREE + 1;
  private static final int UNMERGED = HELD + 1;
  private static final int TOUCHING = UNMERGED + 1;

  /** A set per status, a set per priority, then the sets of the constants. */
  private final IndexSet[] sets;

  TaskSets() {
    sets = new IndexSet[TOUCHING + 1];
    for (int i = 0; i < sets.length; i++) {
      sets[i] = new IndexSet();
    }
  }

  private TaskSets(IndexSet[] sets) {
    this.sets = sets;
  }

  TaskSets copy() {
    IndexSet[] copies = new IndexSet[sets.length];
    for (int i = 0; i < copies.length; i++) {
      copies[i] = sets[i].copy();
    }
    return new TaskSets(copies);
  }

  IndexSet of(Status status) {
    return sets[status.ordinal()];
  }

  IndexSet ofPriority(int priority) {
    return sets[STATUSES.length + priority];
  }

  /**
   * Returns the remaining and in-progress tasks whose dependencies are settled. Such a task may
   * already be claimed.
   */
  IndexSet free() {
    return sets[FREE];
  }

  /** Returns the tasks whose newest claim was not ended. The claim may have expired. */
  IndexSet held() {
    return sets[HELD];
  }

  /** Returns the completed tasks that wait to be merged. */
  IndexSet unmerged() {
    return sets[UNMERGED];
  }

  /** Returns the tasks with declared touched files. */
  IndexSet touching() {
    return sets[TOUCHING];
  }

  /** Updates the sets after a change of a task, except the set of free tasks. */
  void change(int index, @Nullable TaskEntry before, TaskEntry task) {
    if (before == null || before.status != task.status) {
      if (before != null) {
        of(before.status).put(index, false);
      }
      of(task.status).put(index, true);
    }
    if (before == null || before.priority() != task.priority()) {
      if (before != null) {
        ofPriority(before.priority()).put(index, false);
      }
      ofPriority(task.priority()).put(index, true);
    }
    held().put(index, task.isHeld());
    unmerged().put(index, task.waitsForMerge());
    touching().put(index, !task.touches.isEmpty());
  }

  /** Updates the set of free tasks after a change of a task or its dependencies. */
  void judge(int index, TaskEntry task) {
    free().put(index, task.isToDo() && !waits(task));
  }

  private boolean waits(TaskEntry task) {
    for (int dependency : task.dependencies) {
      boolean isDone =
          of(Status.COMPLETED).contains(dependency) && !unmerged().contains(dependency);
      if (!isDone && !of(Status.CANCELLED).contains(dependency)) {
        return true;
      }
    }
    return false;
  }

  // ---- for snapshots

  /** Returns the number of longs that {@link #write} puts. */
  int numbers() {
    int numbers = sets.length;
    for (IndexSet set : sets) {
      numbers += set.words();
    }
    return numbers;
  }

  void write(LongBuffer out) {
    for (IndexSet set : sets) {
      out.put(set.words());
      set.write(out);
    }
  }

  static TaskSets read(LongBuffer in) {
    TaskSets read = new TaskSets();
    for (int i = 0; i < read.sets.length; i++) {
      read.sets[i] = IndexSet.read(in, Math.toIntExact(in.get()));
    }
    return read;
  }
}
