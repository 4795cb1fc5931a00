package dev.ralph.examples.store;

import dev.ralph.log.RalphException;
import dev.ralph.spi.FrameStore;
import dev.ralph.spi.FrameStoreProvider;
import dev.ralph.spi.StoreConfig;
import java.nio.file.Files;
import java.nio.file.Path;

/** Opens journal stores under the name {@code journal}. */
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
      throw RalphException.invalid("a journal needs a directory; set StoreConfig.directory");
    }
    if (!Files.exists(directory.resolve(JournalFile.NAME))) {
      checkIsFree(directory);
      if (!config.mayCreate()) {
        throw RalphException.notFound("no journal in " + directory);
      }
    }
    JournalFile file = JournalFile.open(directory);
    try {
      return new JournalStore(file, config.clock());
    } catch (RuntimeException e) {
      file.close();
      throw e;
    }
  }

  /**
   * Rejects a directory with foreign files. Permits the files of a journal that another process is
   * creating.
   */
  private static void checkIsFree(Path directory) {
    if (Files.exists(directory) && !Files.isDirectory(directory)) {
      throw RalphException.invalid(directory + " is a file; choose a directory");
    }
    String[] names = directory.toFile().list();
    for (String name : names == null ? new String[0] : names) {
      if (!JournalFile.FILES.contains(name)) {
        throw RalphException.invalid(
            directory + " contains " + name + " and no journal; choose an empty directory");
      }
    }
  }
}
