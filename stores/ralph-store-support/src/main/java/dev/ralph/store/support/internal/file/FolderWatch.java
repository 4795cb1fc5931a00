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
 * Notifies a listener when other processes may have changed the files of a folder: on each
 * notification of the operating system, and every second, because notifications can be lost.
 */
public final class FolderWatch implements AutoCloseable {

  private static final long SWEEP_SECONDS = 1;

  private final Path directory;
  private final Runnable onStart;
  private final ReentrantLock lock = new ReentrantLock();
  private final CountDownLatch closed = new CountDownLatch(1);
  private @Nullable WatchService service;
  private @Nullable Thread watcher;

  /** Creates a watch of a folder, which {@link #start(Runnable)} starts. */
  public FolderWatch(Path directory) {
    this(directory, () -> {});
  }

  /**
   * Creates a watch of a folder, which {@link #start(Runnable)} starts.
   *
   * @param onStart an action to run right before the start
   */
  public FolderWatch(Path directory, Runnable onStart) {
    this.directory = directory;
    this.onStart = onStart;
  }

  /**
   * A possible change of the folder.
   *
   * @param files the names of the files that were created or changed, in the order of the
   *     notifications
   * @param isAll false if notifications were lost, or the system sends none
   */
  public record Change(Set<String> files, boolean isAll) {}

  /**
   * Starts the watch, unless it is closed. May be called once.
   *
   * @param onChange the action to run in the thread of the watch
   */
  public void start(Runnable onChange) {
    start(change -> onChange.run());
  }

  /**
   * Starts the watch, unless it is closed. May be called once.
   *
   * @param onChange receives changes in the thread of the watch; also called every second without a
   *     change
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

  /** Registers for notifications; returns null if the system sends none. */
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
              "no notifications of changed files; polling every second: " + e.getMessage());
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
      // the watch was closed
    }
  }

  /**
   * Waits for a notification, at most until the next sweep.
   *
   * @return the change, or null if no further notifications can arrive
   */
  private static @Nullable Change awaitNotice(WatchService notices) throws InterruptedException {
    WatchKey key = notices.poll(SWEEP_SECONDS, TimeUnit.SECONDS);
    if (key == null) {
      return new Change(Set.of(), true);
    }
    Set<String> files = new LinkedHashSet<>(); // keeps the order
    boolean isAll = true;
    for (WatchEvent<?> event : key.pollEvents()) {
      if (event.context() == null) {
        isAll = false; // the system dropped notifications
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
