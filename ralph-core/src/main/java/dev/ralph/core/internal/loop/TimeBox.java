package dev.ralph.core.internal.loop;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A time limit that starts when the box is created; may be unlimited. */
final class TimeBox {

  static final Duration LONGEST = Duration.ofDays(36_500);

  private final LoopClock time;
  private final boolean limited;
  private final long endNanos;

  /** Creates a time box; see {@link LoopClock#box}. */
  TimeBox(LoopClock time, @Nullable Duration limit) {
    this.time = time;
    this.limited = limit != null && limit.compareTo(LONGEST) <= 0;
    this.endNanos = time.nanos() + (limit != null && limited ? limit : LONGEST).toNanos();
  }

  /**
   * Returns the box that ends first.
   *
   * @param other a box of the same time source
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

  /** Returns the real time in nanoseconds to wait until the end of the box, unless woken. */
  long waitNanos() {
    return time.realNanos(leftNanos());
  }

  private long leftNanos() {
    return Math.max(0, endNanos - time.nanos());
  }
}
