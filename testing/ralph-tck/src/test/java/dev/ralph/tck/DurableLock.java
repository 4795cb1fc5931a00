package dev.ralph.tck;

import dev.ralph.log.LockedException;
import dev.ralph.log.RalphException;
import dev.ralph.store.support.StoreLock;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.AsynchronousFileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;

/** The lock of a {@link DurableStore}, held during appends or while the store is open. */
interface DurableLock extends AutoCloseable {

  default void acquire() {}

  default void release() {}

  @Override
  void close();

  /** Opens the lock of a directory, or throws LOCKED. */
  static DurableLock open(Path directory, DurableMistake mistake) {
    try {
      if (mistake.isShared()) {
        return new Shared(
            StoreLock.open(directory.resolve("lock")),
            mistake == DurableMistake.WAITS_TOO_LONG_FOR_THE_LOCK);
      }
      return mistake == DurableMistake.LOCKS_BY_A_FILE_THAT_EXISTS
          ? new ByExistence(directory)
          : new Alone(directory, mistake);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static RalphException locked(Path directory) {
    return new LockedException(directory + " is open elsewhere", 0);
  }

  /** Held during appends. */
  record Shared(StoreLock lock, boolean late) implements DurableLock {

    @Override
    public void acquire() {
      try {
        lock.acquire();
      } catch (LockedException e) {
        if (late) {
          LockSupport.parkNanos(1_000_000_000);
        }
        throw e;
      }
    }

    @Override
    public void release() {
      lock.release();
    }

    @Override
    public void close() {
      lock.close();
    }
  }

  /** Held while the store is open. */
  final class Alone implements DurableLock {

    private static final Set<Path> OPEN = ConcurrentHashMap.newKeySet();

    private final Path key;
    private final AsynchronousFileChannel channel;

    Alone(Path directory, DurableMistake mistake) throws IOException {
      boolean bySpelling = mistake == DurableMistake.GOES_BY_THE_SPELLING;
      this.key = bySpelling ? directory : directory.toRealPath();
      if (!OPEN.add(key)) {
        throw locked(directory);
      }
      channel =
          AsynchronousFileChannel.open(
              directory.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
      boolean taken = bySpelling;
      try {
        taken |= channel.tryLock() != null;
      } catch (OverlappingFileLockException e) {
        if (mistake == DurableMistake.CLOSES_THE_REFUSED_CHANNEL) {
          channel.close();
        }
      } finally {
        if (!taken) {
          OPEN.remove(key);
        }
      }
      if (!taken) {
        throw locked(directory); // leaves the channel open, which nothing else closes
      }
    }

    @Override
    public void close() {
      OPEN.remove(key);
      try {
        channel.close();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  /** Held while a file exists. */
  final class ByExistence implements DurableLock {

    private final Path file;

    ByExistence(Path directory) throws IOException {
      this.file = directory.resolve("pid");
      try {
        Files.createFile(file);
      } catch (FileAlreadyExistsException e) {
        throw locked(directory);
      }
    }

    @Override
    public void close() {
      try {
        Files.delete(file);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
