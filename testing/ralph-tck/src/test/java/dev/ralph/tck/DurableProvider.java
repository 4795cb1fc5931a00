package dev.ralph.tck;

import dev.ralph.log.RalphException;
import dev.ralph.spi.FrameStore;
import dev.ralph.spi.FrameStoreProvider;
import dev.ralph.spi.Scru128;
import dev.ralph.spi.StoreConfig;
import dev.ralph.store.support.PrivateFiles;
import dev.ralph.store.support.StoreLock;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;

/**
 * Opens {@link DurableStore}s. A system property selects their defect, so that other processes and
 * class loaders have the same defect.
 */
public final class DurableProvider implements FrameStoreProvider {

  static final String NAME = "durable";
  static final String MISTAKE = "ralph.tck.durable.mistake";

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public FrameStore open(StoreConfig config) {
    DurableMistake mistake = DurableMistake.valueOf(System.getProperty(MISTAKE, "NONE"));
    Path directory = Objects.requireNonNull(config.directory(), "directory");
    if (!config.mayCreate() && !Files.exists(directory.resolve("id"))) {
      throw RalphException.notFound("there is no store in " + directory);
    }
    PrivateFiles.createDirectories(directory);
    DurableLock lock = DurableLock.open(directory, mistake);
    return new DurableStore(directory, storeId(directory, config), lock, mistake, config.clock());
  }

  private static String storeId(Path directory, StoreConfig config) {
    Path file = directory.resolve("id");
    try (StoreLock making = StoreLock.open(directory.resolve("making"))) {
      making.acquire();
      try {
        if (!Files.exists(file)) {
          String id = new Scru128(config.clock()).next();
          PrivateFiles.writeAtomically(file, id.getBytes(StandardCharsets.UTF_8), false);
        }
        return Files.readString(file);
      } finally {
        making.release();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
