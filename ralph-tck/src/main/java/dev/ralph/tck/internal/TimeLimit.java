package dev.ralph.tck.internal;

import java.time.Duration;
import java.util.function.BooleanSupplier;

/** The moment by which something must have happened. */
public final class TimeLimit {

  /** The system property of how many seconds what must happen may take. */
  public static final String PATIENCE_PROPERTY = "ralph.tck.patience";

  private final long nanoTime;

  private TimeLimit(long nanoTime) {
    this.nanoTime = nanoTime;
  }

  /** Returns the moment after that time from now. */
  public static TimeLimit in(Duration time) {
    return new TimeLimit(System.nanoTime() + time.toNanos());
  }

  /** Returns how long it is until then; zero once it has passed. */
  public Duration left() {
    return Duration.ofNanos(Math.max(0, nanoTime - System.nanoTime()));
  }

  /** Fails if it has passed. */
  public void check(String whatIsWrong) {
    if (left().isZero()) {
      throw new AssertionError("in time: " + whatIsWrong);
    }
  }

  /** Returns how long what must happen may take, on a machine that is busy with other things. */
  public static Duration patience() {
    return Duration.ofSeconds(Long.getLong(PATIENCE_PROPERTY, 60));
  }

  /** Waits until the condition holds, and fails if that takes longer than {@link #patience}. */
  public static void await(String whatIsWrong, BooleanSupplier condition)
      throws InterruptedException {
    TimeLimit deadline = in(patience());
    while (!condition.getAsBoolean()) {
      deadline.check(whatIsWrong);
      Thread.sleep(1);
    }
  }
}
