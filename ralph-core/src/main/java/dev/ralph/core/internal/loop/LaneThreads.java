package dev.ralph.core.internal.loop;

import java.time.Duration;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/**
 * Runs the long work of one of several agents, each work on its own thread, and tracks abandoned
 * work. Used only by the stepping thread.
 */
final class LaneThreads {

  /** The time beyond the grace to end work that does not end by itself. */
  static final Duration MARGIN = Duration.ofSeconds(20);

  private final String place;
  private final Runnable wake;

  /** The abandoned work. */
  private @Nullable CutOffWork<?> stuck;

  /**
   * @param place the suffix of the threads' names
   * @param wake called when work has ended; must be quick, and safe to call from any thread
   */
  LaneThreads(String place, Runnable wake) {
    this.place = place;
    this.wake = wake;
  }

  <T> CutOffWork<T> start(String what, Callable<T> work) {
    CutOffWork<T> started =
        new CutOffWork<>(CutOffWork.ownThread("ralph-" + what + "-" + place), work);
    started.start();
    started.whenDone(wake);
    return started;
  }

  static boolean isRunning(@Nullable CutOffWork<?> work) {
    return work != null && !work.isDone();
  }

  /** Returns whether work has ended in time; otherwise the work is abandoned. */
  boolean endsWithin(@Nullable CutOffWork<?> work, Duration limit) {
    if (work == null || work.awaitEnd(limit)) {
      return true;
    }
    work.interrupt();
    if (work.awaitEnd(MARGIN)) {
      return true;
    }
    stuck = work;
    return false;
  }

  boolean hasLeftBehind() {
    return stuck != null;
  }

  /** Runs an action when the abandoned work has ended. */
  void whenEnded(Runnable next) {
    CutOffWork<?> left = stuck;
    if (left == null) {
      next.run();
    } else {
      left.whenDone(next);
    }
  }
}
