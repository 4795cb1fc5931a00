package dev.ralph.store.chronicle;

import dev.ralph.log.StoreInfo.Capability;
import dev.ralph.spi.FrameStoreProvider;
import dev.ralph.tck.FrameStoreConformance;
import dev.ralph.tck.StoreFixture;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

class ChronicleStoreConformanceTest extends FrameStoreConformance {

  @Override
  protected StoreFixture fixture() {
    return new StoreFixture() {

      @Override
      public FrameStoreProvider provider() {
        return new ChronicleStoreProvider();
      }

      @Override
      public Set<Capability> capabilities() {
        return EnumSet.complementOf(EnumSet.of(Capability.ERASES, Capability.COMPACTS));
      }

      @Override
      public List<Path> derivedFiles(Path directory) {
        return List.of(directory.resolve("derived"));
      }

      @Override
      public List<String> jvmArguments() {
        return JvmFlags.needed();
      }
    };
  }
}
