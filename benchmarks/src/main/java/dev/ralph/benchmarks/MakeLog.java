package dev.ralph.benchmarks;

import dev.ralph.Ralph;
import java.nio.file.Path;

/** Creates a store with the tasks of one session among frames of other sessions. */
final class MakeLog {

  private static final int SESSIONS = 20;
  private static final int FRAMES_PER_BATCH = 10;

  private MakeLog() {}

  /**
   * Appends to a store, for processes.sh. Arguments: {@code DIRECTORY TASKS OTHERS}; the tasks are
   * spread evenly among the others.
   */
  public static void main(String[] arguments) {
    try (Ralph ralph = Ralph.open(Path.of(arguments[0]))) {
      fill(ralph, Integer.parseInt(arguments[1]), Integer.parseInt(arguments[2]), SESSIONS);
    }
  }

  /** Appends the tasks of a session, spread evenly among frames of others. */
  static void fill(Ralph ralph, int tasks, int others, int sessions) {
    Logs.Writer writer = new Logs.Writer(ralph.log(), "other-", sessions);
    int stretches = Math.max(tasks, 1);
    for (int i = 0; i < stretches; i++) {
      if (i < tasks) {
        ralph.session("mine").tasks().add("Write the form for case " + i);
      }
      writer.write(
          (int) ((i + 1L) * others / stretches - (long) i * others / stretches), FRAMES_PER_BATCH);
    }
  }
}
