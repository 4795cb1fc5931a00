package dev.ralph.core.internal.loop;

import dev.ralph.Usage;
import org.jspecify.annotations.Nullable;

/**
 * What the iterations of a run use, and what they may use at most. Iterations are added by the
 * thread that steps; any thread may ask about the one that runs.
 */
final class Budget {

  private final Limits run;
  private final Limits iteration;

  /** By all iterations that have ended, of this run and of the killed one that it goes on for. */
  private volatile Usage used = Usage.NONE;

  /** What stays true once it was found, even if the agent's last word was a smaller number. */
  private volatile @Nullable String reached;

  private boolean knowsNoCost;

  /**
   * @param run limits of all iterations together
   * @param iteration limits of each
   */
  Budget(Limits run, Limits iteration) {
    this.run = run;
    this.iteration = iteration;
  }

  /** Returns whether the run as a whole has a limit. */
  boolean isLimited() {
    return run.isLimited();
  }

  /** Adds what an iteration used that has ended. */
  void add(Usage more) {
    used = used.plus(more);
    knowsNoCost |= more.totalTokens() > 0 && more.costUsd() == null;
  }

  /** Returns whether a limit of the cost has no effect, because the agent tells only of tokens. */
  boolean isBlindToCost() {
    return knowsNoCost
        && used.costUsd() == null
        && (run.cost() != null || iteration.cost() != null);
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
