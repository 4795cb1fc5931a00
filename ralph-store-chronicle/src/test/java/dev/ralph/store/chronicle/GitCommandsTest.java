package dev.ralph.store.chronicle;

import dev.ralph.spi.FrameStoreProvider;
import dev.ralph.store.support.GitContract;
import org.junit.jupiter.api.Tag;

@Tag("slow")
class GitCommandsTest extends GitContract {

  @Override
  protected FrameStoreProvider provider() {
    return new ChronicleStoreProvider();
  }
}
