package dev.ralph.store.postgres;

import dev.ralph.spi.FrameStore;
import dev.ralph.spi.StoreConfig;
import java.util.Objects;
import javax.sql.DataSource;

/** Opens PostgreSQL stores over the data source of a program. */
public final class PostgresStores {

  private PostgresStores() {}

  /**
   * Opens the log in the schema {@code ralph}. Creates the schema and the log if they are missing.
   *
   * @param dataSource connects to PostgreSQL; closing the store does not close the data source. The
   *     store uses up to four connections at once, and one more while the log has followers
   * @throws dev.ralph.log.RalphException as {@link dev.ralph.spi.FrameStoreProvider#open}
   */
  public static FrameStore of(DataSource dataSource) {
    return of(dataSource, PostgresAddress.DEFAULT_SCHEMA);
  }

  /**
   * Opens the log in a schema. Creates the schema and the log if they are missing.
   *
   * @param dataSource as for {@link #of(DataSource)}
   * @param schema the schema's name: 1 to 63 of the letters a-z, digits and {@code _}, not
   *     beginning with a digit or {@code pg_}
   * @throws dev.ralph.log.RalphException INVALID if the name is malformed; otherwise as {@link
   *     dev.ralph.spi.FrameStoreProvider#open}
   */
  public static FrameStore of(DataSource dataSource, String schema) {
    Objects.requireNonNull(dataSource, "dataSource");
    Objects.requireNonNull(schema, "schema");
    ConnectionPool connections = ConnectionPool.of(dataSource);
    return PostgresFrameStore.open(
        PostgresAddress.of(connections.url(), schema), connections, StoreConfig.in(null));
  }

  /**
   * Returns the SQL that creates the tables and functions of a log, for review by a database
   * administrator. Opening a store runs this SQL if the schema is missing or empty.
   *
   * @param schema the schema's name, as for {@link #of(DataSource, String)}
   * @throws dev.ralph.log.RalphException INVALID if the name is malformed
   */
  public static String sql(String schema) {
    return LogSchema.text(PostgresAddress.of(null, schema).quotedSchema());
  }
}
