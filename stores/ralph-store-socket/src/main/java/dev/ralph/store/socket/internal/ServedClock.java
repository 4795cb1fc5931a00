package dev.ralph.store.socket.internal;

import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;

/**
 * The clock of a served store: the server's time at the handshake, advanced by the monotonic clock
 * of this process.
 */
final class ServedClock extends Clock {

  private final long served;
  private final long received = System.nanoTime();

  /**
   * @param served the server's time in milliseconds since 1970
   */
  ServedClock(long served) {
    this.served = served;
  }

  @Override
  public Instant instant() {
    return Instant.ofEpochMilli(served).plusNanos(System.nanoTime() - received);
  }

  @Override
  public ZoneId getZone() {
    return ZoneOffset.UTC;
  }

  /** Returns this clock, because the zone does not affect {@link #instant()}. */
  @Override
  public Clock withZone(ZoneId zone) {
    return this;
  }
}
