package dev.ralph.cli;

import dev.ralph.spi.FrameStore;
import dev.ralph.spi.FrameStoreProvider;
import dev.ralph.spi.StoreConfig;
import dev.ralph.store.file.FileStoreProvider;

/** A store that its user has put beside the command, in a jar of its own. */
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
