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
 * A lock for changes to the list of a repository's work trees, because Git fails if two processes
 * change it at once. Excludes threads of this process and other processes. A killed process
 * releases the lock. Not reentrant.
 */
public final class MetadataLock {

  /** An action under the lock. */
  @FunctionalInterface
  public interface Change {
    void run() throws InterruptedException;
  }

  /** The lock file in the repository's Git folder. */
  static final String FILE = "ralph.lock";

  /** File locks are held by the whole process, so these locks exclude its threads. */
  private static final Map<Path, ReentrantLock> OF_THREADS = new ConcurrentHashMap<>();

  private MetadataLock() {}

  /**
   * Runs an action under the lock.
   *
   * @param common the Git folder of the repository, the same for all of its work trees
   * @throws RalphException INVALID if the lock file can't be created
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
      Thread.interrupted(); // as usual with InterruptedException
      throw new InterruptedException();
    } catch (IOException e) {
      throw GitTrees.failed("can't lock " + file, e);
    }
  }

  private static void close(FileChannel channel) {
    try {
      channel.close();
    } catch (IOException e) {
      // The lock is released with the process at the latest.
    }
  }
}
