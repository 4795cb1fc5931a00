package dev.ralph.core.internal.loop.run;

import dev.ralph.Usage;
import dev.ralph.core.internal.control.ControlState;
import dev.ralph.core.internal.loop.policy.Limits;
import dev.ralph.log.Meta;
import java.math.BigDecimal;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The usage of a run's iterations, and its limits. Safe for use by many threads, because several
 * iterations may run concurrently.
 */
public final class Budget {

  private final Limits given;

  /** The configured limits plus the amounts added during the run. */
  private volatile Limits run;

  private volatile ControlState.Raised raised = ControlState.Raised.NONE;

  /** The usage of all ended iterations, of this run and of the killed run that it continues. */
  private volatile Usage used = Usage.NONE;

  /** The shares of the running iterations. */
  private final Set<Share> shares = ConcurrentHashMap.newKeySet();

  /**
   * A limit that was reached, which stays reached even if the agent finally reports a smaller
   * usage.
   */
  private volatile @Nullable String reached;

  /** The warnings about limits that can't be enforced, to report each only once. */
  private final Set<String> said = ConcurrentHashMap.newKeySet();

  /**
   * @param run limits of all iterations together
   */
  Budget(Limits run) {
    this.given = run;
    this.run = run;
  }

  /** Sets the total of the amounts added to the limits of the run. */
  void raise(ControlState.Raised more) {
    Limits increased = given.plus(more);
    if (!increased.equals(run)) {
      run = increased;
      raised = more;
      reached = null;
    }
  }

  /**
   * Begins the share of an iteration.
   *
   * @param limits the limits of the single iteration
   */
  Share begin(int iteration, Limits limits) {
    Share share = new Share(iteration, limits);
    shares.add(share);
    return share;
  }

  /** Returns whether the whole run has a limit. */
  public boolean isLimited() {
    return run.isLimited();
  }

  /** Adds earlier usage. Called only by the stepping thread. */
  public void add(Usage more) {
    used = used.plus(more);
  }

  /**
   * Returns the budget for the record of an iteration that begins. The budget contains the run's
   * limits, the amounts added to them, the usage of ended iterations, and the numbers of running
   * iterations. Null if the run has no limits.
   */
  public @Nullable Meta json() {
    if (!isLimited()) {
      return null;
    }
    ControlState.Raised more = raised;
    BigDecimal moreCost = more.costUsd();
    List<Integer> running = shares.stream().map(share -> share.iteration).sorted().toList();
    return Meta.empty()
        .with("max_cost_usd", run.cost())
        .with("max_tokens", run.tokens())
        .with("raised_cost_usd", moreCost.signum() == 0 ? null : moreCost)
        .with("raised_tokens", more.tokens() == 0 ? null : more.tokens())
        .with("used", used.json())
        .with("running", running);
  }

  private @Nullable String once(String words) {
    return said.add(words) ? words : null;
  }

  /** Returns a message if the budget of the run is used up, or null. */
  public @Nullable String reached() {
    String known = reached;
    return known != null ? known : run.reached(used, "");
  }

  /** The usage and the limits of one iteration. */
  public final class Share {

    private final int iteration;
    private final Limits limits;
    private volatile Usage soFar = Usage.NONE;

    private Share(int iteration, Limits limits) {
      this.iteration = iteration;
      this.limits = limits;
    }

    /** Returns the number of the iteration. */
    public int iteration() {
      return iteration;
    }

    /** Returns whether the budget of the run is used up. */
    public boolean isRunSpent() {
      return Budget.this.reached() != null;
    }

    /** Ends the iteration and adds its usage. Called only by the stepping thread. */
    void end(Usage all) {
      shares.remove(this);
      add(all);
    }

    /** Returns the usage of the other running iterations and of all ended iterations. */
    private Usage others() {
      Usage sum = used;
      for (Share share : shares) {
        sum = share == this ? sum : sum.plus(share.soFar);
      }
      return sum;
    }

    /** Returns the highest cost of the iteration if it begins now, or null for no limit. */
    public @Nullable BigDecimal left() {
      BigDecimal ofRun = run.cost();
      BigDecimal spent = others().costUsd();
      BigDecimal left = ofRun == null || spent == null ? ofRun : ofRun.subtract(spent);
      BigDecimal ofIteration = limits.cost();
      return left == null || ofIteration != null && ofIteration.compareTo(left) < 0
          ? ofIteration
          : left;
    }

    /**
     * Returns a warning if a limit can't be enforced; null otherwise, or if the warning was already
     * returned.
     *
     * @param soFar the usage of the iteration so far
     */
    public @Nullable String blindTo(Usage soFar) {
      boolean priced = soFar.totalTokens() == 0 || soFar.costUsd() != null;
      return priced || run.cost() == null && limits.cost() == null
          ? null
          : once(
              "the agent reports no cost, so the cost limit is not in force; limit the tokens"
                  + " instead");
    }

    /**
     * Returns a warning like {@link #blindTo}, for an ended iteration.
     *
     * @param well whether the agent succeeded, and thus could report usage
     */
    @Nullable String blindToEnded(Usage all, boolean well) {
      if (!run.isLimited() && !limits.isLimited()) {
        return null;
      }
      if (all.isPartial()) {
        return once(
            "the usage of an iteration was reported only in part, so the limit applies to the"
                + " reported part");
      }
      if (well && all.equals(Usage.NONE)) {
        return once(
            "the agent reports no usage, so the limit of "
                + (run.cost() != null || limits.cost() != null ? "the cost" : "the tokens")
                + " is not in force");
      }
      return blindTo(all);
    }

    /**
     * Returns a message if the budget of the run is used up, or null.
     *
     * @param soFar the usage of the iteration so far
     */
    public @Nullable String reachedWith(Usage soFar) {
      this.soFar = soFar;
      String words = run.reached(others().plus(soFar), "");
      if (words != null) {
        reached = words;
      }
      return words;
    }

    /** Returns a message if the iteration has used up its budget, or null. */
    public @Nullable String reachedByIteration(Usage soFar) {
      return limits.reached(soFar, " for an iteration");
    }
  }
}
