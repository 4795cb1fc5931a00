package dev.ralph.store.postgres;

import dev.ralph.log.RalphException;
import dev.ralph.spi.FrameStore;
import dev.ralph.spi.FrameStoreProvider;
import dev.ralph.spi.StoreConfig;

/** Opens stores of kind {@code postgres}, which are schemas of PostgreSQL databases. */
public final class PostgresStoreProvider implements FrameStoreProvider {

  static final String NAME = "postgres";

  /** Creates a provider. Providers have no state. */
  public PostgresStoreProvider() {}

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public FrameStore open(StoreConfig config) {
    String server = config.server();
    if (server == null) {
      throw RalphException.invalid(
          "a PostgreSQL store has no folder; write postgres://USER@HOST:PORT/DATABASE");
    }
    PostgresAddress address = PostgresAddress.of(server);
    return PostgresFrameStore.open(address, ConnectionPool.to(address), config);
  }
}
