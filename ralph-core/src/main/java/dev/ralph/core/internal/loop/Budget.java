package dev.ralph.core.internal.loop;

import dev.ralph.Usage;
import dev.ralph.log.Meta;
import java.math.BigDecimal;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * What the iterations of a run use, and what they may use at most. Iterations are added by the
 * thread that steps; any thread may ask about the one that runs.
 */
final class Budget {

  private final Limits run;

  /** Of the iteration that runs, or is about to. */
  private volatile Limits iteration = Limits.NONE;

  /** By all iterations that have ended, of this run and of the killed one that it goes on for. */
  private volatile Usage used = Usage.NONE;

  /** What stays true once it was found, even if the agent's last word was a smaller number. */
  private volatile @Nullable String reached;

  /** What was said of limits that can't be kept; once is enough. */
  private final Set<String> said = ConcurrentHashMap.newKeySet();

  /**
   * @param run limits of all iterations together
   */
  Budget(Limits run) {
    this.run = run;
  }

  /** An iteration begins that has limits of its own. */
  void begin(Limits limits) {
    iteration = limits;
  }

  /** Returns whether the run as a whole has a limit. */
  boolean isLimited() {
    return run.isLimited();
  }

  /** Adds what an iteration used that has ended. */
  void add(Usage more) {
    used = used.plus(more);
  }

  /** Returns what an iteration that begins now may cost, or null for no limit. */
  @Nullable BigDecimal left() {
    BigDecimal ofRun = run.cost();
    BigDecimal spent = used.costUsd();
    BigDecimal left = ofRun == null || spent == null ? ofRun : ofRun.subtract(spent);
    BigDecimal ofIteration = iteration.cost();
    return left == null || ofIteration != null && ofIteration.compareTo(left) < 0
        ? ofIteration
        : left;
  }

  /** Returns the limits of the run, and what it has used of them; null where it has none. */
  @Nullable Meta json() {
    return isLimited()
        ? Meta.empty()
            .with("max_cost_usd", run.cost())
            .with("max_tokens", run.tokens())
            .with("used", used.json())
        : null;
  }

  /**
   * Returns in words that a limit can't be kept, or null where all can, or that was said.
   *
   * @param soFar what the iteration that runs has used
   */
  @Nullable String blindTo(Usage soFar) {
    boolean priced = soFar.totalTokens() == 0 || soFar.costUsd() != null;
    return priced || run.cost() == null && iteration.cost() == null
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
    if (!run.isLimited() && !iteration.isLimited()) {
      return null;
    }
    if (all.isPartial()) {
      return once(
          "not all is known of what an iteration used, so the limit is kept by what is known");
    }
    if (well && all.equals(Usage.NONE)) {
      return once(
          "the agent does not say what it used, so the limit of "
              + (run.cost() != null || iteration.cost() != null ? "the cost" : "the tokens")
              + " is not in force");
    }
    return blindTo(all);
  }

  private @Nullable String once(String words) {
    return said.add(words) ? words : null;
  }

  /** Returns in words that the budget of the run is used up, or null where it is not. */
  @Nullable String reached() {
    String known = reached;
    return known != null ? known : run.reached(used, "");
  }

  /**
   * Returns in words that the budget of the run is used up, or null where it is not.
   *
   * @param soFar what the iteration that runs has used
   */
  @Nullable String reachedWith(Usage soFar) {
    String words = run.reached(used.plus(soFar), "");
    if (words != null) {
      reached = words;
    }
    return words;
  }

  /** Returns in words that an iteration has used up its budget, or null where it has not. */
  @Nullable String reachedByIteration(Usage soFar) {
    return iteration.reached(soFar, " for an iteration");
  }
}
