package dev.ralph.store.postgres;

import java.lang.System.Logger.Level;
import java.sql.SQLException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/** Tells once that a server can't be reached, where that lasts, and once that it can be again. */
final class Outage {

  private static final System.Logger LOG = System.getLogger(Outage.class.getPackageName());
  private static final long UNTOLD_NANOS = TimeUnit.SECONDS.toNanos(2);

  private final ReentrantLock lock = new ReentrantLock();
  private long since;
  private boolean isTold;

  /** Asked after each call, so without the lock. */
  private volatile boolean isOut;

  void goesOn(SQLException why) {
    lock.lock();
    try {
      if (!isOut) {
        since = System.nanoTime();
        isOut = true;
      } else if (!isTold && System.nanoTime() - since >= UNTOLD_NANOS) {
        isTold = true;
        LOG.log(
            Level.WARNING, "PostgreSQL can't be reached, and is waited for: " + why.getMessage());
      }
    } finally {
      lock.unlock();
    }
  }

  void ended() {
    if (!isOut) {
      return;
    }
    lock.lock();
    try {
      if (isTold) {
        long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - since);
        LOG.log(Level.INFO, "PostgreSQL is reached again, after " + seconds + " s");
      }
      isOut = false;
      isTold = false;
    } finally {
      lock.unlock();
    }
  }
}
