package dev.ralph.core.internal.loop;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The time that something may take, from when the box is made; unlimited where it has no end. */
final class TimeBox {

  static final Duration LONGEST = Duration.ofDays(36_500);

  private final Time time;
  private final boolean limited;
  private final long endNanos;

  private TimeBox(Time time, boolean limited, long endNanos) {
    this.time = time;
    this.limited = limited;
    this.endNanos = endNanos;
  }

  /** Returns a box of the machine's time that begins now; null stands for no limit. */
  static TimeBox of(@Nullable Duration limit) {
    return of(Time.MACHINE, limit);
  }

  static TimeBox of(Time time, @Nullable Duration limit) {
    boolean limited = limit != null && limit.compareTo(LONGEST) <= 0;
    long nanos = limit != null && limited ? limit.toNanos() : LONGEST.toNanos();
    return new TimeBox(time, limited, time.nanos() + nanos);
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
