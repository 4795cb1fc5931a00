package dev.ralph.core.internal.loop.policy;

import dev.ralph.Iteration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The consecutive successful iterations without changes.
 *
 * @param maxIdle the number of such iterations that ends the loop; 0 for no limit
 * @param idle the number of such iterations
 * @param lastWasIdle whether the last iteration was one
 */
public record IdleCount(int maxIdle, int idle, boolean lastWasIdle) {

  /** The number of iterations without changes before the agent is warned and the loop waits. */
  private static final int WARNED_AFTER = 2;

  private static final String NOTHING =
      "no task, note, message or question of the session, no commit, no file";

  /**
   * Returns the count before the first iteration. Detecting changes takes longer than a quick
   * agent, and after a single iteration nobody reads the result; therefore the count is off for a
   * single iteration.
   *
   * @param maxIterations the iteration limit; 0 for no limit
   */
  public static IdleCount of(int maxIdle, int maxIterations) {
    return new IdleCount(maxIterations == 1 && maxIdle > 1 ? 0 : maxIdle, 0, false);
  }

  /** Returns whether changes have to be detected. */
  public boolean isWatching() {
    return maxIdle > 0;
  }

  /**
   * Returns the count after an iteration. A review may change nothing, and its reports about a
   * stuck loop are no progress.
   *
   * @param changed whether the session, commits or files have changed; true if unknown
   */
  public IdleCount after(Iteration.Role role, Iteration.Status status, boolean changed) {
    if (maxIdle == 0 || role == Iteration.Role.REVIEW) {
      return new IdleCount(maxIdle, idle, false);
    }
    boolean isIdle = !changed && status == Iteration.Status.SUCCESS;
    return new IdleCount(maxIdle, changed ? 0 : isIdle ? idle + 1 : idle, isIdle);
  }

  /**
   * Returns whether the last iteration succeeded without changes, and not for the first time. The
   * next iteration should then be delayed.
   */
  public boolean isStuck() {
    return lastWasIdle && idle >= WARNED_AFTER;
  }

  /** Returns whether the loop ends. */
  public boolean isOver() {
    return maxIdle > 0 && idle >= maxIdle;
  }

  /**
   * Returns the reason of the end.
   *
   * @param unread a description of the unread messages; null for none
   * @param open the number of open questions
   */
  String reason(@Nullable String unread, int open) {
    String one = "; 1 question waits for an answer";
    String questions = open == 1 ? one : "; " + open + " questions wait for answers";
    return ("nothing has changed in " + iterations() + ": " + NOTHING)
        + (unread == null ? "" : "; " + unread)
        + (open == 0 ? "" : questions);
  }

  /** Returns the warning for the agent's prompt, or empty. */
  public Optional<String> warning() {
    return idle < WARNED_AFTER
        ? Optional.empty()
        : Optional.of(
            "Nothing has changed in the last "
                + iterations()
                + ": "
                + NOTHING
                + ". The loop ends after "
                + maxIdle
                + " such iterations.");
  }

  private String iterations() {
    return idle + (idle == 1 ? " iteration" : " iterations");
  }
}
