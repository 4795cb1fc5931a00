package dev.ralph.store.postgres;

import dev.ralph.log.RalphException;
import dev.ralph.spi.FrameStore;
import dev.ralph.spi.FrameStoreProvider;
import dev.ralph.spi.StoreConfig;

/** Opens stores of kind {@code postgres}: a schema of a PostgreSQL database. */
public final class PostgresStoreProvider implements FrameStoreProvider {

  static final String NAME = "postgres";

  /** Makes the provider; it has no state. */
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
          "a store on PostgreSQL is in no folder; write postgres://USER@HOST:PORT/DATABASE");
    }
    Address address = Address.of(server);
    return PostgresFrameStore.open(address, Connections.to(address), config);
  }
}
