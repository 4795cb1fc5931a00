package dev.ralph.core.internal.loop;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The time that something may take, from when the box is made; unlimited where it has no end. */
final class TimeBox {

  static final Duration LONGEST = Duration.ofDays(36_500);

  private final Time time;
  private final boolean limited;
  private final long endNanos;

  /** See {@link Time#box}. */
  TimeBox(Time time, @Nullable Duration limit) {
    this.time = time;
    this.limited = limit != null && limit.compareTo(LONGEST) <= 0;
    this.endNanos = time.nanos() + (limit != null && limited ? limit : LONGEST).toNanos();
  }

  /**
   * Returns whichever of the two ends first.
   *
   * @param other of the same time
   */
  TimeBox and(TimeBox other) {
    return endNanos - other.endNanos <= 0 ? this : other;
  }

  boolean isLimited() {
    return limited;
  }

  boolean isUp() {
    return leftNanos() == 0;
  }

  Duration left() {
    return Duration.ofNanos(leftNanos());
  }

  /** Returns for how long to wait really until the box is up, if nothing happens meanwhile. */
  long waitNanos() {
    return time.realNanos(leftNanos());
  }

  private long leftNanos() {
    return Math.max(0, endNanos - time.nanos());
  }
}
