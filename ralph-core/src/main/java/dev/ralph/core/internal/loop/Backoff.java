package dev.ralph.core.internal.loop;

import dev.ralph.log.Meta;
import java.time.Duration;
import javax.annotation.Nullable;

/**
 * When the next iteration may begin, by how those before it ended: after a failure, a rate limit or
 * an iteration that changed nothing not at once, and later with each further one.
 */
final class Backoff {

  static final Duration LONGEST_FAILURE_PAUSE = Duration.ofMinutes(5);
  private static final Duration RATE_LIMIT_PAUSE = Duration.ofMinutes(1);
  private static final Duration LONGEST_RATE_LIMIT_PAUSE = Duration.ofMinutes(15);

  /** What to say when a wait begins. */
  record Notice(String message, Meta data) {}

  private final Pause failures;
  private final Pause idles;
  private final Pause rateLimits = new Pause(RATE_LIMIT_PAUSE, LONGEST_RATE_LIMIT_PAUSE);
  private TimeBox notBefore = TimeBox.of(Duration.ZERO);
  private boolean isIdlePause;
  @Nullable private Notice unsaid;

  /**
   * @param failurePause the pause after a first failure
   */
  Backoff(Duration failurePause) {
    this.failures = new Pause(failurePause, LONGEST_FAILURE_PAUSE);
    this.idles = new Pause(failurePause, LONGEST_FAILURE_PAUSE);
  }

  /**
   * Takes note of how an iteration ended.
   *
   * @param idle whether it ended well, and changed nothing once more
   */
  void note(AgentOutcome outcome, boolean idle) {
    isIdlePause = idle;
    if (!idle) {
      idles.reset();
    }
    switch (outcome.status()) {
      case SUCCESS:
        failures.reset();
        rateLimits.reset();
        if (idle) {
          pause(idles.next(), "no_progress", "an iteration that changed nothing");
        }
        break;
      case RATE_LIMITED:
        Duration growing = rateLimits.next();
        Duration told = outcome.retryAfter();
        if (told == null || told.isNegative() || told.isZero()) {
          pause(growing, "rate_limit", "a rate limit");
        } else {
          pause(Pause.bounded(told), "rate_limit", "a rate limit");
        }
        break;
      case INTERRUPTED:
        break;
      default:
        pause(failures.next(), "failure", "a failure");
    }
  }

  /** Returns how many iterations in a row have failed; those that were rate limited don't count. */
  int failures() {
    return failures.tries();
  }

  /** Returns what is up once the next iteration may begin. */
  TimeBox notBefore() {
    return notBefore;
  }

  /** Returns what to say of the wait, or null where that was said. */
  @Nullable
  Notice takeNotice() {
    Notice notice = unsaid;
    unsaid = null;
    return notice;
  }

  /** Returns whether the wait is for want of progress, which whatever comes may end. */
  boolean isIdlePause() {
    return isIdlePause;
  }

  /** Ends the wait. */
  void cutShort() {
    notBefore = TimeBox.of(Duration.ZERO);
  }

  private void pause(Duration pause, String reason, String after) {
    notBefore = TimeBox.of(pause);
    unsaid =
        new Notice(
            "waiting " + Words.time(pause) + " after " + after,
            Meta.of("reason", reason).with("millis", pause.toMillis()));
  }
}
