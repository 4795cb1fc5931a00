package dev.ralph.store.chronicle;

import dev.ralph.spi.FrameStoreProvider;
import dev.ralph.store.support.GitContract;

class GitCommandsTest extends GitContract {

  @Override
  protected FrameStoreProvider provider() {
    return new ChronicleStoreProvider();
  }
}
