package dev.ralph.spring.boot;

import dev.ralph.log.RalphException;
import dev.ralph.spi.FrameStore;
import dev.ralph.store.postgres.PostgresStores;
import javax.sql.DataSource;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.util.ClassUtils;

/** An address {@code datasource:SCHEMA}: PostgreSQL behind the application's data source. */
final class DataSourceAddress {

  private static final String PREFIX = "datasource:";

  private DataSourceAddress() {}

  /** Returns whether an address names the application's data source. */
  static boolean isDataSource(String address) {
    return address.startsWith(PREFIX);
  }

  /**
   * Opens the store.
   *
   * @throws RalphException INVALID if the application has no unique data source or no PostgreSQL
   *     store; otherwise as {@link PostgresStores#of(DataSource, String)}
   */
  static FrameStore open(String address, ObjectProvider<DataSource> sources) {
    if (!ClassUtils.isPresent("dev.ralph.store.postgres.PostgresStores", null)) {
      throw RalphException.invalid(
          "ralph.store is "
              + address
              + ", but ralph-store-postgres is missing; add the module to the build");
    }
    DataSource source = sources.getIfUnique();
    if (source == null) {
      throw RalphException.invalid(
          "ralph.store is "
              + address
              + ", but the application has no unique DataSource bean; mark a bean as @Primary");
    }
    return PostgresStores.of(source, address.substring(PREFIX.length()));
  }
}
