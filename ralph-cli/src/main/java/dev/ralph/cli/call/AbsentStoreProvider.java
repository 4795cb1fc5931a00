package dev.ralph.cli.call;

import dev.ralph.log.StoreInfo;
import dev.ralph.spi.ForwardingStore;
import dev.ralph.spi.FrameStore;
import dev.ralph.spi.FrameStoreProvider;
import dev.ralph.spi.StoreConfig;
import dev.ralph.store.memory.MemoryStoreProvider;

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
    return new ForwardingStore(new MemoryStoreProvider().open(StoreConfig.in(null))) {
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
    };
  }
}
