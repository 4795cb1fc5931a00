package dev.ralph.store.chronicle;

import dev.ralph.log.RalphException;
import dev.ralph.store.support.PrivateFiles;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Opens Chronicle's queue, and replaces the queue after failures. All methods except {@link
 * #prepare} require the store's lock.
 */
final class QueueKeeper {

  /**
   * The number of failures after which Chronicle's table is recreated. After further failures, the
   * appender uses another roll file.
   */
  static final int FAILURES_BEFORE_RESET = 2;

  /** A class of Chronicle without dependencies on other classes. */
  private static final String LIBRARY_CLASS = "net.openhft.chronicle.queue.RollCycle";

  private final RollFiles files;
  private final ReentrantLock preparing = new ReentrantLock();
  private volatile boolean isPrepared;
  private volatile @Nullable AppendQueue prepared;
  private @Nullable AppendQueue queue;

  /** Whether opening Chronicle has failed, perhaps for a damaged table. */
  private volatile boolean isTableSuspect;

  QueueKeeper(RollFiles files) {
    this.files = files;
  }

  /**
   * Checks that Chronicle is on the class path. Called before a store is created and before
   * Chronicle is started. Reads and the first appends to an existing store work without Chronicle.
   *
   * @throws RalphException UNSUPPORTED if Chronicle is missing
   */
  static void requireLibrary() {
    try {
      Class.forName(LIBRARY_CLASS, false, QueueKeeper.class.getClassLoader());
    } catch (ClassNotFoundException | LinkageError e) {
      throw RalphException.unsupported(
          "the chronicle store needs Chronicle Queue, which is not on the class path; depend on"
              + " dev.ralph:ralph-store-chronicle with its transitive dependencies, or add"
              + " net.openhft:chronicle-queue",
          e);
    }
  }

  /**
   * Starts Chronicle without the store's lock, because the first start takes long.
   *
   * @param cycle returns the cycle of the current day
   */
  void prepare(IntSupplier cycle) {
    if (isPrepared) {
      return;
    }
    requireLibrary();
    boolean interrupted = Thread.interrupted();
    preparing.lock();
    try {
      if (!isPrepared) {
        files.requireSpace(0);
        files.requireRegularFiles();
        AppendQueue.warmUp();
        prepared = AppendQueue.open(files.directory(), cycle.getAsInt());
        PrivateFiles.protect(table());
        isPrepared = true;
      }
    } catch (RalphException e) {
      throw e;
    } catch (Throwable e) {
      isTableSuspect = true;
      isPrepared = true; // open() tries again and reports the failure
    } finally {
      preparing.unlock();
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /**
   * Returns the open queue, or opens the queue. After failures, hides earlier roll files from
   * Chronicle, and then recreates its table. Both are safe, because the table contains no data that
   * the roll files lack.
   *
   * @param failures the number of consecutive failures to append the current batch
   */
  AppendQueue open(int cycle, int failures) {
    AppendQueue open = queue;
    if (open == null) {
      open = opened(cycle, failures);
      queue = open;
    }
    return open;
  }

  private AppendQueue opened(int cycle, int failures) {
    AppendQueue ready = prepared;
    prepared = null;
    if (ready == null) {
      if (isTableSuspect || failures == FAILURES_BEFORE_RESET) {
        setTableAside();
      }
      files.requireRegularFiles();
      isTableSuspect = true; // until the queue is open
      ready = AppendQueue.open(files.directory(), cycle);
      isTableSuspect = false;
      if (failures > 0) {
        ready.hideOtherFiles();
      }
      PrivateFiles.protect(table());
    }
    return ready;
  }

  boolean isOpen() {
    return queue != null;
  }

  /** Returns true if Chronicle was started. All further appends then use Chronicle. */
  boolean isWanted() {
    return isPrepared || queue != null;
  }

  /** Returns whether Chronicle may have written the last excerpt despite the failed append. */
  boolean mayHaveWritten() {
    AppendQueue used = queue;
    return used != null && used.mayHaveWritten();
  }

  private Path table() {
    return files.directory().resolve("metadata.cq4t");
  }

  private void setTableAside() {
    Path table = table();
    try {
      files
          .files()
          .move(
              table,
              table.resolveSibling(table.getFileName() + ".damaged"),
              StandardCopyOption.REPLACE_EXISTING);
    } catch (NoSuchFileException e) {
      return; // Chronicle creates a missing table
    } catch (IOException e) {
      throw PrivateFiles.failure(
          "cannot rename the damaged table " + table + "; delete the file", e);
    }
    System.getLogger(QueueKeeper.class.getName())
        .log(System.Logger.Level.DEBUG, "renamed the damaged table " + table);
  }

  /** Closes the queue; the next append opens the queue again. */
  void discard() {
    AppendQueue discarded = queue == null ? prepared : queue;
    queue = null;
    prepared = null;
    if (discarded != null) {
      try {
        discarded.close();
      } catch (Throwable e) {
        System.getLogger(QueueKeeper.class.getName())
            .log(System.Logger.Level.DEBUG, "cannot close Chronicle's queue", e);
      }
    }
  }
}
