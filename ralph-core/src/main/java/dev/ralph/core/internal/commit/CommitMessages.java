package dev.ralph.core.internal.commit;

import dev.ralph.Verdict;
import dev.ralph.core.internal.commit.CommitHooks.Limits;
import dev.ralph.core.internal.commit.CommitHooks.Outcome;
import dev.ralph.log.RalphException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

/**
 * Commit messages that the hook {@code commit-msg} has accepted or rewritten. A rejected message is
 * used unchanged, because no task is returned for its title. The hook runs in the user's checkout,
 * which has its configuration and programs. Not thread-safe.
 */
public final class CommitMessages {

  /** The time limit of a hook run. */
  public static final Duration LIMIT = Duration.ofSeconds(30);

  private static final String TRAILER = "Ralph-";

  private final CommitHooks hooks;
  private final Path checkout;
  private final Limits limits;
  private final Consumer<String> notices;
  private boolean isInUse;
  private boolean hasTold;

  /**
   * Creates the messages without running the hook.
   *
   * @param checkout the top folder of the user's checkout
   * @param limits the limits of one hook run
   * @param notices receives sentences for people
   */
  public CommitMessages(CommitHooks hooks, Path checkout, Limits limits, Consumer<String> notices) {
    this.hooks = hooks;
    this.checkout = checkout;
    this.limits = limits;
    this.notices = notices;
    this.isInUse = hooks.hasCommitMsg();
  }

  /**
   * Runs the hook with a sample message, and disables the hook in this run if it rejects the
   * sample.
   *
   * @param sample a typical commit message
   * @param hasTemplate whether the user has configured a template of titles
   */
  public void trySample(String sample, boolean hasTemplate) throws InterruptedException {
    if (!isInUse) {
      return;
    }
    Verdict verdict = hooks.commitMsg(sample, checkout, limits).verdict();
    if (!verdict.isPassed()) {
      isInUse = false;
      notices.accept(
          refused(sample, verdict)
              + "; commits are made without the hook. "
              + (hasTemplate
                  ? "Change the template of titles, --commit-title"
                  : "Set a template of titles that the hook accepts, such as --commit-title 'feat:"
                      + " {lower-title}'")
              + ". "
              + CommitHooks.REMEDY);
    }
  }

  /** Returns the message for the commit. */
  public String checked(String message) throws InterruptedException {
    if (!isInUse) {
      return message;
    }
    Outcome outcome = hooks.commitMsg(message, checkout, limits);
    if (!outcome.verdict().isPassed()) {
      if (!hasTold) {
        hasTold = true;
        notices.accept(
            refused(message, outcome.verdict())
                + "; this commit, and later commits refused by the hook, are made without the hook."
                + " "
                + CommitHooks.REMEDY);
      }
      return message;
    }
    List<String> kept = outcome.message().lines().map(String::strip).toList();
    boolean isWhole =
        message.lines().filter(line -> line.startsWith(TRAILER)).allMatch(kept::contains);
    return outcome.message().isBlank() || !isWhole ? message : outcome.message().strip();
  }

  private static String refused(String message, Verdict verdict) {
    String title = message.lines().findFirst().orElse("");
    String why =
        verdict.reason().lines().filter(line -> !line.isBlank()).reduce("", (all, line) -> line);
    return "the Git hook commit-msg refuses the title "
        + RalphException.quote(title)
        + (why.isEmpty() ? "" : " (" + RalphException.quote(why.strip()) + ")");
  }
}
