package dev.ralph.store.file;

import dev.ralph.spi.FrameStoreProvider;
import dev.ralph.store.support.LinksContract;

class LinksTest extends LinksContract {

  @Override
  protected FrameStoreProvider provider() {
    return new FileStoreProvider();
  }
}
