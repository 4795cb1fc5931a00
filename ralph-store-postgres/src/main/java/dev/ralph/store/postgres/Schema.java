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

/** The tables of a log, made and told apart from those of others. */
final class Schema {

  private static final int VERSION = 1;

  /** PostgreSQL 15. */
  private static final int OLDEST = 150_000;

  private Schema() {}

  /**
   * Returns the id of the log in a schema, which is made if it may be.
   *
   * @throws RalphException NOT_FOUND if there is none; INVALID if the schema is somebody else's;
   *     UNSUPPORTED if a newer version made it
   */
  static String open(Address address, Connections connections, StoreConfig config) {
    return connections.once(
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
                    + "; give its address, or start a session there first");
          }
          return make(connections, connection, address, new Scru128(config.clock()).next());
        });
  }

  private static @Nullable String find(
      Connections connections, Connection connection, Address address) throws SQLException {
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
            "a newer version of ralph made the store at "
                + address.shown()
                + " (format "
                + row.getInt(1)
                + "; this one knows "
                + VERSION
                + "); use that one");
      }
      connections.meet(connection, row.getInt(3));
      return row.getString(2);
    } catch (SQLException e) {
      switch (String.valueOf(e.getSQLState())) {
        case "42P01": // no such table, perhaps no such schema
          return null;
        case "42703": // no such column
          throw foreign(address);
        default:
          throw e;
      }
    }
  }

  /** Asks the catalog, because names that a session found missing once are looked up later. */
  private static boolean isThere(Connection connection, Address address) throws SQLException {
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

  private static RalphException foreign(Address address) {
    return RalphException.invalid(
        "the schema "
            + address.schema()
            + " at "
            + address.shown()
            + " holds something else; name another one by ?schema=NAME");
  }

  private static String make(
      Connections connections, Connection connection, Address address, String id)
      throws SQLException {
    connection.setAutoCommit(false);
    try (Statement statement = connection.createStatement()) {
      // Of those who make it at the same time, one does.
      statement.execute(
          "select pg_advisory_xact_lock(1380011084, hashtext('" + address.schema() + "'))");
      if (isThere(connection, address)) {
        connection.rollback();
        return Objects.requireNonNull(find(connections, connection, address), "log");
      }
      requirePostgres(statement);
      requireUtf8(statement);
      if (isMade(statement, address)) { // by somebody who may, for a role that may not
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

  /** Others speak its protocol, and lock otherwise: two could claim the same. */
  private static void requirePostgres(Statement statement) throws SQLException {
    try (ResultSet row =
        statement.executeQuery(
            "select version(), current_setting('server_version_num')::int >= " + OLDEST)) {
      row.next();
      String version = row.getString(1);
      if (!version.startsWith("PostgreSQL ") || version.contains("CockroachDB")) {
        throw RalphException.unsupported(
            "the server is no PostgreSQL but " + version + ", whose locks are not the same");
      }
      if (!row.getBoolean(2)) {
        throw RalphException.unsupported(
            "the server is " + version + "; PostgreSQL 15 or later is needed");
      }
    }
  }

  private static void requireUtf8(Statement statement) throws SQLException {
    try (ResultSet row = statement.executeQuery("show server_encoding")) {
      row.next();
      if (!row.getString(1).equals("UTF8")) {
        throw RalphException.unsupported(
            "the database is encoded as "
                + row.getString(1)
                + ", which can't keep every text; make one that is encoded as UTF8");
      }
    }
  }

  private static boolean isMade(Statement statement, Address address) throws SQLException {
    try (ResultSet row =
        statement.executeQuery(
            "select to_regnamespace('" + address.quotedSchema() + "') is not null")) {
      row.next();
      return row.getBoolean(1);
    }
  }

  private static void requireEmpty(Statement statement, Address address) throws SQLException {
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

  /** Returns the SQL that makes the tables of a log in a schema. */
  static String text(String schema) {
    try (InputStream in = Schema.class.getResourceAsStream("schema.sql")) {
      return new String(
              Objects.requireNonNull(in, "schema.sql").readAllBytes(), StandardCharsets.UTF_8)
          .replace("${schema}", schema);
    } catch (IOException e) {
      throw new UncheckedIOException("the library's schema.sql can't be read", e);
    }
  }
}
