package dev.ralph.store.postgres;

import java.lang.System.Logger.Level;
import java.sql.SQLException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/** Logs the beginning and the end of a longer outage of the server, once each. */
final class OutageReporter {

  private static final System.Logger LOG = System.getLogger(OutageReporter.class.getPackageName());
  private static final long REPORT_AFTER_NANOS = TimeUnit.SECONDS.toNanos(2);

  private final ReentrantLock lock = new ReentrantLock();
  private long since;
  private boolean isReported;

  /** Volatile, because each call reads this flag without the lock. */
  private volatile boolean isOut;

  /** Records a transient failure. */
  void failed(SQLException e) {
    lock.lock();
    try {
      if (!isOut) {
        since = System.nanoTime();
        isOut = true;
      } else if (!isReported && System.nanoTime() - since >= REPORT_AFTER_NANOS) {
        isReported = true;
        LOG.log(Level.WARNING, "can't reach PostgreSQL, retrying: " + e.getMessage());
      }
    } finally {
      lock.unlock();
    }
  }

  /** Records a successful call. */
  void succeeded() {
    if (!isOut) {
      return;
    }
    lock.lock();
    try {
      if (isReported) {
        long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - since);
        LOG.log(Level.INFO, "PostgreSQL is reachable again after " + seconds + " s");
      }
      isOut = false;
      isReported = false;
    } finally {
      lock.unlock();
    }
  }
}
