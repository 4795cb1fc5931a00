package dev.ralph.tck;

import dev.ralph.log.StoreInfo.Capability;
import dev.ralph.spi.FrameStoreProvider;
import java.util.Set;

/** The fixture of {@link RamDiskStore}s, sound or broken. */
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
