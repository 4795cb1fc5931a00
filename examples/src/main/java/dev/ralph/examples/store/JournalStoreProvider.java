package dev.ralph.examples.store;

import dev.ralph.RalphException;
import dev.ralph.spi.FrameStore;
import dev.ralph.spi.FrameStoreProvider;
import dev.ralph.spi.StoreConfig;
import java.nio.file.Files;
import java.nio.file.Path;

/** Opens journal stores, under the name {@code journal}. */
public final class JournalStoreProvider implements FrameStoreProvider {

  static final String NAME = "journal";

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public FrameStore open(StoreConfig config) {
    Path directory = config.directory();
    if (directory == null) {
      throw RalphException.invalid("a journal needs a directory; give it one");
    }
    if (!config.mayCreate() && !Files.exists(directory.resolve(JournalFile.NAME))) {
      throw RalphException.notFound("there is no journal in " + directory);
    }
    JournalFile file = JournalFile.open(directory);
    try {
      return new JournalStore(file, config.clock());
    } catch (RuntimeException e) {
      file.close();
      throw e;
    }
  }
}
