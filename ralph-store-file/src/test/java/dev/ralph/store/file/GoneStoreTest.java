package dev.ralph.store.file;

import dev.ralph.spi.FrameStoreProvider;
import dev.ralph.store.support.GoneStoreContract;

class GoneStoreTest extends GoneStoreContract {

  @Override
  protected FrameStoreProvider provider() {
    return new FileStoreProvider();
  }
}
