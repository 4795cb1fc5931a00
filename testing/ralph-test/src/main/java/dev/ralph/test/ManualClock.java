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
 * A clock advanced only by a test. Leases, time limits and pauses of loops follow this clock.
 *
 * <pre>{@code
 * ManualClock clock = ManualClock.at("2026-01-01T12:00:00Z");
 * Ralph ralph = Ralph.builder().store("memory").clock(clock).open();
 * Claim claim = ralph.session("s").tasks().claim("t1", "me", Duration.ofMinutes(10)).get();
 * clock.advance(Duration.ofMinutes(11));     // the claim has expired
 * }</pre>
 *
 * <p>Thread-safe.
 */
public final class ManualClock extends MovableClock {

  private final AtomicReference<Instant> now;

  private ManualClock(Instant now) {
    this.now = new AtomicReference<>(now);
  }

  /** Returns a clock set to the given time. */
  public static ManualClock at(Instant time) {
    return new ManualClock(Objects.requireNonNull(time, "time"));
  }

  /**
   * Returns a clock set to the given time.
   *
   * @param time an ISO-8601 instant such as {@code 2026-01-01T12:00:00Z}
   * @throws java.time.format.DateTimeParseException if the text is not an instant
   */
  public static ManualClock at(String time) {
    return at(Instant.parse(time));
  }

  /**
   * Advances the clock.
   *
   * @throws RalphException INVALID if the duration is negative; use {@link #set} to turn the clock
   *     back
   */
  public void advance(Duration time) {
    if (time.isNegative()) {
      throw RalphException.invalid(
          "the duration must not be negative: " + time + "; use set() to turn the clock back");
    }
    now.updateAndGet(before -> before.plus(time));
    moved();
  }

  /** Sets the clock to a time, which may be earlier than the present one. */
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

  /** Returns a clock in the given zone that follows this clock. */
  @Override
  public Clock withZone(ZoneId zone) {
    return new Zoned(this, zone);
  }

  /** This clock in another time zone. */
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
