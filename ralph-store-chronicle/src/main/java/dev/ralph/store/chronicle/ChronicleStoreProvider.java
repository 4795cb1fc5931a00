package dev.ralph.store.chronicle;

import dev.ralph.log.DamagedException;
import dev.ralph.log.Meta;
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
import dev.ralph.store.support.internal.segment.LogWitness;
import dev.ralph.store.support.internal.segment.SegmentPosition;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.OptionalLong;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Opens stores of kind {@code chronicle}, which are folders with a Chronicle queue. The JVM must be
 * started with the arguments of {@link #jvmArguments()}; otherwise {@link #open} fails and names
 * them.
 */
public final class ChronicleStoreProvider implements FrameStoreProvider {

  static final String NAME = "chronicle";
  private static final int FORMAT = 1;
  private static final String HEADER = "store.json";
  private static final String HEADER_COPY = "store.json.copy";
  private static final int LONGEST_HEADER = 4096;
  private static final String LOCK = "lock";
  private static final String END = "end";

  private static final List<String> MADE_BEFORE_HEADER = List.of(RollFiles.QUEUE, WakeFile.WAKE);

  /** The last member of the header: the checksum of the header without this member. */
  private static final String CHECKSUM = ",\"crc\":\"";

  /** Creates a provider. Providers have no state. */
  public ChronicleStoreProvider() {}

  @Override
  public String name() {
    return NAME;
  }

  /** Returns the arguments that this version of the JVM needs to run the store. */
  public static List<String> jvmArguments() {
    return JvmFlags.needed();
  }

  @Override
  public FrameStore open(StoreConfig config) {
    JvmFlags.check();
    Path given = config.directory();
    if (given == null) {
      throw RalphException.invalid("a chronicle store needs a folder");
    }
    Path directory = StoreFolder.locate(given);
    if (!StoreFolder.exists(directory.resolve(HEADER))
        && !StoreFolder.exists(directory.resolve(HEADER_COPY))) {
      create(config, directory);
    }
    StoreRepository.requireOurs(directory);
    StoreFiles all = new StoreFiles(directory);
    String storeId = restoredStoreId(all);
    StoreLock lock = StoreLock.open(directory.resolve(LOCK));
    boolean done = false;
    try {
      LogEnd end = LogEnd.open(directory.resolve(END));
      RollFiles files = new RollFiles(all, end, new BatchExcerpt.Format(storeId));
      if (!end.isValid()) {
        findEnd(files, lock);
      }
      WakeFile wake = new WakeFile(all, end);
      LogWitness witness = LogWitness.open(directory, files);
      witness.keep();
      StoreRepository.keep(directory, lock);
      FrameStore store =
          new ChronicleFrameStore(directory, files, storeId, lock, witness, wake, config.clock());
      done = true;
      return store;
    } finally {
      if (!done) {
        lock.close();
      }
    }
  }

  private static void create(StoreConfig config, Path directory) {
    List<String> names = StoreFolder.names(directory);
    if (StoreFolder.exists(directory.resolve(HEADER))) {
      return; // another process has created the store, perhaps with some of these names
    }
    QueueKeeper.requireLibrary();
    if (names.contains(END) && names.contains(RollFiles.QUEUE)) {
      throw damaged(directory.resolve(HEADER), null);
    }
    for (String name : names) {
      // the header's temporary file may exist while another process creates this store
      boolean isOwn = MADE_BEFORE_HEADER.contains(name) || StoreFolder.isMadeFirst(name);
      if (!isOwn && !name.startsWith(HEADER)) {
        throw StoreFolder.foreign(directory, NAME, name);
      }
    }
    if (!config.mayCreate()) {
      throw RalphException.notFound(
          "there is no store at " + directory + "; give its path, or start a session there first");
    }
    PrivateFiles.createDirectories(directory);
    for (String folder : MADE_BEFORE_HEADER) {
      new StoreFiles(directory).createDirectories(directory.resolve(folder));
    }
    StoreFolder.hideFromGit(directory);
    try (StoreLock lock = StoreLock.open(directory.resolve(LOCK))) {
      lock.acquire();
      try {
        Path header = directory.resolve(HEADER);
        if (!header.toFile().exists()) {
          String text =
              Meta.of("ralph", NAME)
                  .with("format", FORMAT)
                  .with("store", new Scru128(config.clock()).next())
                  .with("created", config.clock().instant().toString())
                  .json();
          PrivateFiles.writeAtomically(
              header, (checksummed(text) + "\n").getBytes(StandardCharsets.UTF_8), true);
        }
      } finally {
        lock.release();
      }
    }
  }

  /**
   * Returns the store's id. Without the id no frame can be read, so a damaged header is restored
   * from a copy.
   */
  private static String restoredStoreId(StoreFiles files) {
    Path header = files.path(HEADER);
    Path copy = files.path(HEADER_COPY);
    try {
      String storeId = storeId(files, header);
      if (!StoreFolder.exists(copy)) {
        copy(files, header, copy);
      }
      return storeId;
    } catch (DamagedException e) {
      if (!StoreFolder.exists(copy)) {
        throw e;
      }
      String storeId = storeId(files, copy);
      copy(files, copy, header);
      System.getLogger(ChronicleStoreProvider.class.getName())
          .log(
              System.Logger.Level.WARNING,
              "{0} was damaged, and is restored from {1}",
              header,
              HEADER_COPY);
      return storeId;
    }
  }

  private static void copy(StoreFiles files, Path from, Path to) {
    try {
      byte[] header = files.read(from, LONGEST_HEADER);
      if (header != null) {
        files.writeAtomically(to, header, true);
      }
    } catch (IOException e) {
      throw PrivateFiles.failure("cannot read " + from, e);
    }
  }

  private static String storeId(StoreFiles files, Path header) {
    Meta meta = meta(files, header);
    String kind = meta.string("ralph");
    if (kind != null && !kind.equals(NAME)) {
      throw RalphException.invalid(
          header
              + " belongs to a store of kind "
              + RalphException.quote(kind)
              + ", not "
              + NAME
              + "; check the store's address");
    }
    OptionalLong format = meta.integer("format");
    if (format.isPresent() && format.getAsLong() != FORMAT) {
      throw RalphException.unsupported(
          header
              + " has format "
              + format.getAsLong()
              + ", unsupported by this version; use a newer version");
    }
    String storeId = meta.string("store");
    if (kind == null || format.isEmpty() || storeId == null) {
      throw damaged(header, null);
    }
    return storeId;
  }

  /** Returns the header with a checksum, because a wrong id would make all frames unreadable. */
  private static String checksummed(String json) {
    CRC32C crc = new CRC32C();
    crc.update(json.getBytes(StandardCharsets.UTF_8));
    String open = json.substring(0, json.length() - 1);
    return open + CHECKSUM + HexFormat.of().toHexDigits((int) crc.getValue()) + "\"}";
  }

  private static Meta meta(StoreFiles files, Path header) {
    try {
      byte[] bytes = files.read(header, LONGEST_HEADER);
      if (bytes == null) {
        throw damaged(header, null);
      }
      String text = new String(bytes, StandardCharsets.UTF_8).strip();
      int at = text.lastIndexOf(CHECKSUM); // the first stores had no checksum
      if (at >= 0 && !checksummed(text.substring(0, at) + "}").equals(text)) {
        throw damaged(header, null);
      }
      return Meta.parse(text);
    } catch (FileNotFoundException e) {
      throw damaged(header, null);
    } catch (IOException e) {
      throw PrivateFiles.failure("cannot read " + header, e);
    } catch (DamagedException e) {
      throw e;
    } catch (RalphException e) {
      throw damaged(header, e);
    }
  }

  private static RalphException damaged(Path header, @Nullable RalphException cause) {
    return RalphException.damaged(
        header
            + (header.toFile().exists() ? " is damaged" : " is missing")
            + ", so the log cannot be read; restore the file from a backup",
        cause);
  }

  /** Returns whether a log can end at a position, because the file may be forged. */
  private static boolean isPossible(RollFiles files, long position) {
    int cycle = SegmentPosition.segment(position);
    return cycle <= RollFiles.LAST_DAY
        && (!files.exists(cycle) || SegmentPosition.offset(position) <= files.file(cycle).length());
  }

  /**
   * Finds the end of the log in the newest roll file. Required if the system has restarted or the
   * file {@code end} is damaged.
   *
   * <p>Missing bytes before the last recorded end are damage. Unreadable bytes after the recorded
   * end are the rest of a batch that was never acknowledged. They are not damage, and are kept.
   */
  private static void findEnd(RollFiles files, StoreLock lock) {
    LogEnd end = files.end();
    lock.acquire();
    try {
      if (end.isValid()) {
        return; // another process has found the end
      }
      long position = 0;
      long frames = 0;
      int left = 0;
      for (int cycle = files.newestFile();
          cycle > 0 && position == 0;
          cycle = files.before(cycle)) {
        try (ExcerptReader reader = ExcerptReader.ignoringLogEnd(files, cycle, 0)) {
          while (reader.next() != null) {
            position = reader.position();
            frames = reader.frames();
          }
          if (reader.endOfBytes() > SegmentPosition.offset(reader.position())) {
            files.setAside(cycle);
            left = Math.max(left, cycle);
          }
        }
      }
      if (end.highest() > position && isPossible(files, end.highest())) {
        position = end.highest();
        frames = end.frames();
      }
      int abandoned = end.abandoned() > files.newestFile() ? 0 : end.abandoned();
      end.reset(position, frames, Math.max(left, abandoned));
    } finally {
      lock.release();
    }
  }
}
