package dev.ralph.core.internal.loop.run;

import dev.ralph.spi.MovableClock;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.concurrent.atomic.AtomicReference;

/** A clock that only the test advances. */
public final class HandClock extends MovableClock {

  private final AtomicReference<Instant> now =
      new AtomicReference<>(Instant.parse("2026-01-31T09:05:00Z"));

  public void advance(Duration by) {
    now.updateAndGet(then -> then.plus(by));
    moved();
  }

  @Override
  public Instant instant() {
    return now.get();
  }

  @Override
  public ZoneId getZone() {
    return ZoneOffset.UTC;
  }

  @Override
  public Clock withZone(ZoneId zone) {
    return this;
  }
}
