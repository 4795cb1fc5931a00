package dev.ralph.tck.internal;

import java.time.Duration;
import java.util.function.BooleanSupplier;

/** A deadline for an expected event. */
public final class TimeLimit {

  /** The system property with the maximum number of seconds to wait for an expected event. */
  public static final String PATIENCE_PROPERTY = "ralph.tck.patience";

  private final long nanoTime;

  private TimeLimit(long nanoTime) {
    this.nanoTime = nanoTime;
  }

  /** Returns the deadline after the given time from now. */
  public static TimeLimit in(Duration time) {
    return new TimeLimit(System.nanoTime() + time.toNanos());
  }

  /** Returns the time until the deadline; zero afterwards. */
  public Duration left() {
    return Duration.ofNanos(Math.max(0, nanoTime - System.nanoTime()));
  }

  /** Fails if the deadline has passed. */
  public void check(String problem) {
    if (left().isZero()) {
      throw new AssertionError("timed out: " + problem);
    }
  }

  /** Returns the maximum time to wait for an expected event, long enough for a busy machine. */
  public static Duration patience() {
    return Duration.ofSeconds(Long.getLong(PATIENCE_PROPERTY, 60));
  }

  /** Waits until the condition holds, and fails after {@link #patience}. */
  public static void await(String problem, BooleanSupplier condition) throws InterruptedException {
    TimeLimit deadline = in(patience());
    while (!condition.getAsBoolean()) {
      deadline.check(problem);
      Thread.sleep(1);
    }
  }
}
