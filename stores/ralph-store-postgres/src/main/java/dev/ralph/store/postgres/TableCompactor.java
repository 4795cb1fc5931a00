package dev.ralph.store.postgres;

import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * Removes the rows of erased frames and gives their space back. The row of a batch stays, so that a
 * repeated append of the batch is detected. Each step is a transaction of its own, so the process
 * may be killed at any time.
 */
final class TableCompactor {

  /**
   * While the table is rewritten, all other calls wait. The limits are shorter than the time for
   * which those calls wait for an answer.
   */
  private static final String LIMITS =
      "set local lock_timeout = '2s'; set local statement_timeout = '10s'; ";

  private final ConnectionPool connections;

  /** The schema as an SQL identifier. */
  private final String schema;

  TableCompactor(ConnectionPool connections, String schema) {
    this.connections = connections;
    this.schema = schema;
  }

  /** Compacts the tables; returns the number of bytes by which the tables became smaller. */
  long compact() {
    return connections.call(
        "compact the store",
        connection -> ConnectionPool.withoutTimeout(connection, this::compact));
  }

  private long compact(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      long before = size(statement);
      connection.setAutoCommit(false);
      removeErased(statement);
      connection.commit();
      rewrite(connection, statement);
      connection.setAutoCommit(true); // the server can't vacuum within a transaction
      for (String table : new String[] {"frame", "snapshot", "topic", "scope"}) {
        statement.execute("vacuum " + schema + "." + table);
      }
      return Math.max(0, before - size(statement));
    }
  }

  private long size(Statement statement) throws SQLException {
    try (ResultSet row =
        statement.executeQuery(
            "select sum(pg_total_relation_size(oid))::bigint from pg_class where relkind = 'r'"
                + " and relnamespace = to_regnamespace('"
                + schema
                + "')")) {
      row.next();
      return row.getLong(1);
    }
  }

  /** Deletes erased frames except the newest frame of a topic. One process at a time deletes. */
  private void removeErased(Statement statement) throws SQLException {
    statement.execute(PostgresFrameStore.LIMIT_IDLE_TIME);
    statement.execute("lock table " + schema + ".log in share update exclusive mode");
    statement.executeUpdate(
        "delete from "
            + schema
            + ".frame f where f.erased and not exists (select from "
            + schema
            + ".topic t where t.name = f.topic and t.last = f.position)");
  }

  /**
   * Writes the table and its indexes anew, in the order of positions. Leaves a table unchanged that
   * other transactions use for long, or that is too large for the time limit. New frames then fill
   * the space of the removed rows.
   */
  private void rewrite(Connection connection, Statement statement) throws SQLException {
    try {
      statement.execute(
          LIMITS
              + PostgresFrameStore.LIMIT_IDLE_TIME
              + "; cluster "
              + schema
              + ".frame using frame_pkey");
      connection.commit();
    } catch (SQLException e) {
      String state = String.valueOf(e.getSQLState());
      if (!state.equals("55P03") && !state.equals("57014")) { // lock not available, timeout
        throw e;
      }
      connection.rollback();
      System.getLogger(TableCompactor.class.getPackageName())
          .log(
              Level.WARNING,
              "the table "
                  + schema
                  + ".frame keeps its size, because the table could not be rewritten: "
                  + e.getMessage()
                  + "; new frames fill the space of removed rows. To shrink the table, run VACUUM"
                  + " FULL while no program uses the store");
    }
  }
}
