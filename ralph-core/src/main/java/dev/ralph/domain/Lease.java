package dev.ralph.domain;

import dev.ralph.RalphException;
import dev.ralph.log.Frame;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A right to something for a limited time: a task that is claimed, a seat that is held. Immutable;
 * safe for use by many threads.
 *
 * <p>A frame that grants a lease says in its meta data to whom, and for how long: {@code owner} and
 * {@code until}. The frame's id is the lease's token. It fences: a state keeps the newest lease
 * only, so that a change under the token of an older one is recognised and refused, even if the
 * older owner does not know yet that it was too slow.
 */
public final class Lease {

  private static final Duration SHORTEST = Duration.ofMillis(1);

  private static final Duration LONGEST = Duration.ofDays(30);

  private final String token;
  private final String owner;
  private final Instant until;
  private final boolean held;

  Lease(String token, String owner, Instant until, boolean held) {
    this.token = token;
    this.owner = owner;
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
    Instant until = Timestamp.parse(frame.meta().string("until"));
    return owner == null || until == null ? null : new Lease(frame.id(), owner, until, true);
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

  /** Returns whether it keeps others away at that time: it was not ended and has not run out. */
  public boolean isLive(Instant now) {
    return held && now.isBefore(until);
  }

  /** Returns this lease, running until that time. */
  public Lease renewed(Instant until) {
    return new Lease(token, owner, until, held);
  }

  /** Returns this lease as ended at that time, or earlier, if it had run out by then. */
  public Lease ended(Instant time) {
    return new Lease(token, owner, time.isBefore(until) ? time : until, false);
  }

  @Override
  public String toString() {
    return RalphException.quote(owner) + " until " + until + (held ? "" : " (ended)");
  }
}
