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
 * A right to something for a limited time: a task that is claimed, a seat that is held. Immutable;
 * safe for use by many threads.
 *
 * <p>A frame that grants a lease says in its meta data to whom, and for how long: {@code owner} and
 * {@code until}. The frame's id is the lease's token. It fences: a state keeps the newest lease
 * only, so that a change under the token of an older one is recognised and refused, even if the
 * older owner does not know yet that it was too slow.
 *
 * <p>A lease keeps others away from the time of the frame that granted or renewed it until its end.
 * Before that time it does not: the clock was ahead when it was granted, and has been set right
 * since. Nobody can tell how much of it is left then, so it counts as run out, and never lasts
 * longer than was asked for.
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
   * Returns the lease that a frame grants, or null if it lacks an {@code owner}, or a time in
   * {@code until}. For folds.
   */
  public static @Nullable Lease of(Frame frame) {
    return of(frame, frame.meta().string("owner"));
  }

  /**
   * Returns the lease that a frame grants to an owner whom it names in its own way, or null if
   * there is none, or no time in {@code until}. For folds.
   */
  public static @Nullable Lease of(Frame frame, @Nullable String owner) {
    Instant until = end(frame);
    return owner == null || until == null
        ? null
        : new Lease(frame.id(), owner, frame.time(), until, true);
  }

  /** Returns the end that a frame gives a lease, or null: no lease is longer than it may be. */
  private static @Nullable Instant end(Frame frame) {
    Instant until = Timestamp.parse(frame.meta().string("until"));
    Instant latest = frame.time().plus(LONGEST);
    return until == null || until.isBefore(latest) ? until : latest;
  }

  /**
   * Returns when a lease ends that begins now. For deciders.
   *
   * @throws RalphException INVALID if it would be shorter than 1 ms, the precision of times in
   *     frames, or longer than 30 days
   */
  public static Instant end(Instant now, Duration length) {
    if (length.compareTo(SHORTEST) < 0 || length.compareTo(LONGEST) > 0) {
      throw RalphException.invalid(
          "a lease must be positive and at most " + LONGEST.toDays() + " days, not " + length);
    }
    return now.plus(length);
  }

  /**
   * Returns the token that its owner presents with a change: the id of the frame that granted it.
   */
  public String token() {
    return token;
  }

  /** Returns to whom it was granted. */
  public String owner() {
    return owner;
  }

  /** Returns when it was granted, or renewed last. */
  public Instant since() {
    return since;
  }

  /** Returns when it runs out, or when it was ended. */
  public Instant until() {
    return until;
  }

  /** Returns whether it was not ended. It may have run out: it counts until another is granted. */
  public boolean isHeld() {
    return held;
  }

  /** Returns whether it was not ended and has that token. */
  public boolean isHeldBy(String token) {
    return held && this.token.equals(token);
  }

  /**
   * Returns whether it keeps others away at that time: it was not ended and has not run out.
   *
   * @param now not earlier than the state was read that this lease is part of
   */
  public boolean isLive(Instant now) {
    return held && !now.isBefore(since) && now.isBefore(until);
  }

  /**
   * Returns this lease as a frame renews it that has a time in {@code until}, or unchanged if it
   * has none. For folds.
   */
  public Lease renewed(Frame by) {
    Instant end = end(by);
    return end == null ? this : new Lease(token, owner, by.time(), end, held);
  }

  /** Returns this lease as ended at that time, or earlier, if it had run out by then. */
  public Lease ended(Instant time) {
    return new Lease(token, owner, since, time.isBefore(until) ? time : until, false);
  }

  @Override
  public String toString() {
    return RalphException.quote(owner) + " until " + until + (held ? "" : " (ended)");
  }

  /**
   * Renews leases for as long as their holder lives: three times in the length of a lease, from a
   * thread of its own that keeps no program from ending. So a lease may be short, and is soon free
   * if its holder is killed. Safe for use by many threads.
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
}
