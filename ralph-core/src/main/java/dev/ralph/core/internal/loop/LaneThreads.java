package dev.ralph.core.internal.loop;

import java.time.Duration;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/**
 * Runs what takes its time for one agent of several, each piece of work on a thread of its own, and
 * knows which of them was told to end and has not. For the thread that steps.
 */
final class LaneThreads {

  /** What it takes to end what does not end by itself, besides its grace. */
  static final Duration MARGIN = Duration.ofSeconds(20);

  private final String place;
  private final Runnable wake;

  /** What was to end and has not. */
  private @Nullable CutOffWork<?> stuck;

  /**
   * @param place what stands in the threads' names
   * @param wake called when one has ended; quick, from any thread
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

  /** Returns whether a work has ended in time; one that has not is left behind. */
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

  /** Runs what is to follow once that has ended. */
  void whenEnded(Runnable next) {
    CutOffWork<?> left = stuck;
    if (left == null) {
      next.run();
    } else {
      left.whenDone(next);
    }
  }
}
