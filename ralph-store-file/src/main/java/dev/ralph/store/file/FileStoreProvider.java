package dev.ralph.store.file;

import dev.ralph.log.RalphException;
import dev.ralph.spi.FrameStore;
import dev.ralph.spi.FrameStoreProvider;
import dev.ralph.spi.Scru128;
import dev.ralph.spi.StoreConfig;
import dev.ralph.store.support.PrivateFiles;
import dev.ralph.store.support.StoreFiles;
import dev.ralph.store.support.StoreLock;
import dev.ralph.store.support.internal.folder.StoreFolder;
import dev.ralph.store.support.internal.folder.StoreRepository;
import dev.ralph.store.support.internal.segment.FrameTime;
import dev.ralph.store.support.internal.segment.LogWitness;
import java.nio.file.Path;
import java.util.List;

/** Opens stores of kind {@code file}: folders with the log as JSON lines. */
public final class FileStoreProvider implements FrameStoreProvider {

  static final String NAME = "file";
  static final String LOCK = "lock";

  /** Creates a provider, which has no state. */
  public FileStoreProvider() {}

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public FrameStore open(StoreConfig config) {
    Path given = config.directory();
    if (given == null) {
      throw RalphException.invalid("a file store needs a folder");
    }
    Path directory = StoreFolder.locate(given);
    Segments segments = new Segments(new StoreFiles(directory));
    if (segments.last() == 0) {
      create(config, directory, segments);
    }
    StoreRepository.requireOurs(directory);
    LogWitness witness = LogWitness.open(directory, segments);
    FileFrameStore store =
        new FileFrameStore(directory, segments, storeId(segments), witness, config.clock());
    store.finishErasure();
    return store;
  }

  private static void create(StoreConfig config, Path directory, Segments segments) {
    List<String> names = StoreFolder.names(directory);
    if (names.contains(Segments.LOG)) {
      StoreFolder.names(segments.directory()); // throws if the log exists and is not readable
    }
    if (segments.last() > 0) {
      return; // another process created the store; the names may include its files
    }
    for (String name : names) {
      if (!name.equals(Segments.LOG) && !StoreFolder.isMadeFirst(name)) {
        throw StoreFolder.foreign(directory, NAME, name);
      }
    }
    if (!config.mayCreate()) {
      throw RalphException.notFound(
          "there is no store at " + directory + "; give its path, or start a session there first");
    }
    long now = FrameTime.now(config.clock());
    PrivateFiles.createDirectories(directory);
    segments.files().createDirectories(segments.directory());
    StoreFolder.hideFromGit(directory);
    try (StoreLock lock = StoreLock.open(directory.resolve(LOCK))) {
      lock.acquire();
      try {
        String storeId = new Scru128(config.clock()).next();
        segments.create(Segments.FIRST, SegmentHeader.PLAIN, storeId, now, LogLine.NO_CHECKSUM);
      } finally {
        lock.release();
      }
    }
  }

  /**
   * Returns the store id in the newest readable header. A later version may have written the newest
   * segment, and its format is checked here.
   */
  private static String storeId(Segments segments) {
    SegmentHeader header = segments.newestHeader(segments.last());
    return header == null ? "unknown" : header.store(); // frames are readable without the id
  }
}
