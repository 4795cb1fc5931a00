package dev.ralph.store.chronicle;

import dev.ralph.spi.FrameStoreProvider;
import dev.ralph.store.support.LeftFilesContract;

class LeftFilesTest extends LeftFilesContract {

  @Override
  protected FrameStoreProvider provider() {
    return new ChronicleStoreProvider();
  }
}
