package dev.ralph.cli;

import dev.ralph.spi.FrameStore;
import dev.ralph.spi.FrameStoreProvider;
import dev.ralph.spi.StoreConfig;
import dev.ralph.store.file.FileStoreProvider;

/** A third-party store in a separate jar, which a user adds to the installation. */
public final class PluggedStoreProvider implements FrameStoreProvider {

  @Override
  public String name() {
    return "plugged";
  }

  @Override
  public FrameStore open(StoreConfig config) {
    return new FileStoreProvider().open(config);
  }
}
