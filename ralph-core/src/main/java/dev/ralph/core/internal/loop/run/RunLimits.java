package dev.ralph.core.internal.loop.run;

import dev.ralph.Iteration;
import dev.ralph.Usage;
import dev.ralph.core.internal.control.ControlState;
import dev.ralph.core.internal.loop.policy.AgentOutcome;
import dev.ralph.core.internal.loop.policy.Backoff;
import dev.ralph.core.internal.loop.policy.Limits;
import dev.ralph.core.internal.loop.policy.RetryPause;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The limits of a run and their use. Only for the stepping thread, except the budget. */
public final class RunLimits {

  private final LoopClock time;
  private final @Nullable Duration ofRun;
  private final Budget budget;
  private RetryPause refusals;
  private TimeBox timeLimit;
  private int last;
  private int iterations;
  private Usage usage = Usage.NONE;

  public RunLimits(LoopSettings settings, LoopClock time) {
    this.time = time;
    this.ofRun = settings.timeLimit();
    this.budget = new Budget(settings.limits());
    this.refusals = new RetryPause(settings.failurePause(), Backoff.LONGEST_FAILURE_PAUSE);
    this.timeLimit = time.box(null);
  }

  /** Starts the time limit of the run. */
  public void begin() {
    limit(time.box(ofRun));
  }

  public void limit(TimeBox limit) {
    timeLimit = limit;
  }

  /** Counts an iteration, and begins its share of the budget. */
  public Budget.Share begin(int iteration, Limits limits) {
    last = iteration;
    iterations++;
    return budget.begin(iteration, limits);
  }

  /**
   * Adds the usage of an ended iteration.
   *
   * @return a warning about a limit that can't be enforced; null for none
   */
  public @Nullable String spend(Budget.Share share, AgentOutcome outcome) {
    usage = usage.plus(outcome.usage());
    share.end(outcome.usage());
    return share.blindToEnded(outcome.usage(), outcome.status() == Iteration.Status.SUCCESS);
  }

  /** Applies the amounts that a person added to the limits. */
  void raise(ControlState steering) {
    budget.raise(steering.raised());
  }

  /** Returns the time source of the limits. */
  LoopClock time() {
    return time;
  }

  /** Returns the time limit of the run, unlimited before its start. */
  public TimeBox timeLimit() {
    return timeLimit;
  }

  /** Returns the budget of the run. */
  public Budget budget() {
    return budget;
  }

  /** Counts a failure of the store; returns the pause before the next attempt. */
  public RetryPause refused() {
    refusals = refusals.next();
    return refusals;
  }

  /** Records that the store works. */
  public void accepted() {
    refusals = refusals.reset();
  }

  /** Returns the number of the newest iteration of this run, or 0. */
  public int last() {
    return last;
  }

  /** Returns the number of iterations that this run has begun. */
  public int iterations() {
    return iterations;
  }

  /** Returns the total usage of the ended iterations. */
  public Usage usage() {
    return usage;
  }
}
