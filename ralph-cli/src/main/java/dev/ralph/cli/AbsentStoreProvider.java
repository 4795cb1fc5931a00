package dev.ralph.cli;

import dev.ralph.StoreInfo;
import dev.ralph.core.Ralph;
import dev.ralph.spi.ForwardingStore;
import dev.ralph.spi.FrameStore;
import dev.ralph.spi.FrameStoreProvider;
import dev.ralph.spi.StoreConfig;

/** Opens an empty store that passes for one that does not exist yet, and makes nothing. */
final class AbsentStoreProvider implements FrameStoreProvider {

  private final StoreAddress address;

  AbsentStoreProvider(StoreAddress address) {
    this.address = address;
  }

  @Override
  public String name() {
    return address.kind();
  }

  @Override
  public FrameStore open(StoreConfig config) {
    Ralph empty = Ralph.inMemory();
    return new ForwardingStore(empty.store()) {
      @Override
      public StoreInfo info() {
        StoreInfo memory = super.info();
        return StoreInfo.of(
            memory.storeId(),
            address.kind(),
            address.location(),
            memory.capabilities(),
            memory.maxContentBytes(),
            memory.maxBatchFrames());
      }

      @Override
      public void close() {
        empty.close();
      }
    };
  }
}
