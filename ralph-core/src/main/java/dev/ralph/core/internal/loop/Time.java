package dev.ralph.core.internal.loop;

import dev.ralph.spi.MovableClock;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;

/**
 * The time that limits and pauses are measured in: that of a clock which a program moves, or else
 * the machine's own, which goes on evenly when somebody sets the clock. Safe for use by many
 * threads.
 */
final class Time {

  /** For what concerns processes and threads, which no clock but the machine's tells anything. */
  static final Time MACHINE = new Time(null, Instant.EPOCH);

  private final @Nullable MovableClock clock;

  /** What the clock's time is counted from. */
  private final Instant began;

  private Time(@Nullable MovableClock clock, Instant began) {
    this.clock = clock;
    this.began = began;
  }

  /** Returns the time of loops whose store has that clock. */
  static Time of(Clock clock) {
    return clock instanceof MovableClock
        ? new Time((MovableClock) clock, clock.instant())
        : MACHINE;
  }

  /** Returns the time now, counted in nanoseconds from any moment. */
  long nanos() {
    return clock == null ? System.nanoTime() : ChronoUnit.NANOS.between(began, clock.instant());
  }

  /** Returns how much time has gone by since {@link #nanos} returned that. */
  Duration since(long nanos) {
    return Duration.ofNanos(nanos() - nanos);
  }

  /** Returns a box of time that begins now; null stands for no limit. */
  TimeBox box(@Nullable Duration limit) {
    return new TimeBox(this, limit);
  }

  /** Returns for how long to wait really for that much time, in nanoseconds. */
  long realNanos(long nanos) {
    return clock == null || nanos <= 0 ? nanos : TimeBox.LONGEST.toNanos();
  }

  /** Calls the waker whenever the time has jumped, so that who waits for a time looks again. */
  void wake(Runnable waker) {
    if (clock != null) {
      clock.onMove(waker);
    }
  }

  void forget(Runnable waker) {
    if (clock != null) {
      clock.forget(waker);
    }
  }
}
