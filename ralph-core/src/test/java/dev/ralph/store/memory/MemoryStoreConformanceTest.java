package dev.ralph.store.memory;

import dev.ralph.log.StoreInfo.Capability;
import dev.ralph.spi.FrameStoreProvider;
import dev.ralph.spi.StoreConfig;
import dev.ralph.tck.FrameStoreConformance;
import dev.ralph.tck.StoreFixture;
import java.nio.file.Path;
import java.util.Set;

class MemoryStoreConformanceTest extends FrameStoreConformance {

  @Override
  protected StoreFixture fixture() {
    return new StoreFixture() {

      @Override
      public FrameStoreProvider provider() {
        return new MemoryStoreProvider();
      }

      @Override
      public Set<Capability> capabilities() {
        return Set.of(Capability.MINTS_IDS, Capability.ERASES);
      }

      @Override
      public StoreConfig place(Path temporary) {
        return StoreConfig.in(null);
      }
    };
  }
}
