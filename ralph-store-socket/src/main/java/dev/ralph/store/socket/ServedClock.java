package dev.ralph.store.socket;

import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;

/**
 * The time that a served store goes by, as it was told once, and by the machine's even time since.
 */
final class ServedClock extends Clock {

  private final long told;
  private final long heard = System.nanoTime();

  /**
   * @param told in milliseconds since 1970
   */
  ServedClock(long told) {
    this.told = told;
  }

  @Override
  public Instant instant() {
    return Instant.ofEpochMilli(told).plusNanos(System.nanoTime() - heard);
  }

  @Override
  public ZoneId getZone() {
    return ZoneOffset.UTC;
  }

  /** The time is the same in every zone, and nobody asks this one for a date. */
  @Override
  public Clock withZone(ZoneId zone) {
    return this;
  }
}
