package dev.ralph.store.support;

import dev.ralph.spi.FrameStore;
import dev.ralph.spi.FrameStoreProvider;
import dev.ralph.spi.StoreConfig;
import java.nio.file.Path;
import java.time.Clock;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** Tests for all stores built on this module, in addition to the TCK. */
public abstract class StoreContract {

  @TempDir Path temp;
  protected Path directory;

  protected abstract FrameStoreProvider provider();

  @BeforeEach
  final void name() {
    directory = temp.resolve("store");
  }

  final FrameStore open() {
    return open(directory);
  }

  final FrameStore open(Path folder) {
    return open(folder, Clock.systemUTC());
  }

  final FrameStore open(Path folder, Clock clock) {
    return provider().open(StoreConfig.in(folder).clock(clock));
  }
}
