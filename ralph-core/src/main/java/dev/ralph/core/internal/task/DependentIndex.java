package dev.ralph.core.internal.task;

import java.nio.IntBuffer;
import java.util.Arrays;

/**
 * An index from each task to the tasks that depend on it. Removed dependencies stay in the index.
 * Linked lists in three arrays, which are empty while no task has dependents.
 */
final class DependentIndex {

  private static final int[] NONE = {};

  /** For each task: the index of its newest link plus one, or 0 for no link. */
  private int[] newest = NONE;

  /** For each link: the dependent task. {@link #before} has the previous link's index plus one. */
  private int[] waiting = NONE;

  private int[] before = NONE;
  private int links;

  /**
   * Adds a dependent.
   *
   * @param on the index of the task
   * @param task the index of the dependent
   */
  void add(int on, int task) {
    if (on >= newest.length) {
      newest = Arrays.copyOf(newest, Math.max(on + 1, newest.length * 3 / 2));
    }
    if (links == waiting.length) {
      int more = Math.max(8, links * 3 / 2);
      waiting = Arrays.copyOf(waiting, more);
      before = Arrays.copyOf(before, more);
    }
    waiting[links] = task;
    before[links] = newest[on];
    newest[on] = ++links;
  }

  /** Returns the first link of a task, or -1 if no task depends on it. */
  int first(int on) {
    return on < newest.length ? newest[on] - 1 : -1;
  }

  /** Returns the following link, or -1. */
  int next(int link) {
    return before[link] - 1;
  }

  /** Returns the dependent task of a link. */
  int task(int link) {
    return waiting[link];
  }

  // ---- for snapshots

  /** Returns the number of ints that {@link #write} puts. */
  int numbers() {
    return 2 + newest.length + 2 * links;
  }

  void write(IntBuffer out) {
    out.put(newest.length).put(links);
    out.put(newest).put(waiting, 0, links).put(before, 0, links);
  }

  static DependentIndex read(IntBuffer in) {
    DependentIndex read = new DependentIndex();
    int tasks = in.get();
    read.links = in.get();
    read.newest = new int[tasks];
    read.waiting = new int[read.links];
    read.before = new int[read.links];
    in.get(read.newest).get(read.waiting).get(read.before);
    return read;
  }
}
