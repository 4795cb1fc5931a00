package dev.ralph.core.internal.git;

import dev.ralph.log.RalphException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLockInterruptionException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Held while the list of a repository's work trees changes: Git itself fails where two of its
 * processes do that at once. Excludes threads of this process and other processes; nobody who is
 * killed leaves it locked. Not to be taken twice by a thread.
 */
public final class MetadataLock {

  /** What is done while nobody else changes anything. */
  @FunctionalInterface
  public interface Change {
    void run() throws InterruptedException;
  }

  /** In the repository's own folder. */
  static final String FILE = "ralph.lock";

  /** A lock on a file counts for the process: its threads are told apart here. */
  private static final Map<Path, ReentrantLock> OF_THREADS = new ConcurrentHashMap<>();

  private MetadataLock() {}

  /**
   * Does something while nobody else does.
   *
   * @param common the repository's own folder, the same for all of its work trees
   * @throws RalphException INVALID if the lock file can't be made
   * @throws InterruptedException if the thread is interrupted
   */
  public static void holding(Path common, Change change) throws InterruptedException {
    ReentrantLock ofThreads = OF_THREADS.computeIfAbsent(common, path -> new ReentrantLock());
    ofThreads.lockInterruptibly();
    try {
      FileChannel channel = locked(common.resolve(FILE));
      try {
        change.run();
      } finally {
        close(channel);
      }
    } finally {
      ofThreads.unlock();
    }
  }

  private static FileChannel locked(Path file) throws InterruptedException {
    try {
      FileChannel channel =
          FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
      try {
        channel.lock();
        return channel;
      } catch (IOException e) {
        channel.close();
        throw e;
      }
    } catch (FileLockInterruptionException e) {
      Thread.interrupted(); // as it is where this is thrown
      throw new InterruptedException();
    } catch (IOException e) {
      throw GitTrees.failed("can't lock " + file, e);
    }
  }

  private static void close(FileChannel channel) {
    try {
      channel.close();
    } catch (IOException e) {
      // The lock goes with the process at the latest.
    }
  }
}
