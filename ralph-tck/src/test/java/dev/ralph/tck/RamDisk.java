package dev.ralph.tck;

import dev.ralph.RalphException;
import dev.ralph.RalphException.Code;
import dev.ralph.spi.Scru128;
import dev.ralph.spi.Snapshot;
import dev.ralph.spi.SnapshotKey;
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
import java.util.concurrent.ConcurrentHashMap;
import javax.annotation.Nullable;

/**
 * What a {@link RamDiskStore} leaves behind when it is closed: kept in memory under the directory's
 * name, so that a test can do to it what a bad disk, or a bad store, would do.
 */
final class RamDisk {

  private static final String LOCK = "lock";
  private static final Map<Path, RamDisk> DISKS = new ConcurrentHashMap<>();

  final String storeId = new Scru128(Clock.systemUTC()).next();
  final List<RamDiskFrame> log = new ArrayList<>();
  final Map<String, List<RamDiskFrame>> batches = new LinkedHashMap<>();
  final Map<SnapshotKey, Snapshot> snapshots = new HashMap<>();
  String lastMinted = "";
  @Nullable private AsynchronousFileChannel locked;

  /**
   * Returns what is left in that directory, or makes it, and keeps everyone else away, in this
   * process and in others, until {@link #unlock()}.
   */
  static RamDisk open(Path given, boolean mayCreate) {
    Path directory = given.toAbsolutePath().normalize();
    if (!DISKS.containsKey(directory)) {
      String[] names = directory.toFile().list();
      if (names != null && !List.of(LOCK).containsAll(List.of(names))) {
        throw RalphException.invalid(directory + " is no RAM disk");
      }
      if (!mayCreate) {
        throw RalphException.notFound("there is no store in " + directory);
      }
    }
    RamDisk disk = DISKS.computeIfAbsent(directory, made -> new RamDisk());
    disk.lock(directory);
    return disk;
  }

  private synchronized void lock(Path directory) {
    if (locked != null) {
      throw new RalphException(Code.LOCKED, "the store in " + directory + " is open");
    }
    try {
      Files.createDirectories(directory);
      // by a channel that nothing closes but close(), which would drop another class loader's lock
      AsynchronousFileChannel channel =
          AsynchronousFileChannel.open(
              directory.resolve(LOCK), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
      if (channel.tryLock() == null) {
        throw new RalphException(Code.LOCKED, "another process has the store in " + directory);
      }
      locked = channel;
    } catch (OverlappingFileLockException e) {
      throw new RalphException(Code.LOCKED, "another class loader has " + directory, e);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  synchronized void unlock() {
    try {
      if (locked != null) {
        locked.close();
        locked = null;
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
