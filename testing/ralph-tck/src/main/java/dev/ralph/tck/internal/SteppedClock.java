package dev.ralph.tck.internal;

import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.concurrent.atomic.AtomicLong;

/** A clock changed only by steps, forward or back. */
public final class SteppedClock extends Clock {

  private final AtomicLong millis;

  /** Creates a clock set to an ISO-8601 instant. */
  public SteppedClock(String instant) {
    millis = new AtomicLong(Instant.parse(instant).toEpochMilli());
  }

  /** Steps the clock forward, or back if the number is negative. */
  public void step(long milliseconds) {
    millis.addAndGet(milliseconds);
  }

  @Override
  public long millis() {
    return millis.get();
  }

  @Override
  public Instant instant() {
    return Instant.ofEpochMilli(millis.get());
  }

  @Override
  public ZoneId getZone() {
    return ZoneOffset.UTC;
  }

  @Override
  public Clock withZone(ZoneId zone) {
    throw new UnsupportedOperationException("the stepped clock has no zone but UTC");
  }
}
