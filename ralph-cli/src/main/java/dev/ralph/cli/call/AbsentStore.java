package dev.ralph.cli.call;

import dev.ralph.log.StoreInfo;
import dev.ralph.spi.ForwardingStore;
import dev.ralph.spi.StoreConfig;
import dev.ralph.store.memory.MemoryStoreProvider;

/** An empty store that passes for one that does not exist yet; it makes nothing. */
final class AbsentStore extends ForwardingStore {

  private final StoreAddress address;

  AbsentStore(StoreAddress address) {
    super(new MemoryStoreProvider().open(StoreConfig.in(null)));
    this.address = address;
  }

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
}
