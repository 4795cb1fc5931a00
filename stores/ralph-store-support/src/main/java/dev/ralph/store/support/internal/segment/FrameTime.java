package dev.ralph.store.support.internal.segment;

import dev.ralph.log.RalphException;
import java.time.Clock;
import java.time.Instant;

/** The valid times of a frame: the years 0000 to 9999. */
public final class FrameTime {

  // numbers, because parsing two texts takes milliseconds in a fresh JVM
  private static final long FIRST_MILLIS = -62_167_219_200_000L; // 0000-01-01T00:00:00Z
  private static final long LAST_MILLIS = 253_402_300_799_999L; // 9999-12-31T23:59:59.999Z
  private static final Instant FIRST = Instant.ofEpochMilli(FIRST_MILLIS);
  private static final Instant LAST = Instant.ofEpochMilli(LAST_MILLIS);

  private FrameTime() {}

  /**
   * Checks that a frame may have this time.
   *
   * @throws RalphException INVALID if the year is outside of 0000 to 9999
   */
  public static void check(Instant time) {
    if (time.isBefore(FIRST) || time.isAfter(LAST)) {
      throw RalphException.invalid(
          "a frame's time must lie in the years 0000 to 9999, not " + time);
    }
  }

  /**
   * Returns the time of the clock, in milliseconds since 1970.
   *
   * @throws RalphException INVALID if the year is outside of 0000 to 9999
   */
  public static long now(Clock clock) {
    long now = clock.millis();
    if (now < FIRST_MILLIS || now > LAST_MILLIS) {
      throw RalphException.invalid(
          "the clock says "
              + Instant.ofEpochMilli(now)
              + ", and a frame's time must lie in the years 0000 to 9999; set the clock");
    }
    return now;
  }
}
