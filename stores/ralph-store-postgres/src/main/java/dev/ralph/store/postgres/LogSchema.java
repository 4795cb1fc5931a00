package dev.ralph.store.postgres;

import dev.ralph.log.RalphException;
import dev.ralph.spi.Scru128;
import dev.ralph.spi.StoreConfig;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Creates the tables of a log, and distinguishes them from tables of other programs. */
final class LogSchema {

  private static final int VERSION = 1;

  /** The oldest supported server, PostgreSQL 15, as {@code server_version_num}. */
  private static final int MIN_SERVER_VERSION = 150_000;

  private LogSchema() {}

  /**
   * Returns the store id of the log in a schema. Creates a missing log if the configuration allows.
   *
   * @throws RalphException NOT_FOUND if the log is missing and may not be created; INVALID if the
   *     schema holds other tables; UNSUPPORTED if a newer version of ralph created the log, or if
   *     the server is not a supported PostgreSQL
   */
  static String open(PostgresAddress address, ConnectionPool connections, StoreConfig config) {
    return connections.callOnce(
        "open " + address.shown(),
        connection -> {
          String found = find(connections, connection, address);
          if (found != null) {
            return found;
          }
          if (!config.mayCreate()) {
            throw RalphException.notFound(
                "there is no store at "
                    + address.shown()
                    + "; check the address, or start a session to create the store");
          }
          return create(connections, connection, address, new Scru128(config.clock()).next());
        });
  }

  private static @Nullable String find(
      ConnectionPool connections, Connection connection, PostgresAddress address)
      throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                "select version, store_id, pg_backend_pid() from "
                    + address.quotedSchema()
                    + ".log")) {
      if (!row.next()) {
        throw foreign(address);
      }
      if (row.getInt(1) > VERSION) {
        throw RalphException.unsupported(
            "a newer version of ralph created the store at "
                + address.shown()
                + " (format "
                + row.getInt(1)
                + "; this version supports "
                + VERSION
                + "); use the newer version");
      }
      connections.detectPooler(connection, row.getInt(3));
      return row.getString(2);
    } catch (SQLException e) {
      switch (String.valueOf(e.getSQLState())) {
        case "42P01": // undefined table or schema
          return null;
        case "42703": // undefined column
          throw foreign(address);
        default:
          throw e;
      }
    }
  }

  /** Reads the catalog, because a session may cache that a table is missing. */
  private static boolean hasLog(Connection connection, PostgresAddress address)
      throws SQLException {
    try (PreparedStatement asked =
        connection.prepareStatement(
            "select exists (select from pg_class where relnamespace = to_regnamespace(?)"
                + " and relname = 'log')")) {
      asked.setString(1, address.quotedSchema());
      try (ResultSet row = asked.executeQuery()) {
        row.next();
        return row.getBoolean(1);
      }
    }
  }

  private static RalphException foreign(PostgresAddress address) {
    return RalphException.invalid(
        "the schema "
            + address.schema()
            + " at "
            + address.shown()
            + " holds other tables; choose another schema with ?schema=NAME");
  }

  private static String create(
      ConnectionPool connections, Connection connection, PostgresAddress address, String id)
      throws SQLException {
    connection.setAutoCommit(false);
    try (Statement statement = connection.createStatement()) {
      // Only one of several concurrent processes creates the log.
      statement.execute(
          "select pg_advisory_xact_lock(1380011084, hashtext('" + address.schema() + "'))");
      if (hasLog(connection, address)) {
        connection.rollback();
        return Objects.requireNonNull(find(connections, connection, address), "log");
      }
      requirePostgres(statement);
      requireUtf8(statement);
      if (hasSchema(
          statement,
          address)) { // an administrator creates schemas for roles without that privilege
        requireEmpty(statement, address);
      } else {
        statement.execute("create schema " + address.quotedSchema());
      }
      statement.execute(text(address.quotedSchema()));
      statement.execute(
          "insert into "
              + address.quotedSchema()
              + ".log (version, store_id) values ("
              + VERSION
              + ", '"
              + id
              + "')");
      connection.commit();
      return Objects.requireNonNull(find(connections, connection, address), "log");
    }
  }

  /**
   * Rejects databases that only imitate PostgreSQL. Their locks differ, so two processes could
   * claim the same task.
   */
  private static void requirePostgres(Statement statement) throws SQLException {
    try (ResultSet row =
        statement.executeQuery(
            "select version(), current_setting('server_version_num')::int >= "
                + MIN_SERVER_VERSION)) {
      row.next();
      String version = row.getString(1);
      if (!version.startsWith("PostgreSQL ") || version.contains("CockroachDB")) {
        throw RalphException.unsupported(
            "the server is " + version + ", whose locks differ; use PostgreSQL 15 or later");
      }
      if (!row.getBoolean(2)) {
        throw RalphException.unsupported(
            "the server is " + version + ", which is too old; use PostgreSQL 15 or later");
      }
    }
  }

  private static void requireUtf8(Statement statement) throws SQLException {
    try (ResultSet row = statement.executeQuery("show server_encoding")) {
      row.next();
      if (!row.getString(1).equals("UTF8")) {
        throw RalphException.unsupported(
            "the database has the encoding "
                + row.getString(1)
                + ", which can't store all characters; create a database with the encoding UTF8");
      }
    }
  }

  private static boolean hasSchema(Statement statement, PostgresAddress address)
      throws SQLException {
    try (ResultSet row =
        statement.executeQuery(
            "select to_regnamespace('" + address.quotedSchema() + "') is not null")) {
      row.next();
      return row.getBoolean(1);
    }
  }

  private static void requireEmpty(Statement statement, PostgresAddress address)
      throws SQLException {
    try (ResultSet row =
        statement.executeQuery(
            "select exists (select from pg_class where relnamespace = to_regnamespace('"
                + address.quotedSchema()
                + "'))")) {
      row.next();
      if (row.getBoolean(1)) {
        throw foreign(address);
      }
    }
  }

  /** Returns the SQL that creates the tables and functions of a log in a schema. */
  static String text(String schema) {
    try (InputStream in = LogSchema.class.getResourceAsStream("schema.sql")) {
      return new String(
              Objects.requireNonNull(in, "schema.sql").readAllBytes(), StandardCharsets.UTF_8)
          .replace("${schema}", schema);
    } catch (IOException e) {
      throw new UncheckedIOException("can't read schema.sql in the library's jar", e);
    }
  }
}
