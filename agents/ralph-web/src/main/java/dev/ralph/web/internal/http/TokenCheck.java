package dev.ralph.web.internal.http;

import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * The check of a token, shared by the token's event streams: each stream asks once per second, and
 * a successful check answers all streams for a while. Safe for use by many threads.
 */
final class TokenCheck {

  /** The time for which a successful check stays valid. */
  static final Duration TRUST = Duration.ofMillis(500);

  private final LongSupplier nanoTime;
  private final ReentrantLock lock = new ReentrantLock();

  // Guarded by the lock.
  private boolean wasValid;
  private long checkedAt;

  /**
   * Creates a check that was never made.
   *
   * @param nanoTime returns the time as {@link System#nanoTime} does
   */
  TokenCheck(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  /**
   * Returns whether the token is valid.
   *
   * @param check checks the token; not called if the last successful check is still trusted
   */
  boolean isValid(BooleanSupplier check) {
    lock.lock();
    try {
      if (!wasValid || nanoTime.getAsLong() - checkedAt >= TRUST.toNanos()) {
        checkedAt = nanoTime.getAsLong();
        wasValid = check.getAsBoolean();
      }
      return wasValid;
    } finally {
      lock.unlock();
    }
  }
}
