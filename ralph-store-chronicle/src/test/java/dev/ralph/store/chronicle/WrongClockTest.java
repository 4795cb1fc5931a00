package dev.ralph.store.chronicle;

import dev.ralph.spi.FrameStoreProvider;
import dev.ralph.store.support.WrongClockContract;

class WrongClockTest extends WrongClockContract {

  @Override
  protected FrameStoreProvider provider() {
    return new ChronicleStoreProvider();
  }
}
