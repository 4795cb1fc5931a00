package dev.ralph.tck;

import dev.ralph.RalphException;
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
    if (!config.mayCreate() && RamDisk.find(directory) == null) {
      throw RalphException.notFound("there is no store in " + directory);
    }
    RamDisk disk = RamDisk.in(directory);
    disk.lock(directory);
    return new RamDiskStore(directory, disk, config.clock());
  }
}
