package dev.ralph.tck;

import dev.ralph.log.StoreInfo.Capability;
import dev.ralph.spi.FrameStoreProvider;
import java.util.Set;

/** What the kit needs to know of a {@link RamDiskStore}, sound or broken. */
final class RamDiskFixture implements StoreFixture {

  private final FrameStoreProvider provider;

  RamDiskFixture(FrameStoreProvider provider) {
    this.provider = provider;
  }

  @Override
  public FrameStoreProvider provider() {
    return provider;
  }

  @Override
  public Set<Capability> capabilities() {
    return RamDiskStore.CAPABILITIES;
  }
}
