package dev.ralph.core.internal.loop.policy;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A deadline on the monotonic clock of a loop.
 *
 * @param nanos the reading of the loop's clock at the deadline; compare by difference only
 * @param isLimited false for a deadline that is never reached in practice
 */
public record LoopDeadline(long nanos, boolean isLimited) {

  /** The longest limit; longer limits count as none, because nanoseconds would overflow. */
  public static final Duration LONGEST = Duration.ofDays(36_500);

  /**
   * Returns the deadline after a limit.
   *
   * @param now the reading of the loop's clock
   * @param limit null for no limit
   */
  public static LoopDeadline after(long now, @Nullable Duration limit) {
    boolean limited = limit != null && limit.compareTo(LONGEST) <= 0;
    return new LoopDeadline(now + (limit != null && limited ? limit : LONGEST).toNanos(), limited);
  }

  /** Returns the earlier of two deadlines. */
  public LoopDeadline earlier(LoopDeadline other) {
    return nanos - other.nanos <= 0 ? this : other;
  }

  /** Returns whether the deadline is reached. */
  public boolean isUp(long now) {
    return leftNanos(now) == 0;
  }

  /** Returns the nanoseconds until the deadline, at least 0. */
  public long leftNanos(long now) {
    return Math.max(0, nanos - now);
  }

  /** Returns the time until the deadline, at least 0. */
  public Duration left(long now) {
    return Duration.ofNanos(leftNanos(now));
  }
}
