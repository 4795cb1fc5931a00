package dev.ralph.tck;

import dev.ralph.spi.FrameStore;
import dev.ralph.spi.FrameStoreProvider;
import dev.ralph.spi.StoreConfig;
import java.nio.file.Path;
import java.util.Objects;

/** Opens {@link RamDiskStore}s. */
public final class RamDiskProvider implements FrameStoreProvider {

  static final String NAME = "ramdisk";

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public FrameStore open(StoreConfig config) {
    Path directory = Objects.requireNonNull(config.directory(), "directory");
    RamDisk disk = RamDisk.open(directory, config.mayCreate());
    return new RamDiskStore(directory, disk, config.clock());
  }
}
