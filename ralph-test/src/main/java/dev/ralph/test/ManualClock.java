package dev.ralph.test;

import dev.ralph.log.RalphException;
import dev.ralph.spi.MovableClock;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;

/**
 * A clock that stands until a test moves it. Leases run out by it, and so do the limits and pauses
 * of loops.
 *
 * <pre>{@code
 * ManualClock clock = ManualClock.at("2026-01-01T12:00:00Z");
 * Ralph ralph = Ralph.builder().store("memory").clock(clock).open();
 * Claim claim = ralph.session("s").tasks().claim("t1", "me", Duration.ofMinutes(10)).get();
 * clock.advance(Duration.ofMinutes(11));     // the claim has run out
 * }</pre>
 *
 * <p>Safe for use by many threads.
 */
public final class ManualClock extends MovableClock {

  private final AtomicReference<Instant> now;

  private ManualClock(Instant now) {
    this.now = new AtomicReference<>(now);
  }

  /** Returns a clock that shows that time. */
  public static ManualClock at(Instant time) {
    return new ManualClock(Objects.requireNonNull(time, "time"));
  }

  /**
   * Returns a clock that shows that time.
   *
   * @param time such as {@code 2026-01-01T12:00:00Z}
   * @throws java.time.format.DateTimeParseException if it is not a time
   */
  public static ManualClock at(String time) {
    return at(Instant.parse(time));
  }

  /**
   * Moves the clock on.
   *
   * @throws RalphException INVALID if the time is negative; {@link #set} turns the clock back
   */
  public void advance(Duration time) {
    if (time.isNegative()) {
      throw RalphException.invalid("a clock advances by a positive time, not by " + time);
    }
    now.updateAndGet(before -> before.plus(time));
    moved();
  }

  /** Sets the clock, back as well, as people and time servers do. */
  public void set(Instant time) {
    now.set(Objects.requireNonNull(time, "time"));
    moved();
  }

  @Override
  public Instant instant() {
    return Objects.requireNonNull(now.get());
  }

  @Override
  public ZoneId getZone() {
    return ZoneOffset.UTC;
  }

  /** Returns a clock in that zone which follows this one. */
  @Override
  public Clock withZone(ZoneId zone) {
    return new Zoned(this, zone);
  }

  /** This clock's time in another zone. */
  private static final class Zoned extends Clock {

    private final Clock clock;
    private final ZoneId zone;

    Zoned(Clock clock, ZoneId zone) {
      this.clock = clock;
      this.zone = zone;
    }

    @Override
    public Instant instant() {
      return clock.instant();
    }

    @Override
    public ZoneId getZone() {
      return zone;
    }

    @Override
    public Clock withZone(ZoneId other) {
      return new Zoned(clock, other);
    }
  }
}
