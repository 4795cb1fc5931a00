package dev.ralph.store.postgres;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The position up to which the log is complete. Appends to different scopes commit in any order, so
 * a higher batch number may be visible before a lower one. A reader of several scopes stops at a
 * missing number until its append has committed or failed.
 */
final class CommitHorizon {

  /**
   * The time to poll for a missing number. Most numbers that are missing for longer belong to
   * failed appends.
   */
  private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

  private final String advance;
  private final String settle;
  private final String last;
  private final ReentrantLock lock = new ReentrantLock();

  /** The batch number up to which all appends have ended; -1 before the first read. */
  private long settled = -1;

  private long lastPosition;

  CommitHorizon(String schema) {
    this.advance =
        "with seen as (select position >> 10 as number, max(position) as last from "
            + schema
            + ".frame where position >= ? group by 1)"
            + " select max(number), max(last), (select max(number) from seen) from (select number,"
            + " last, row_number() over (order by number) as row from seen) s where number = ? + row";
    this.settle = "select " + schema + ".settle()";
    this.last = "select max(position) from " + schema + ".frame where position < ?";
  }

  /** Returns the position of the last frame up to the horizon; 0 for none. */
  long position(Connection connection) throws SQLException {
    lock.lock();
    try {
      if (settled < 0) {
        settle(connection);
        return lastPosition;
      }
      long giveUp = System.nanoTime() + POLL_NANOS;
      while (advance(connection)) {
        if (System.nanoTime() - giveUp >= 0) {
          settle(connection);
          return lastPosition;
        }
        Thread.onSpinWait();
      }
      return lastPosition;
    } finally {
      lock.unlock();
    }
  }

  /** Advances to the first missing number; returns whether a higher number is visible. */
  private boolean advance(Connection connection) throws SQLException {
    try (PreparedStatement asked = connection.prepareStatement(advance)) {
      asked.setLong(1, (settled + 1) << 10);
      asked.setLong(2, settled);
      try (ResultSet row = asked.executeQuery()) {
        row.next();
        long highest = row.getLong(3);
        if (row.getObject(1) != null) {
          settled = row.getLong(1);
          lastPosition = row.getLong(2);
        }
        return highest > settled;
      }
    }
  }

  /** Waits for all appends that have drawn a number, and advances to the last number drawn. */
  private void settle(Connection connection) throws SQLException {
    long number;
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(settle)) {
      row.next();
      number = row.getLong(1);
    }
    try (PreparedStatement asked = connection.prepareStatement(last)) {
      asked.setLong(1, (number + 1) << 10);
      try (ResultSet row = asked.executeQuery()) {
        row.next();
        lastPosition = row.getLong(1);
      }
    }
    settled = number;
  }
}
