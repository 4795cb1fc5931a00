package dev.ralph.web.internal.http;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Time limits of threads that read from a client or write to a client. A thread beyond its limit is
 * interrupted, which closes its connection. The limits are shorter while requests wait for a
 * thread. The JDK's server has such limits only as system properties, which a library must not set.
 */
public final class RequestDeadlines implements AutoCloseable {

  /** The limit for the head of a request, from its first byte to its last byte. */
  private static final Duration HEAD = Duration.ofSeconds(5);

  /** The limit for the body of a request, and for a response that is not read. */
  static final Duration TRANSFER = Duration.ofSeconds(15);

  /** The limit for the rest of a body after the response was sent. */
  static final Duration DRAIN = Duration.ofSeconds(1);

  /**
   * The limits while requests wait for a thread: for a client without a token, and for a client
   * with a token.
   */
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

  /** The times of {@link System#nanoTime()} at which a limit ends. */
  private record Limit(long end, long endInCrowd) {

    /** Stands for a limit at whose end the thread was interrupted. */
    static final Limit INTERRUPTED = new Limit(0, 0);

    static Limit of(Duration limit, Duration inCrowd) {
      long now = System.nanoTime();
      return new Limit(now + limit.toNanos(), now + inCrowd.toNanos());
    }

    boolean isOver(long now, boolean crowded) {
      return now - end >= 0 || crowded && now - endInCrowd >= 0;
    }
  }

  /**
   * Starts to check the limits.
   *
   * @param isCrowded returns whether requests wait for a thread
   */
  public RequestDeadlines(BooleanSupplier isCrowded) {
    this.isCrowded = isCrowded;
    var unused =
        sweeper.scheduleWithFixedDelay(
            this::sweep, SWEEP_MILLIS, SWEEP_MILLIS, TimeUnit.MILLISECONDS);
  }

  /**
   * Replaces the limits of the current thread, for normal times and while requests wait for a
   * thread. Clears the interrupt at the end of the earlier limit.
   */
  void begin(Duration limit, Duration inCrowd) {
    clear(limits.put(Thread.currentThread(), Limit.of(limit, inCrowd)));
  }

  /** Replaces the limit of the current thread, which is no request thread. */
  void begin(Duration limit) {
    begin(limit, limit);
  }

  /**
   * Removes the limit of the current thread, and clears the interrupt at the limit's end. Other
   * interrupts of the thread remain.
   */
  void end() {
    clear(limits.remove(Thread.currentThread()));
  }

  private static void clear(@Nullable Limit earlier) {
    if (earlier == Limit.INTERRUPTED) {
      boolean unused = Thread.interrupted();
    }
  }

  /** Returns work that starts with the limits for the head of a request. */
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

  /** Runs a task once after a delay, unless this object is closed before. */
  void later(Duration delay, Runnable task) {
    var unused = sweeper.schedule(task, delay.toMillis(), TimeUnit.MILLISECONDS);
  }

  private void sweep() {
    long now = System.nanoTime();
    boolean crowded = isCrowded.getAsBoolean();
    for (Thread thread : limits.keySet()) {
      // The interrupt occurs inside, so a thread whose limit was removed is not interrupted.
      limits.computeIfPresent(
          thread,
          (late, limit) -> {
            if (limit == Limit.INTERRUPTED || !limit.isOver(now, crowded)) {
              return limit;
            }
            late.interrupt();
            return Limit.INTERRUPTED;
          });
    }
  }

  @Override
  public void close() {
    sweeper.shutdownNow();
  }
}
