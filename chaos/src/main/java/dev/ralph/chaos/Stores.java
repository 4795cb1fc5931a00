package dev.ralph.chaos;

import dev.ralph.spi.FrameStore;
import dev.ralph.spi.FrameStoreProvider;
import dev.ralph.spi.StoreConfig;
import java.nio.file.Path;
import java.util.ServiceLoader;

/** Opens stores by the name of their kind. */
final class Stores {

  private Stores() {}

  static FrameStore open(String kind, Path directory) {
    return open(kind, StoreConfig.in(directory));
  }

  static FrameStore openExisting(String kind, Path directory) {
    return open(kind, StoreConfig.in(directory).existing());
  }

  private static FrameStore open(String kind, StoreConfig config) {
    for (FrameStoreProvider provider : ServiceLoader.load(FrameStoreProvider.class)) {
      if (provider.name().equals(kind)) {
        return provider.open(config);
      }
    }
    throw new IllegalArgumentException("no store is of the kind " + kind);
  }
}
