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
 * Opens Chronicle, and gives it up where it fails. All but {@link #prepare} happens under the
 * store's lock.
 */
final class QueueKeeper {

  /**
   * After so many failures everything of Chronicle's own is made again, then the roll file left.
   */
  static final int MISTRUSTED = 2;

  /** A class of Chronicle's that takes no others to load. */
  private static final String OF_LIBRARY = "net.openhft.chronicle.queue.RollCycle";

  private final RollFiles files;
  private final ReentrantLock preparing = new ReentrantLock();
  private volatile boolean isPrepared;
  private volatile @Nullable Queue prepared;
  private @Nullable Queue queue;

  /** Whether Chronicle could not be opened. */
  private volatile boolean isTableSuspect;

  QueueKeeper(RollFiles files) {
    this.files = files;
  }

  /**
   * Finds out whether Chronicle is there. That is done before a store is made, and before Chronicle
   * is started; who opens a store that is there, and appends little, needs nothing of it.
   *
   * @throws RalphException UNSUPPORTED if it is not
   */
  static void requireLibrary() {
    try {
      Class.forName(OF_LIBRARY, false, QueueKeeper.class.getClassLoader());
    } catch (ClassNotFoundException | LinkageError e) {
      throw RalphException.unsupported(
          "the chronicle store needs Chronicle Queue, which is not on the class path; let the"
              + " project depend on dev.ralph:ralph-store-chronicle with all that it brings, or add"
              + " net.openhft:chronicle-queue itself",
          e);
    }
  }

  /**
   * Does early what takes long the first time, so that nobody has to wait for the lock.
   *
   * @param cycle tells the present day's
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
        files.requireRoom(0);
        files.requireOwn();
        Queue.warmUp();
        prepared = Queue.open(files.directory(), cycle.getAsInt());
        PrivateFiles.protect(table());
        isPrepared = true;
      }
    } catch (RalphException e) {
      throw e;
    } catch (Throwable e) {
      isTableSuspect = true;
      isPrepared = true; // once more, with the lock, for an answer
    } finally {
      preparing.unlock();
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /**
   * Returns Chronicle, opened if need be, and trusted with less the more often it failed. What it
   * keeps beside the roll files tells nothing that they do not, and earlier ones are none of its
   * business.
   *
   * @param failures how often in a row it failed with the batch under way
   */
  Queue open(int cycle, int failures) {
    Queue open = queue;
    if (open == null) {
      open = opened(cycle, failures);
      queue = open;
    }
    return open;
  }

  private Queue opened(int cycle, int failures) {
    Queue ready = prepared;
    prepared = null;
    if (ready == null) {
      if (isTableSuspect || failures == MISTRUSTED) {
        setTableAside();
      }
      files.requireOwn();
      isTableSuspect = true; // unless it can be opened
      ready = Queue.open(files.directory(), cycle);
      isTableSuspect = false;
      if (failures > 0) {
        ready.passOverOtherFiles();
      }
      PrivateFiles.protect(table());
    }
    return ready;
  }

  boolean isOpen() {
    return queue != null;
  }

  /** Returns whether it was asked for: it is to be used from then on. */
  boolean isWanted() {
    return isPrepared || queue != null;
  }

  /** Returns whether the excerpt may stand in its roll file, although Chronicle failed. */
  boolean mayHaveWritten() {
    Queue used = queue;
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
      return; // it is made again anyway
    } catch (IOException e) {
      throw PrivateFiles.failure(
          "Chronicle fails with " + table + ", which may be deleted, but not set aside", e);
    }
    System.getLogger(QueueKeeper.class.getName())
        .log(System.Logger.Level.DEBUG, table + " is set aside, for Chronicle fails with it");
  }

  /** Closes what is open; the next append opens it again. */
  void discard() {
    Queue discarded = queue == null ? prepared : queue;
    queue = null;
    prepared = null;
    if (discarded != null) {
      try {
        discarded.close();
      } catch (Throwable e) {
        System.getLogger(QueueKeeper.class.getName())
            .log(System.Logger.Level.DEBUG, "Chronicle does not close", e);
      }
    }
  }
}
