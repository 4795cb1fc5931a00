package dev.ralph.tck;

import static dev.ralph.tck.internal.Reading.take;

import dev.ralph.log.Damage;
import dev.ralph.log.Draft;
import dev.ralph.log.Frame;
import dev.ralph.log.LockedException;
import dev.ralph.log.Position;
import dev.ralph.log.RalphException;
import dev.ralph.spi.Scru128;
import dev.ralph.spi.Snapshot;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.AsynchronousFileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Clock;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The content of a {@link RamDiskStore} after it is closed, kept in memory by directory, so that
 * tests can change it like a bad disk. A file contains the same for other processes.
 */
final class RamDisk {

  private static final String LOCK = "lock";
  private static final String LOG = "log";
  private static final Map<Path, RamDisk> DISKS = new ConcurrentHashMap<>();

  final List<Frame> log = new ArrayList<>();
  final Map<String, List<Frame>> batches = new LinkedHashMap<>();
  final Map<Snapshot.Key, Snapshot> snapshots = new HashMap<>();
  String storeId = "";
  String lastMinted = "";
  private @Nullable DurableFile file;

  /** The offset up to which the file has been read. */
  private long readTo;

  private @Nullable AsynchronousFileChannel locked;

  /**
   * Returns the content of a directory, created if missing, and locks it against this and other
   * processes until {@link #unlock()}.
   */
  static RamDisk open(Path given, boolean mayCreate) {
    Path directory = given.toAbsolutePath().normalize();
    if (!Files.exists(directory.resolve(LOG))) {
      String[] names = directory.toFile().list();
      if (names != null && !List.of(LOCK, LOG).containsAll(List.of(names))) {
        throw RalphException.invalid(directory + " is no RAM disk");
      }
      if (!mayCreate) {
        throw RalphException.notFound("there is no store in " + directory);
      }
    }
    RamDisk disk = DISKS.computeIfAbsent(directory, made -> new RamDisk());
    disk.lock(directory);
    disk.load(new DurableFile(directory.resolve(LOG)));
    return disk;
  }

  /** Reads the records of other processes, or initializes the file. */
  private synchronized void load(DurableFile opened) {
    file = opened;
    if (opened.length() == 0) {
      storeId = new Scru128(Clock.systemUTC()).next();
      write(storeId, List.of());
    }
    readTo =
        opened.read(
            readTo,
            new DurableFile.Reading() {
              @Override
              public void batch(DurableFile.Stored batch) {
                take(batch);
              }

              @Override
              public void damage(Damage damage, DurableFile.@Nullable Stored guess) {}
            });
  }

  private void take(DurableFile.Stored batch) {
    if (storeId.isEmpty()) {
      storeId = batch.batchId(); // the first record contains the store's id instead of a batch
      return;
    }
    lastMinted = batch.lastMinted();
    List<Frame> frames = new ArrayList<>();
    for (Frame f : batch.frames()) {
      Draft draft = Draft.imported(f.id(), f.time(), f.topic(), f.meta(), f.content());
      Position position = Position.of(log.size() + frames.size() + 1L);
      frames.add(Frame.of(f.id(), position, f.time(), draft));
    }
    log.addAll(frames);
    batches.put(batch.batchId(), frames);
  }

  /** Writes a batch to the file for processes that open the disk later. */
  synchronized void write(String batchId, List<Frame> frames) {
    List<Draft> drafts = new ArrayList<>();
    for (Frame f : frames) {
      drafts.add(Draft.imported(f.id(), f.time(), f.topic(), f.meta(), f.content()));
    }
    byte[] record = DurableFile.record(batchId, lastMinted, drafts);
    DurableFile open = Objects.requireNonNull(file, "the disk is open");
    open.cut(readTo);
    open.write(readTo, record);
    readTo += record.length;
  }

  private synchronized void lock(Path directory) {
    if (locked != null) {
      throw new LockedException("the store in " + directory + " is open", 0);
    }
    try {
      Files.createDirectories(directory);
      // Only close() closes this channel; a close would release the lock of another class loader.
      AsynchronousFileChannel channel =
          AsynchronousFileChannel.open(
              directory.resolve(LOCK), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
      if (channel.tryLock() == null) {
        throw new LockedException("another process has the store in " + directory, 0);
      }
      locked = channel;
    } catch (OverlappingFileLockException e) {
      throw new LockedException("another class loader has " + directory, 0);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  synchronized void unlock() {
    try {
      if (locked != null && file != null) {
        file.close();
        file = null;
        locked.close();
        locked = null;
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
