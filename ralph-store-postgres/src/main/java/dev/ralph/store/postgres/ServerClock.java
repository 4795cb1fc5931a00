package dev.ralph.store.postgres;

import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import javax.annotation.concurrent.GuardedBy;

/**
 * The time of the server, as far as its answers tell: by the machine's even time in between. It is
 * never behind what the server has answered by then, nor goes back, and is ahead by no more than
 * the quickest answer took. Safe for use by many threads.
 */
final class ServerClock extends Clock {

  private final ReentrantLock lock = new ReentrantLock();

  /** What the server's time is ahead of the machine's even one, in nanoseconds. */
  @GuardedBy("lock")
  private long ahead;

  /** The latest time that was told. */
  @GuardedBy("lock")
  private long told;

  /**
   * @param server the time that the server answered, in milliseconds since 1970
   * @param asked when it was asked, in nanoseconds of the machine's even time
   */
  ServerClock(long server, long asked) {
    this.ahead = most(server, asked);
    this.told = Long.MIN_VALUE;
  }

  /** The server may have answered as soon as it was asked, and at the end of that millisecond. */
  private static long most(long server, long asked) {
    return TimeUnit.MILLISECONDS.toNanos(server + 1) - asked;
  }

  /** Takes note of another answer; see {@link #ServerClock}. */
  void heard(long server, long asked) {
    long least = TimeUnit.MILLISECONDS.toNanos(server) - System.nanoTime();
    long most = most(server, asked);
    lock.lock();
    try {
      if (ahead < least || ahead > most) {
        ahead = most;
      }
    } finally {
      lock.unlock();
    }
  }

  @Override
  public Instant instant() {
    lock.lock();
    try {
      told = Math.max(told, System.nanoTime() + ahead);
      return Instant.EPOCH.plusNanos(told);
    } finally {
      lock.unlock();
    }
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
