package dev.ralph.core.internal.loop;

import dev.ralph.Usage;
import dev.ralph.core.internal.control.Steering;
import dev.ralph.log.Meta;
import java.math.BigDecimal;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * What the iterations of a run use, and what they may use at most. Safe for use by many threads:
 * several iterations may run at once.
 */
final class Budget {

  private final Limits given;

  /** The limits given and the amounts added to them while the run goes on. */
  private volatile Limits run;

  private volatile Steering.Raised raised = Steering.Raised.NONE;

  /** By all iterations that have ended, of this run and of the killed one that it goes on for. */
  private volatile Usage used = Usage.NONE;

  /** Of the iterations that run. */
  private final Set<Share> shares = ConcurrentHashMap.newKeySet();

  /** What stays true once it was found, even if the agent's last word was a smaller number. */
  private volatile @Nullable String reached;

  /** What was said of limits that can't be kept; once is enough. */
  private final Set<String> said = ConcurrentHashMap.newKeySet();

  /**
   * @param run limits of all iterations together
   */
  Budget(Limits run) {
    this.given = run;
    this.run = run;
  }

  /** Takes note of what was added to the limits of the run, all in all. */
  void raise(Steering.Raised more) {
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
   * @param limits of the iteration alone
   */
  Share begin(int iteration, Limits limits) {
    Share share = new Share(iteration, limits);
    shares.add(share);
    return share;
  }

  /** Returns whether the run as a whole has a limit. */
  boolean isLimited() {
    return run.isLimited();
  }

  /** Adds what was used before. For the thread that steps. */
  void add(Usage more) {
    used = used.plus(more);
  }

  /**
   * Returns the budget for the record of an iteration that begins: the run's limits, the amounts
   * added to them, the usage of the iterations that have ended, and the numbers of the iterations
   * that run. Null if the run has no limits.
   */
  @Nullable Meta json() {
    if (!isLimited()) {
      return null;
    }
    Steering.Raised more = raised;
    List<Integer> running = shares.stream().map(share -> share.iteration).sorted().toList();
    return Meta.empty()
        .with("max_cost_usd", run.cost())
        .with("max_tokens", run.tokens())
        .with("raised_cost_usd", more.cost().signum() == 0 ? null : more.cost())
        .with("raised_tokens", more.tokens() == 0 ? null : more.tokens())
        .with("used", used.json())
        .with("running", running);
  }

  private @Nullable String once(String words) {
    return said.add(words) ? words : null;
  }

  /** Returns in words that the budget of the run is used up, or null where it is not. */
  @Nullable String reached() {
    String known = reached;
    return known != null ? known : run.reached(used, "");
  }

  /** What one iteration uses, and may use at most. */
  final class Share {

    private final int iteration;
    private final Limits limits;
    private volatile Usage soFar = Usage.NONE;

    private Share(int iteration, Limits limits) {
      this.iteration = iteration;
      this.limits = limits;
    }

    /** The iteration has ended, and has used that. For the thread that steps. */
    void end(Usage all) {
      shares.remove(this);
      add(all);
    }

    /** Returns what the others that run and those that have ended have used. */
    private Usage others() {
      Usage sum = used;
      for (Share share : shares) {
        sum = share == this ? sum : sum.plus(share.soFar);
      }
      return sum;
    }

    /** Returns what the iteration may cost if it begins now, or null for no limit. */
    @Nullable BigDecimal left() {
      BigDecimal ofRun = run.cost();
      BigDecimal spent = others().costUsd();
      BigDecimal left = ofRun == null || spent == null ? ofRun : ofRun.subtract(spent);
      BigDecimal ofIteration = limits.cost();
      return left == null || ofIteration != null && ofIteration.compareTo(left) < 0
          ? ofIteration
          : left;
    }

    /**
     * Returns in words that a limit can't be kept, or null where all can, or that was said.
     *
     * @param soFar what the iteration has used
     */
    @Nullable String blindTo(Usage soFar) {
      boolean priced = soFar.totalTokens() == 0 || soFar.costUsd() != null;
      return priced || run.cost() == null && limits.cost() == null
          ? null
          : once(
              "the agent does not say what it costs, so the loop can't keep the limit of the cost;"
                  + " limit the tokens instead");
    }

    /**
     * As above, of an iteration that has ended.
     *
     * @param well whether its agent ended well, and not before it could tell anything
     */
    @Nullable String blindToEnded(Usage all, boolean well) {
      if (!run.isLimited() && !limits.isLimited()) {
        return null;
      }
      if (all.isPartial()) {
        return once(
            "not all is known of what an iteration used, so the limit is kept by what is known");
      }
      if (well && all.equals(Usage.NONE)) {
        return once(
            "the agent does not say what it used, so the limit of "
                + (run.cost() != null || limits.cost() != null ? "the cost" : "the tokens")
                + " is not in force");
      }
      return blindTo(all);
    }

    /**
     * Returns in words that the budget of the run is used up, or null where it is not.
     *
     * @param soFar what the iteration has used
     */
    @Nullable String reachedWith(Usage soFar) {
      this.soFar = soFar;
      String words = run.reached(others().plus(soFar), "");
      if (words != null) {
        reached = words;
      }
      return words;
    }

    /** Returns in words that the iteration has used up its budget, or null where it has not. */
    @Nullable String reachedByIteration(Usage soFar) {
      return limits.reached(soFar, " for an iteration");
    }
  }
}
