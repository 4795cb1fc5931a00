package dev.ralph.tck;

import java.time.Duration;
import java.util.function.BooleanSupplier;

/** The moment by which something must have happened. */
final class TimeLimit {

  private final long nanoTime;

  private TimeLimit(long nanoTime) {
    this.nanoTime = nanoTime;
  }

  static TimeLimit in(Duration time) {
    return new TimeLimit(System.nanoTime() + time.toNanos());
  }

  Duration left() {
    return Duration.ofNanos(Math.max(0, nanoTime - System.nanoTime()));
  }

  /** Fails if it has passed. */
  void check(String whatIsWrong) {
    if (left().isZero()) {
      throw new AssertionError("in time: " + whatIsWrong);
    }
  }

  static void await(String whatIsWrong, BooleanSupplier condition) throws InterruptedException {
    TimeLimit deadline = in(StoreConformance.patience());
    while (!condition.getAsBoolean()) {
      deadline.check(whatIsWrong);
      Thread.sleep(1);
    }
  }
}
