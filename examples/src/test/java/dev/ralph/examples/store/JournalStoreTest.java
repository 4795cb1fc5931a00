package dev.ralph.examples.store;

import dev.ralph.log.StoreInfo.Capability;
import dev.ralph.spi.FrameStoreProvider;
import dev.ralph.tck.FrameStoreConformance;
import dev.ralph.tck.StoreFixture;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** Runs the TCK on the journal store. */
class JournalStoreTest extends FrameStoreConformance {

  @Override
  protected StoreFixture fixture() {
    return new JournalFixture();
  }

  /** Describes the journal store to the TCK. */
  static final class JournalFixture implements StoreFixture {

    @Override
    public FrameStoreProvider provider() {
      return new JournalStoreProvider();
    }

    @Override
    public Set<Capability> capabilities() {
      return EnumSet.of(Capability.PERSISTENT, Capability.MINTS_IDS, Capability.SYNC);
    }

    @Override
    public List<Path> derivedFiles(Path directory) {
      return List.of(directory.resolve("snapshots"));
    }
  }
}
