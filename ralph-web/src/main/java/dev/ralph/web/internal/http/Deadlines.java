package dev.ralph.web.internal.http;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Limits on how long a thread reads from a client or writes to it. A thread beyond its limit is
 * interrupted, which closes the connection that it waits for. The server of the JDK has such limits
 * as system properties only, which are not ours to set.
 */
public final class Deadlines implements AutoCloseable {

  /** For the head of a request, from its first byte to its last. */
  private static final Duration HEAD = Duration.ofSeconds(5);

  /** For the body of a request, and for a response that is not read. */
  static final Duration TRANSFER = Duration.ofSeconds(15);

  private static final long SWEEP_MILLIS = 500;

  /** The time of {@link System#nanoTime()} by which a thread has to be done. */
  private final Map<Thread, Long> ends = new ConcurrentHashMap<>();

  private final ScheduledExecutorService sweeper =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            Thread thread = new Thread(task, "ralph-web-deadlines");
            thread.setDaemon(true);
            return thread;
          });

  /** Begins to watch. */
  public Deadlines() {
    var unused =
        sweeper.scheduleWithFixedDelay(
            this::sweep, SWEEP_MILLIS, SWEEP_MILLIS, TimeUnit.MILLISECONDS);
  }

  /** Gives the current thread so long from now on, instead of what it had. */
  void begin(Duration limit) {
    ends.put(Thread.currentThread(), System.nanoTime() + limit.toNanos());
  }

  /** The current thread has no limit from now on, and is not interrupted. */
  void end() {
    if (ends.remove(Thread.currentThread()) == null) {
      boolean unused = Thread.interrupted(); // The sweeper was here just before.
    }
  }

  /** Runs work that begins with reading a request. */
  Runnable limited(Runnable work) {
    return () -> {
      begin(HEAD);
      try {
        work.run();
      } finally {
        end();
      }
    };
  }

  /** Runs a task once, so much later, if this is not closed before. */
  void later(Duration delay, Runnable task) {
    var unused = sweeper.schedule(task, delay.toMillis(), TimeUnit.MILLISECONDS);
  }

  private void sweep() {
    long now = System.nanoTime();
    for (Thread thread : ends.keySet()) {
      // Interrupted within, so that a thread whose limit has ended is not.
      ends.computeIfPresent(
          thread,
          (late, end) -> {
            if (now - end < 0) {
              return end;
            }
            late.interrupt();
            return null;
          });
    }
  }

  @Override
  public void close() {
    sweeper.shutdownNow();
  }
}
