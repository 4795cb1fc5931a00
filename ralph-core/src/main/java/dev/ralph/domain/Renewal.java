package dev.ralph.domain;

import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import javax.annotation.concurrent.GuardedBy;
import org.jspecify.annotations.Nullable;

/**
 * Renews leases for as long as their holder lives: three times in the length of a lease, from a
 * thread of its own that keeps no program from ending. So a lease may be short, and is soon free if
 * its holder is killed. Safe for use by many threads.
 */
public final class Renewal implements AutoCloseable {

  private final Duration lease;
  private final Runnable renewAll;

  // Guarded by this.
  @GuardedBy("this")
  private @Nullable ScheduledExecutorService timer;

  @GuardedBy("this")
  private boolean closed;

  /**
   * Makes one that does nothing before it is started.
   *
   * @param lease how long the leases are that are renewed
   * @param renewAll renews all that is held; if it throws, it is tried again the next time
   */
  public Renewal(Duration lease, Runnable renewAll) {
    this.lease = Objects.requireNonNull(lease, "lease");
    this.renewAll = Objects.requireNonNull(renewAll, "renewAll");
  }

  /** Begins to renew. Starting again does nothing, nor does it once this is closed. */
  public synchronized void start() {
    if (timer != null || closed) {
      return;
    }
    ScheduledThreadPoolExecutor executor =
        new ScheduledThreadPoolExecutor(
            1,
            task -> {
              Thread thread = new Thread(task, "ralph-renewal");
              thread.setDaemon(true);
              return thread;
            });
    long pause = Math.max(1, lease.toMillis() / 3);
    Future<?> unused =
        executor.scheduleWithFixedDelay(this::renew, pause, pause, TimeUnit.MILLISECONDS);
    timer = executor;
  }

  private void renew() {
    try {
      renewAll.run();
    } catch (RuntimeException | Error e) {
      System.getLogger(Renewal.class.getName())
          .log(
              e instanceof Error ? Level.WARNING : Level.DEBUG,
              "leases could not be renewed; it is tried again",
              e);
    }
  }

  /** Ends renewing. Closing again does nothing. */
  @Override
  public synchronized void close() {
    closed = true;
    if (timer != null) {
      timer.shutdownNow();
    }
  }
}
