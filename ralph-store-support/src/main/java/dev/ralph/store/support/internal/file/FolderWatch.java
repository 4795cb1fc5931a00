package dev.ralph.store.support.internal.file;

import java.io.IOException;
import java.nio.file.ClosedWatchServiceException;
import java.nio.file.Path;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchEvent;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Tells when other processes may have changed a folder's files: at once, by the operating system's
 * notices, and every second, because a notice can be lost.
 */
public final class FolderWatch implements AutoCloseable {

  private static final long SWEEP_SECONDS = 1;

  private final Path directory;
  private final Runnable onStart;
  private final ReentrantLock lock = new ReentrantLock();
  private final CountDownLatch closed = new CountDownLatch(1);
  private @Nullable WatchService service;
  private @Nullable Thread watcher;

  /** Watches that folder once it is started. */
  public FolderWatch(Path directory) {
    this(directory, () -> {});
  }

  /**
   * Watches that folder once it is started.
   *
   * @param onStart run right before
   */
  public FolderWatch(Path directory, Runnable onStart) {
    this.directory = directory;
    this.onStart = onStart;
  }

  /**
   * What may have changed.
   *
   * @param files the names of the files that the operating system says were made or changed
   * @param isAll whether there are no others, as far as it tells; false where notices were lost, or
   *     there are none
   */
  public record Change(Set<String> files, boolean isAll) {}

  /**
   * Begins to watch, unless this is closed. To be called once.
   *
   * @param onChange called by a thread of this watch's own
   */
  public void start(Runnable onChange) {
    start(change -> onChange.run());
  }

  /**
   * Begins to watch, unless this is closed. To be called once.
   *
   * @param onChange called by a thread of this watch's own; every second also if nothing changed
   */
  public void start(Consumer<Change> onChange) {
    lock.lock();
    try {
      if (closed.getCount() == 0) {
        return;
      }
      onStart.run();
      WatchService notices = register();
      service = notices;
      Thread started = new Thread(() -> watch(notices, onChange), "ralph-watch");
      started.setDaemon(true);
      watcher = started;
      started.start();
    } finally {
      lock.unlock();
    }
  }

  /** Returns what gives notices, or null where there are none. */
  private @Nullable WatchService register() {
    WatchService made = null;
    try {
      made = directory.getFileSystem().newWatchService();
      directory.register(
          made, StandardWatchEventKinds.ENTRY_MODIFY, StandardWatchEventKinds.ENTRY_CREATE);
      return made;
    } catch (IOException | UnsupportedOperationException e) {
      System.getLogger(FolderWatch.class.getName())
          .log(
              System.Logger.Level.INFO,
              "no notices of changed files here; looking every second: " + e.getMessage());
      close(made);
      return null;
    }
  }

  private void watch(@Nullable WatchService notices, Consumer<Change> onChange) {
    WatchService from = notices;
    try {
      while (closed.getCount() > 0) {
        Change change = null;
        if (from == null) {
          closed.await(SWEEP_SECONDS, TimeUnit.SECONDS);
        } else {
          change = awaitNotice(from);
          from = change == null ? null : from;
        }
        onChange.accept(change == null ? new Change(Set.of(), false) : change);
      }
    } catch (ClosedWatchServiceException | InterruptedException e) {
      // closed
    }
  }

  /**
   * Waits for a notice, or until it is time to look.
   *
   * @return what it said, or null if no more notices can come
   */
  private static @Nullable Change awaitNotice(WatchService notices) throws InterruptedException {
    WatchKey key = notices.poll(SWEEP_SECONDS, TimeUnit.SECONDS);
    if (key == null) {
      return new Change(Set.of(), true);
    }
    Set<String> files = new LinkedHashSet<>(); // in their order
    boolean isAll = true;
    for (WatchEvent<?> event : key.pollEvents()) {
      if (event.context() == null) {
        isAll = false; // more came than the system keeps
      } else {
        files.add(event.context().toString());
      }
    }
    return key.reset() ? new Change(files, isAll) : null;
  }

  @Override
  public void close() {
    Thread running;
    lock.lock();
    try {
      closed.countDown();
      running = watcher;
      close(service);
    } finally {
      lock.unlock();
    }
    join(running);
  }

  private void close(@Nullable WatchService used) {
    try {
      if (used != null) {
        used.close();
      }
    } catch (IOException e) {
      System.getLogger(FolderWatch.class.getName())
          .log(System.Logger.Level.WARNING, "cannot stop watching " + directory, e);
    }
  }

  private static void join(@Nullable Thread thread) {
    boolean interrupted = false;
    while (thread != null && thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
