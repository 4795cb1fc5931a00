package dev.ralph.core.internal.control;

import dev.ralph.domain.ProcessIdentity;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the frames of a session's control topic come to at one moment.
 *
 * @param claimed whether completion was claimed and neither granted nor refused since, nor did the
 *     run end that it was claimed in
 * @param completed whether it was granted and no loop began since
 * @param refusals why completion was refused the last time, unless it was claimed again since
 * @param paused whether loops wait
 * @param stop the order to stop that was given since the newest loop began, or null
 * @param run the loop that began and has not said it ended, or null
 */
public record Steering(
    boolean claimed,
    boolean completed,
    List<String> refusals,
    boolean paused,
    @Nullable Stop stop,
    @Nullable Run run) {

  static final Steering NONE = new Steering(false, false, List.of(), false, null, null);

  /**
   * What a run may use besides what it was given; none of iterations, which are in its limit.
   *
   * @param cost in US dollars
   * @param tokens of all kinds
   */
  public record Raised(BigDecimal cost, long tokens) {

    /** Nothing. */
    public static final Raised NONE = new Raised(BigDecimal.ZERO, 0);
  }

  /** Returns what the run may use besides. */
  public Raised raised() {
    return run == null ? Raised.NONE : run.raised();
  }

  /** An order to stop, with its reason if one was given. */
  public record Stop(@Nullable String reason) {}

  /**
   * A loop and its process.
   *
   * @param token what it is known by, or null if it gave none
   * @param first the number of its first iteration, or of that of the killed loop that it goes on
   *     for; 0 if it gave none
   * @param from the number of the first iteration that it runs itself, 0 if it gave none
   * @param limit how many iterations it has at most, counted from there; 0 if it gave none
   * @param agents how many agents work at once, 1 or more
   * @param lease how long it keeps the session without a sign of life, in milliseconds; 0 where
   *     only its process tells
   * @param seen when it gave the last one
   * @param raised what it may use besides what it was given
   */
  public record Run(
      @Nullable String token,
      ProcessIdentity process,
      int first,
      int from,
      int limit,
      int agents,
      long lease,
      Instant seen,
      Raised raised) {

    private Run with(int most, Instant at, Raised more) {
      return new Run(token, process, first, from, most, agents, lease, at, more);
    }

    /**
     * Returns whether the loop runs, or may: of another machine its lease tells, and nobody can
     * where it has none. Of one in this process its token tells, since a loop that could not write
     * its end is over all the same.
     */
    boolean isLive(Instant now) {
      Instant until = until();
      return until == null
          ? process.isLive() && (token == null || !process.isCurrent() || RunToken.isHeld(token))
          : now.isBefore(until);
    }

    /** Returns when another loop may take the session; null where only the process tells. */
    @Nullable Instant until() {
      return lease == 0 || process.isHere() ? null : seen.plusMillis(lease);
    }

    /** Returns whether a token is this loop's. */
    boolean isOf(RunToken other) {
      return other.text().equals(token);
    }
  }

  Steering claim() {
    return new Steering(true, completed, List.of(), paused, stop, run);
  }

  Steering grant() {
    return new Steering(false, true, List.of(), paused, stop, run);
  }

  Steering refuse(List<String> reasons) {
    return new Steering(false, false, reasons, paused, stop, run);
  }

  Steering paused(boolean paused) {
    return new Steering(claimed, completed, refusals, paused, stop, run);
  }

  Steering stop(@Nullable String reason) {
    return new Steering(claimed, completed, refusals, paused, new Stop(reason), run);
  }

  /** The loop has given a sign of life. */
  Steering seen(@Nullable String token, Instant time) {
    if (run == null || token == null || !token.equals(run.token())) {
      return this;
    }
    return of(run.with(run.limit(), time, run.raised()));
  }

  private Steering of(Run same) {
    return new Steering(claimed, completed, refusals, paused, stop, same);
  }

  /** The run may use more, if one is under way. */
  Steering raise(int iterations, BigDecimal cost, long tokens) {
    if (run == null) {
      return this;
    }
    int limit =
        run.limit() == 0 ? 0 : (int) Math.min(Integer.MAX_VALUE, (long) run.limit() + iterations);
    long most = run.raised().tokens() + tokens;
    Raised more =
        new Raised(run.raised().cost().add(cost), most < 0 ? Long.MAX_VALUE : most); // not over
    return of(run.with(limit, run.seen(), more));
  }

  /**
   * A claim made in an earlier run, which was killed then, does not count in this one; what that
   * may use does, because what it has used does.
   */
  Steering begin(@Nullable Run next) {
    Run goesOn =
        run == null || next == null ? next : next.with(next.limit(), next.seen(), run.raised());
    return new Steering(claimed && run == null, false, refusals, paused, null, goesOn);
  }

  /** A claim that was not judged ends with the run: what comes next may have other gates. */
  Steering end() {
    return new Steering(false, completed, refusals, paused, stop, null);
  }
}
