package dev.ralph.cli.call;

import dev.ralph.log.StoreInfo;
import dev.ralph.log.StoreInfo.Capability;
import dev.ralph.spi.ForwardingStore;
import dev.ralph.spi.StoreConfig;
import dev.ralph.store.memory.MemoryStoreProvider;
import java.util.EnumSet;
import java.util.Set;

/** An empty store that replaces a store that does not exist yet. It creates no files. */
final class AbsentStore extends ForwardingStore {

  private final StoreAddress address;

  AbsentStore(StoreAddress address) {
    super(new MemoryStoreProvider().open(StoreConfig.in(null)));
    this.address = address;
  }

  @Override
  public StoreInfo info() {
    StoreInfo memory = super.info();
    Set<Capability> capabilities = EnumSet.of(Capability.MULTI_PROCESS); // required by previews
    capabilities.addAll(memory.capabilities());
    return new StoreInfo(
        memory.storeId(),
        address.place().kind(),
        address.location(),
        capabilities,
        memory.maxContentBytes(),
        memory.maxBatchFrames());
  }
}
