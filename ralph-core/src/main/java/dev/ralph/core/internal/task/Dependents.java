package dev.ralph.core.internal.task;

import java.nio.IntBuffer;
import java.util.Arrays;

/**
 * Which tasks wait for a task, or did so once: a task that no longer waits for another is still
 * found there. Lists of indexes in three arrays; nothing is kept where no task waits.
 */
final class Dependents {

  private static final int[] NONE = {};

  /** By task: its newest link plus one, 0 where there is none. */
  private int[] newest = NONE;

  /** By link: the task that waits, and the link before it plus one. */
  private int[] waiting = NONE;

  private int[] before = NONE;
  private int links;

  /** Notes that a task waits for another. */
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

  /** Returns the first link of those that wait for a task, -1 for none. */
  int first(int on) {
    return on < newest.length ? newest[on] - 1 : -1;
  }

  /** Returns the link that follows, -1 for none. */
  int next(int link) {
    return before[link] - 1;
  }

  /** Returns the task that waits. */
  int task(int link) {
    return waiting[link];
  }

  // ---- for snapshots

  /** Returns how many numbers it takes to keep this. */
  int numbers() {
    return 2 + newest.length + 2 * links;
  }

  void write(IntBuffer out) {
    out.put(newest.length).put(links);
    out.put(newest).put(waiting, 0, links).put(before, 0, links);
  }

  static Dependents read(IntBuffer in) {
    Dependents read = new Dependents();
    int tasks = in.get();
    read.links = in.get();
    read.newest = new int[tasks];
    read.waiting = new int[read.links];
    read.before = new int[read.links];
    in.get(read.newest).get(read.waiting).get(read.before);
    return read;
  }
}
