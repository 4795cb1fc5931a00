package dev.ralph.tck;

import dev.ralph.RalphException;
import dev.ralph.RalphException.Code;
import dev.ralph.spi.Scru128;
import dev.ralph.spi.Snapshot;
import dev.ralph.spi.SnapshotKey;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
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

  private static final Map<Path, RamDisk> DISKS = new ConcurrentHashMap<>();

  final String storeId = new Scru128(Clock.systemUTC()).next();
  final List<RamDiskFrame> log = new ArrayList<>();
  final Map<String, List<RamDiskFrame>> batches = new LinkedHashMap<>();
  final Map<SnapshotKey, Snapshot> snapshots = new HashMap<>();
  String lastMinted = "";
  @Nullable private FileChannel locked;

  /** Returns what is left in that directory, or null if no store was made there. */
  @Nullable
  static RamDisk find(Path directory) {
    return DISKS.get(directory);
  }

  /** Returns what is left in that directory, or makes it. */
  static RamDisk in(Path directory) {
    return DISKS.computeIfAbsent(directory, made -> new RamDisk());
  }

  /**
   * Keeps everyone else away, in this process and in others, until {@link #unlock()}. Who is in
   * this process is refused before the file is touched: to close another channel of it would drop
   * the lock.
   */
  synchronized void lock(Path directory) {
    if (locked != null) {
      throw new RalphException(Code.LOCKED, "the store in " + directory + " is open");
    }
    try {
      Files.createDirectories(directory);
      FileChannel channel =
          FileChannel.open(
              directory.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
      if (channel.tryLock() == null) {
        channel.close();
        throw new RalphException(Code.LOCKED, "another process has the store in " + directory);
      }
      locked = channel;
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
