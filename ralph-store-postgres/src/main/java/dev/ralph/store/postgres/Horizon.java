package dev.ralph.store.postgres;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Up to where nothing more will appear in the whole log. Appends to different scopes are not kept
 * waiting for each other, so a higher number may be seen before a lower one. Nobody who reads
 * several scopes goes beyond a number that is missing, before it is certain that it stays missing.
 */
final class Horizon {

  /** Most appends end within this time; a number that is missing longer was mostly given up. */
  private static final long PATIENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

  private final String walk;
  private final String settle;
  private final String last;
  private final ReentrantLock lock = new ReentrantLock();

  /** The number up to which everything is settled; -1 before that was ever asked. */
  private long settled = -1;

  private long lastPosition;

  Horizon(String schema) {
    this.walk =
        "with seen as (select position >> 10 as number, max(position) as last from "
            + schema
            + ".frame where position >= ? group by 1)"
            + " select max(number), max(last), (select max(number) from seen) from (select number,"
            + " last, row_number() over (order by number) as row from seen) s where number = ? + row";
    this.settle = "select " + schema + ".settle()";
    this.last = "select max(position) from " + schema + ".frame where position < ?";
  }

  /** Returns the position of the last frame that all are settled up to, 0 if there is none. */
  long position(Connection connection) throws SQLException {
    lock.lock();
    try {
      if (settled < 0) {
        settle(connection);
        return lastPosition;
      }
      long giveUp = System.nanoTime() + PATIENCE_NANOS;
      while (walk(connection)) {
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

  /** Goes on to the first number that is missing; returns whether there are others behind it. */
  private boolean walk(Connection connection) throws SQLException {
    try (PreparedStatement asked = connection.prepareStatement(walk)) {
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
