package dev.ralph.store.support;

import java.io.IOException;
import java.nio.file.ClosedWatchServiceException;
import java.nio.file.Path;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Wakes followers when the log may have grown: at once for appends of this JVM, through the
 * operating system's notices of changed files for those of others. A notice can be lost, so a
 * follower also looks by itself every {@link #SWEEP_NANOS}.
 */
public final class AppendSignal implements AutoCloseable {

  static final long SWEEP_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final Path directory;
  private final Runnable onWatching;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final AtomicInteger waiters = new AtomicInteger();
  private long version;
  private boolean closed;
  private boolean watchTried;
  private @Nullable WatchService watch;
  private @Nullable Thread watcher;

  /** Watches that folder once somebody waits. */
  public AppendSignal(Path directory) {
    this(directory, () -> {});
  }

  /**
   * Watches that folder once somebody waits.
   *
   * @param onWatching run right before, once
   */
  public AppendSignal(Path directory, Runnable onWatching) {
    this.directory = directory;
    this.onWatching = onWatching;
  }

  /** Says that the log may have grown. Costs next to nothing while nobody waits. */
  public void signal() {
    if (waiters.get() > 0) {
      signalAll();
    }
  }

  /** Wakes everybody who waits, so that they look. */
  public void signalAll() {
    lock.lock();
    try {
      version++;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Says that somebody is about to look and then wait; returns what to wait for a change of. */
  long register() {
    lock.lock();
    try {
      waiters.incrementAndGet();
      if (!watchTried && !closed) {
        watchTried = true;
        startWatching();
      }
      return version;
    } finally {
      lock.unlock();
    }
  }

  void unregister() {
    waiters.decrementAndGet();
  }

  /** Waits until something was signalled since {@code seen}, or the time is up. */
  void await(long seen, long nanos) throws InterruptedException {
    lock.lockInterruptibly();
    try {
      long left = nanos;
      while (version == seen && left > 0 && !closed) {
        left = changed.awaitNanos(left);
      }
    } finally {
      lock.unlock();
    }
  }

  private void startWatching() {
    onWatching.run();
    try {
      WatchService service = directory.getFileSystem().newWatchService();
      watch = service; // closed with this, whatever comes next
      directory.register(
          service, StandardWatchEventKinds.ENTRY_MODIFY, StandardWatchEventKinds.ENTRY_CREATE);
      Thread started = new Thread(() -> watch(service), "ralph-watch");
      started.setDaemon(true);
      watcher = started;
      started.start();
    } catch (IOException | UnsupportedOperationException e) {
      System.getLogger(AppendSignal.class.getName())
          .log(
              System.Logger.Level.INFO,
              "no notices of changed files here; looking every second: " + e.getMessage());
    }
  }

  private void watch(WatchService service) {
    try {
      while (true) {
        WatchKey key = service.take();
        key.pollEvents();
        signalAll();
        if (!key.reset()) {
          return;
        }
      }
    } catch (ClosedWatchServiceException | InterruptedException e) {
      signalAll();
    }
  }

  @Override
  public void close() {
    Thread running;
    lock.lock();
    try {
      closed = true;
      running = watcher;
      changed.signalAll();
      if (watch != null) {
        watch.close();
      }
    } catch (IOException e) {
      System.getLogger(AppendSignal.class.getName())
          .log(System.Logger.Level.WARNING, "cannot stop watching " + directory, e);
      return;
    } finally {
      lock.unlock();
    }
    join(running);
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
