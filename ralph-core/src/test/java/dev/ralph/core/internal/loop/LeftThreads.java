package dev.ralph.core.internal.loop;

import java.util.ArrayList;
import java.util.List;

/** Finds threads that still run after their loops have ended. */
final class LeftThreads {

  private static final int PATIENCE_MILLIS = 60_000;

  private LeftThreads() {}

  /** Returns the names of the threads that do not end within a minute. */
  static List<String> names() {
    List<String> names = new ArrayList<>();
    for (Thread thread : Thread.getAllStackTraces().keySet()) {
      if (thread.getName().startsWith("ralph-") && !hasEnded(thread)) {
        names.add(thread.getName());
      }
    }
    return names;
  }

  private static boolean hasEnded(Thread thread) {
    try {
      thread.join(PATIENCE_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return !thread.isAlive();
  }
}
