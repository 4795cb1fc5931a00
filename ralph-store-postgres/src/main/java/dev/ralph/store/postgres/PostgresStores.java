package dev.ralph.store.postgres;

import dev.ralph.spi.FrameStore;
import dev.ralph.spi.StoreConfig;
import java.util.Objects;
import javax.sql.DataSource;

/** Opens logs by a data source that a program has already. */
public final class PostgresStores {

  private PostgresStores() {}

  /**
   * Opens the log in the schema {@code ralph}, made if it is missing.
   *
   * @param dataSource of connections to PostgreSQL; it stays the caller's. Up to four are used at
   *     once, and one more for as long as somebody follows the log
   */
  public static FrameStore of(DataSource dataSource) {
    return of(dataSource, Address.USUAL_SCHEMA);
  }

  /**
   * Opens the log in a schema, made if it is missing.
   *
   * @param dataSource as {@link #of(DataSource)} takes it
   * @param schema its name: letters a-z, digits and {@code _}
   * @throws dev.ralph.log.RalphException INVALID if the name is none of these; else as {@link
   *     dev.ralph.spi.FrameStoreProvider#open}
   */
  public static FrameStore of(DataSource dataSource, String schema) {
    Objects.requireNonNull(dataSource, "dataSource");
    Objects.requireNonNull(schema, "schema");
    Connections connections = Connections.of(dataSource);
    return PostgresFrameStore.open(
        Address.of(connections.url(), schema), connections, StoreConfig.in(null));
  }

  /**
   * Returns the SQL that makes the tables and functions of a log, to be read by those who look
   * after the database. It is run when a log is first opened in a schema that is empty or not
   * there.
   *
   * @param schema as {@link #of(DataSource, String)} takes it
   */
  public static String sql(String schema) {
    return Schema.text(Address.of(null, schema).quotedSchema());
  }
}
