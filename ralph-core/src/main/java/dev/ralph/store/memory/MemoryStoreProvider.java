package dev.ralph.store.memory;

import dev.ralph.log.RalphException;
import dev.ralph.spi.FrameStore;
import dev.ralph.spi.FrameStoreProvider;
import dev.ralph.spi.StoreConfig;

/** Opens memory stores. Each opened store is new and empty. */
public final class MemoryStoreProvider implements FrameStoreProvider {

  static final String NAME = "memory";

  /** Creates the provider. */
  public MemoryStoreProvider() {}

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public FrameStore open(StoreConfig config) {
    Object place = config.server() == null ? config.directory() : config.server();
    if (place != null) {
      throw RalphException.invalid(
          "a memory store has no location; remove " + place + ", or use a different kind of store");
    }
    if (!config.mayCreate()) {
      throw RalphException.notFound(
          "a memory store ends with its program and can't be reopened; allow its creation");
    }
    return new MemoryFrameStore(config.clock());
  }
}
