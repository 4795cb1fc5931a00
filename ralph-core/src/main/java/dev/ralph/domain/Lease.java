package dev.ralph.domain;

import dev.ralph.log.Frame;
import dev.ralph.log.RalphException;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import javax.annotation.concurrent.GuardedBy;
import org.jspecify.annotations.Nullable;

/**
 * An exclusive right for a limited time, for example a claim of a task. Immutable; safe for use by
 * many threads.
 *
 * <p>A frame grants a lease with the members {@code owner} and {@code until} of its metadata. The
 * id of the frame is the fencing token: a state keeps the newest lease only, so a change with the
 * token of an older lease is refused, even if the older owner does not know that its lease has
 * expired.
 *
 * <p>A lease is live from the time of the frame that granted or renewed it until its end. At an
 * earlier time the clock must have been set back, and the rest of the lease is unknown. The lease
 * counts as expired then, so it never lasts longer than requested.
 */
public final class Lease {

  private static final Duration SHORTEST = Duration.ofMillis(1);

  private static final Duration LONGEST = Duration.ofDays(30);

  private final String token;
  private final String owner;
  private final Instant since;
  private final Instant until;
  private final boolean held;

  Lease(String token, String owner, Instant since, Instant until, boolean held) {
    this.token = token;
    this.owner = owner;
    this.since = since;
    this.until = until;
    this.held = held;
  }

  /**
   * Returns the lease that a frame grants, or null if {@code owner} or the time {@code until} is
   * missing. For folds.
   */
  public static @Nullable Lease of(Frame frame) {
    return of(frame, frame.meta().string("owner"));
  }

  /**
   * Returns the lease that a frame grants to an owner, or null if the owner is null or the time
   * {@code until} is missing. For folds that name the owner in another way.
   */
  public static @Nullable Lease of(Frame frame, @Nullable String owner) {
    Instant until = end(frame);
    return owner == null || until == null
        ? null
        : new Lease(frame.id(), owner, frame.time(), until, true);
  }

  /** Returns the end of the lease of a frame, limited to the longest lease, or null. */
  private static @Nullable Instant end(Frame frame) {
    Instant until = Timestamp.parse(frame.meta().string("until"));
    Instant latest = frame.time().plus(LONGEST);
    return until == null || until.isBefore(latest) ? until : latest;
  }

  /**
   * Returns the end of a lease that begins now. For deciders.
   *
   * @throws RalphException INVALID if the length is less than 1 ms, the precision of times in
   *     frames, or more than 30 days
   */
  public static Instant end(Instant now, Duration length) {
    if (length.compareTo(SHORTEST) < 0 || length.compareTo(LONGEST) > 0) {
      throw RalphException.invalid(
          "a lease must be 1 ms to " + LONGEST.toDays() + " days, not " + length);
    }
    return now.plus(length);
  }

  /** Returns the fencing token: the id of the frame that granted the lease. */
  public String token() {
    return token;
  }

  /** Returns the owner. */
  public String owner() {
    return owner;
  }

  /** Returns the time of the grant or the last renewal. */
  public Instant since() {
    return since;
  }

  /** Returns the time at which the lease expires or was ended. */
  public Instant until() {
    return until;
  }

  /**
   * Returns whether the lease was not ended. An expired lease is held until a newer one is granted.
   */
  public boolean isHeld() {
    return held;
  }

  /** Returns whether the lease is held and has a token. */
  public boolean isHeldBy(String token) {
    return held && this.token.equals(token);
  }

  /**
   * Returns whether the lease is live at a time: neither ended nor expired.
   *
   * @param now the time, not before the read of the state that contains the lease
   */
  public boolean isLive(Instant now) {
    return held && !now.isBefore(since) && now.isBefore(until);
  }

  /**
   * Returns this lease as renewed by a frame, or unchanged if the frame has no time {@code until}.
   * For folds.
   */
  public Lease renewed(Frame by) {
    Instant end = end(by);
    return end == null ? this : new Lease(token, owner, by.time(), end, held);
  }

  /** Returns this lease as ended at a time, or at its end if it has expired before. */
  public Lease ended(Instant time) {
    return new Lease(token, owner, since, time.isBefore(until) ? time : until, false);
  }

  @Override
  public String toString() {
    return RalphException.quote(owner) + " until " + until + (held ? "" : " (ended)");
  }

  /**
   * Renews leases on a daemon thread, three times per length of the lease. So leases can be short,
   * and end soon after their holder was killed. Safe for use by many threads.
   */
  public static final class Renewal implements AutoCloseable {

    private final Duration lease;
    private final Runnable renewAll;

    // Guarded by this.
    @GuardedBy("this")
    private @Nullable ScheduledExecutorService timer;

    @GuardedBy("this")
    private boolean closed;

    /**
     * Creates a renewal that is not started.
     *
     * @param lease the length of the renewed leases
     * @param renewAll renews all held leases; called again at the next time if it throws
     */
    public Renewal(Duration lease, Runnable renewAll) {
      this.lease = Objects.requireNonNull(lease, "lease");
      this.renewAll = Objects.requireNonNull(renewAll, "renewAll");
    }

    /** Starts the thread. Does nothing if the renewal is started or closed. */
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
                "can't renew leases; retrying",
                e);
      }
    }

    /** Stops the thread. Idempotent. */
    @Override
    public synchronized void close() {
      closed = true;
      if (timer != null) {
        timer.shutdownNow();
      }
    }
  }
}
