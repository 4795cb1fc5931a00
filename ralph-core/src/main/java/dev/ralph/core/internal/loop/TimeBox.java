package dev.ralph.core.internal.loop;

import java.time.Duration;
import javax.annotation.Nullable;

/** The time that something may take, from when the box is made; unlimited where it has no end. */
final class TimeBox {

  private static final Duration LONGEST = Duration.ofDays(36_500);

  private final boolean limited;
  private final long endNanos;

  private TimeBox(boolean limited, long endNanos) {
    this.limited = limited;
    this.endNanos = endNanos;
  }

  /** Returns a box that begins now; null stands for no limit. */
  static TimeBox of(@Nullable Duration limit) {
    if (limit == null || limit.compareTo(LONGEST) > 0) {
      return new TimeBox(false, System.nanoTime() + LONGEST.toNanos());
    }
    return new TimeBox(true, System.nanoTime() + limit.toNanos());
  }

  /** Returns whichever of the two ends first. */
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

  long leftNanos() {
    return Math.max(0, endNanos - System.nanoTime());
  }
}
