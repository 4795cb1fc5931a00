package dev.ralph.store.postgres;

import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import javax.annotation.concurrent.GuardedBy;

/**
 * The time of the server, computed from its answers and {@link System#nanoTime()}. The clock never
 * goes back and is never behind the server's latest answer. The clock is ahead of the server by at
 * most the duration of the fastest request. Safe for use by many threads.
 */
final class ServerClock extends Clock {

  private final ReentrantLock lock = new ReentrantLock();

  /** The server's time minus {@link System#nanoTime()}, in nanoseconds. */
  @GuardedBy("lock")
  private long offset;

  /** The latest time that {@link #instant()} returned, in nanoseconds since 1970. */
  @GuardedBy("lock")
  private long latest;

  /**
   * Creates a clock from an answer of the server.
   *
   * @param server the server's time, in milliseconds since 1970
   * @param asked the value of {@link System#nanoTime()} before the request
   */
  ServerClock(long server, long asked) {
    this.offset = most(server, asked);
    this.latest = Long.MIN_VALUE;
  }

  /** Returns the largest possible offset: an answer without delay, at the end of a millisecond. */
  private static long most(long server, long asked) {
    return TimeUnit.MILLISECONDS.toNanos(server + 1) - asked;
  }

  /** Corrects the offset by a further answer; the parameters are those of the constructor. */
  void update(long server, long asked) {
    long least = TimeUnit.MILLISECONDS.toNanos(server) - System.nanoTime();
    long most = most(server, asked);
    lock.lock();
    try {
      if (offset < least || offset > most) {
        offset = most;
      }
    } finally {
      lock.unlock();
    }
  }

  @Override
  public Instant instant() {
    lock.lock();
    try {
      latest = Math.max(latest, System.nanoTime() + offset);
      return Instant.EPOCH.plusNanos(latest);
    } finally {
      lock.unlock();
    }
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
