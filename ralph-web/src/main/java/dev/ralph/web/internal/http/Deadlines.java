package dev.ralph.web.internal.http;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * Limits on how long a thread reads from a client or writes to it. A thread beyond its limit is
 * interrupted, which closes the connection that it waits for. While requests wait for a thread, the
 * limits are shorter. The server of the JDK has such limits as system properties only, which are
 * not ours to set.
 */
public final class Deadlines implements AutoCloseable {

  /** For the head of a request, from its first byte to its last. */
  private static final Duration HEAD = Duration.ofSeconds(5);

  /** For the body of a request, and for a response that is not read. */
  static final Duration TRANSFER = Duration.ofSeconds(15);

  /** For the rest of a body after the response was sent. */
  static final Duration DRAIN = Duration.ofSeconds(1);

  /** While requests wait for a thread: for a client without a token, and for one with a token. */
  static final Duration STRANGER_IN_CROWD = Duration.ofMillis(100);

  static final Duration KNOWN_IN_CROWD = Duration.ofMillis(300);

  private static final long SWEEP_MILLIS = 100;

  private final Map<Thread, Limit> limits = new ConcurrentHashMap<>();
  private final BooleanSupplier isCrowded;

  private final ScheduledExecutorService sweeper =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            Thread thread = new Thread(task, "ralph-web-deadlines");
            thread.setDaemon(true);
            return thread;
          });

  /** Times of {@link System#nanoTime()} by which a thread has to be done. */
  private record Limit(long end, long endInCrowd) {

    static Limit of(Duration limit, Duration inCrowd) {
      long now = System.nanoTime();
      return new Limit(now + limit.toNanos(), now + inCrowd.toNanos());
    }

    boolean isOver(long now, boolean crowded) {
      return now - end >= 0 || crowded && now - endInCrowd >= 0;
    }
  }

  /**
   * Begins to watch.
   *
   * @param isCrowded returns whether requests wait for a thread
   */
  public Deadlines(BooleanSupplier isCrowded) {
    this.isCrowded = isCrowded;
    var unused =
        sweeper.scheduleWithFixedDelay(
            this::sweep, SWEEP_MILLIS, SWEEP_MILLIS, TimeUnit.MILLISECONDS);
  }

  /** Replaces the current thread's limit, also for times when requests wait for a thread. */
  void begin(Duration limit, Duration inCrowd) {
    limits.put(Thread.currentThread(), Limit.of(limit, inCrowd));
  }

  /** Replaces the limit of the current thread, which is none of those that requests wait for. */
  void begin(Duration limit) {
    begin(limit, limit);
  }

  /** Removes the limit of the current thread, which is not interrupted from now on. */
  void end() {
    if (limits.remove(Thread.currentThread()) == null) {
      boolean unused = Thread.interrupted(); // The sweeper was here just before.
    }
  }

  /** Runs work that begins with reading a request. */
  Runnable limited(Runnable work) {
    return () -> {
      begin(HEAD, STRANGER_IN_CROWD);
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
    boolean crowded = isCrowded.getAsBoolean();
    for (Thread thread : limits.keySet()) {
      // Interrupted within, so that a thread whose limit has ended is not.
      limits.computeIfPresent(
          thread,
          (late, limit) -> {
            if (!limit.isOver(now, crowded)) {
              return limit;
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
