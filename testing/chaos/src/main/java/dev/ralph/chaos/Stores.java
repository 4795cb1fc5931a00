package dev.ralph.chaos;

import dev.ralph.internal.StoreLocation;
import dev.ralph.spi.FrameStore;
import dev.ralph.spi.FrameStoreProvider;
import dev.ralph.spi.StoreConfig;
import java.nio.file.Path;
import java.util.ServiceLoader;

/** Opens stores by address. */
final class Stores {

  private Stores() {}

  /** Returns the address of a store in a folder. */
  static String address(String kind, Path directory) {
    return kind + ":" + directory;
  }

  static FrameStore open(String kind, Path directory) {
    return open(address(kind, directory));
  }

  static FrameStore openExisting(String kind, Path directory) {
    return open(kind, StoreConfig.in(directory).existing());
  }

  static FrameStore open(String address) {
    return open(StoreLocation.of(address).kind(), StoreConfig.at(address));
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
