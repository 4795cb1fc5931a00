package dev.ralph.core.internal.control;

import dev.ralph.Control;
import dev.ralph.domain.ProcessIdentity;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The control state of a session at one moment.
 *
 * @param claimed whether a completion claim is pending: neither granted, refused, nor ended with
 *     its run
 * @param completed whether completion was granted and no loop was started since
 * @param refusals the reasons of the last refusal, empty after a new claim
 * @param paused whether loops wait
 * @param stop the order to stop the present run, or null
 * @param run the run without a recorded end, or null
 * @param ended the end of the newest run; null while a run is recorded, before the first end, and
 *     if the end has no reason
 */
public record ControlState(
    boolean claimed,
    boolean completed,
    List<String> refusals,
    boolean paused,
    @Nullable Stop stop,
    @Nullable Run run,
    Control.@Nullable LoopEnd ended) {

  static final ControlState NONE =
      new ControlState(false, false, List.of(), false, null, null, null);

  /**
   * The amounts added to the limits of a run. Added iterations are part of the run's limit.
   *
   * <p>The cost is a text because short commands fold the control topic: on JDK 25 the
   * initialization of {@code BigDecimal} takes longer than the command itself.
   *
   * @param cost in US dollars, the text of a {@code BigDecimal}
   * @param tokens of all kinds
   */
  public record Raised(String cost, long tokens) {

    /** The text of a cost of zero. */
    static final String NO_COST = "0";

    /** No added amounts. */
    public static final Raised NONE = new Raised(NO_COST, 0);

    /** Returns the added cost in US dollars. */
    public BigDecimal costUsd() {
      return new BigDecimal(cost);
    }

    private String costWith(String more) {
      if (more.equals(NO_COST)) {
        return cost;
      }
      return cost.equals(NO_COST) ? more : costUsd().add(new BigDecimal(more)).toString();
    }
  }

  /** Returns the amounts added to the limits of the run. */
  public Raised raised() {
    return run == null ? Raised.NONE : run.raised();
  }

  /** An order to stop, with an optional reason. */
  public record Stop(@Nullable String reason) {}

  /**
   * A run of a loop and its process.
   *
   * @param token the run's token, or null if unknown
   * @param first the number of the first iteration of the run, including a killed loop that it
   *     continues; 0 if unknown
   * @param from the number of the first iteration of this loop, 0 if unknown
   * @param limit the maximum number of iterations, counted from {@code from}; 0 for none
   * @param agents the number of concurrent agents, at least 1
   * @param lease the time until the session is free without a heartbeat, in milliseconds; 0 if the
   *     session is free only after the end of the process
   * @param seen the time of the last heartbeat
   * @param raised the amounts added to the run's limits
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
     * Returns whether the run is or may be live. On another machine the lease decides; without a
     * lease the run counts as live. In this process the token decides, because a run may end
     * without being able to record the end.
     */
    public boolean isLive(Instant now) {
      Instant until = until();
      return until == null
          ? process.isLive() && (token == null || !process.isCurrent() || RunToken.isHeld(token))
          : now.isBefore(until);
    }

    /**
     * Returns the time from which another loop may take over the session; null if the session is
     * free only after the end of the process.
     */
    @Nullable Instant until() {
      return lease == 0 || process.isHere() ? null : seen.plusMillis(lease);
    }

    /** Returns whether a token belongs to this run. */
    boolean isOf(RunToken other) {
      return other.text().equals(token);
    }
  }

  ControlState claim() {
    return new ControlState(true, completed, List.of(), paused, stop, run, ended);
  }

  ControlState grant() {
    return new ControlState(false, true, List.of(), paused, stop, run, ended);
  }

  ControlState refuse(List<String> reasons) {
    return new ControlState(false, false, reasons, paused, stop, run, ended);
  }

  ControlState paused(boolean paused) {
    return new ControlState(claimed, completed, refusals, paused, stop, run, ended);
  }

  ControlState stop(@Nullable String reason) {
    return new ControlState(claimed, completed, refusals, paused, new Stop(reason), run, ended);
  }

  /** Returns this state after a heartbeat. */
  ControlState seen(@Nullable String token, Instant time) {
    if (run == null || token == null || !token.equals(run.token())) {
      return this;
    }
    return of(run.with(run.limit(), time, run.raised()));
  }

  private ControlState of(Run same) {
    return new ControlState(claimed, completed, refusals, paused, stop, same, ended);
  }

  /** Returns this state with the limits of the run raised. Unchanged without a run. */
  ControlState raise(int iterations, String cost, long tokens) {
    if (run == null) {
      return this;
    }
    int limit =
        run.limit() == 0 ? 0 : (int) Math.min(Integer.MAX_VALUE, (long) run.limit() + iterations);
    long most = run.raised().tokens() + tokens;
    Raised more =
        new Raised(run.raised().costWith(cost), most < 0 ? Long.MAX_VALUE : most); // overflow
    return of(run.with(limit, run.seen(), more));
  }

  /**
   * Returns this state with a new run. A claim of a killed run is dropped. The added limits of a
   * killed run are kept, because its usage is kept too.
   */
  ControlState begin(@Nullable Run next) {
    Run goesOn =
        run == null || next == null ? next : next.with(next.limit(), next.seen(), run.raised());
    return new ControlState(claimed && run == null, false, refusals, paused, null, goesOn, null);
  }

  /**
   * Returns this state after the end of the run. An undecided claim is dropped, because the next
   * run may have other gates.
   */
  ControlState end(Control.@Nullable LoopEnd end) {
    return new ControlState(false, completed, refusals, paused, stop, null, end);
  }
}
