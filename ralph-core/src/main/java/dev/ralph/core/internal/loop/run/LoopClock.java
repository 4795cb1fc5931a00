package dev.ralph.core.internal.loop.run;

import dev.ralph.core.internal.loop.policy.LoopDeadline;
import dev.ralph.spi.MovableClock;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;

/**
 * The time source of limits and pauses: a movable clock of a program, otherwise the machine's
 * monotonic time. Safe for use by many threads.
 */
public final class LoopClock {

  /** The time of processes and threads, which always follow the machine's clock. */
  public static final LoopClock MACHINE = new LoopClock(null, Instant.EPOCH);

  private final @Nullable MovableClock clock;

  /** The origin of the clock's time. */
  private final Instant began;

  private LoopClock(@Nullable MovableClock clock, Instant began) {
    this.clock = clock;
    this.began = began;
  }

  /** Returns the time of loops on a store with a clock. */
  public static LoopClock of(Clock clock) {
    return clock instanceof MovableClock
        ? new LoopClock((MovableClock) clock, clock.instant())
        : MACHINE;
  }

  /** Returns the present time in nanoseconds since an arbitrary origin. */
  public long nanos() {
    return clock == null ? System.nanoTime() : ChronoUnit.NANOS.between(began, clock.instant());
  }

  /** Returns the time since an earlier result of {@link #nanos}. */
  public Duration since(long nanos) {
    return Duration.ofNanos(nanos() - nanos);
  }

  /** Creates a time box that starts now; null for no limit. */
  public TimeBox box(@Nullable Duration limit) {
    return new TimeBox(this, LoopDeadline.after(nanos(), limit));
  }

  /** Returns the real time to wait for a duration, in nanoseconds. */
  long realNanos(long nanos) {
    return clock == null || nanos <= 0 ? nanos : LoopDeadline.LONGEST.toNanos();
  }

  /** Registers a waker for jumps of the time, after which waiting threads check again. */
  public void wake(Runnable waker) {
    if (clock != null) {
      clock.onMove(waker);
    }
  }

  public void forget(Runnable waker) {
    if (clock != null) {
      clock.forget(waker);
    }
  }
}
