package dev.ralph.core.internal.loop;

import dev.ralph.LoopEvent.Waiting.Reason;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Computes the earliest start of the next iteration. After a failure, a rate limit or an iteration
 * without changes the next iteration is delayed. The delay grows with each repetition.
 */
final class Backoff {

  /** A description of a wait for the listeners. */
  record Notice(String message, Reason reason, Duration atMost) {}

  static final Duration LONGEST_FAILURE_PAUSE = Duration.ofMinutes(5);
  private static final Duration RATE_LIMIT_PAUSE = Duration.ofMinutes(1);
  private static final Duration LONGEST_RATE_LIMIT_PAUSE = Duration.ofMinutes(15);

  private final RetryPause failures;
  private final RetryPause idles;
  private final RetryPause rateLimits = new RetryPause(RATE_LIMIT_PAUSE, LONGEST_RATE_LIMIT_PAUSE);
  private final LoopClock time;
  private TimeBox notBefore;
  private boolean isIdlePause;
  private @Nullable Notice unsaid;

  /**
   * @param failurePause the pause after a first failure
   * @param time the time source of pauses
   */
  Backoff(Duration failurePause, LoopClock time) {
    this.time = time;
    this.notBefore = time.box(Duration.ZERO);
    this.failures = new RetryPause(failurePause, LONGEST_FAILURE_PAUSE);
    this.idles = new RetryPause(failurePause, LONGEST_FAILURE_PAUSE);
  }

  /**
   * Records the outcome of an iteration.
   *
   * @param idle whether the iteration succeeded and repeatedly changed nothing
   */
  void note(AgentOutcome outcome, boolean idle) {
    isIdlePause = idle;
    unsaid = null;
    if (!idle) {
      idles.reset();
    }
    switch (outcome.status()) {
      case SUCCESS:
        failures.reset();
        rateLimits.reset();
        if (idle) {
          pause(idles.next(), Reason.NO_PROGRESS, "an iteration that changed nothing");
        }
        break;
      case RATE_LIMITED:
        Duration growing = rateLimits.next();
        Duration told = outcome.retryAfter();
        if (told == null || told.isNegative() || told.isZero()) {
          pause(growing, Reason.RATE_LIMIT, "a rate limit");
        } else {
          pause(RetryPause.bounded(told), Reason.RATE_LIMIT, "a rate limit");
        }
        break;
      case INTERRUPTED:
        break;
      default:
        pause(failures.next(), Reason.FAILURE, "a failure");
    }
  }

  /** Returns the number of consecutive failures; rate limits do not count. */
  int failures() {
    return failures.tries();
  }

  /** Returns the time box that ends when the next iteration may start. */
  TimeBox notBefore() {
    return notBefore;
  }

  /** Returns the notice about the wait, or null if it has been taken. */
  @Nullable Notice notice() {
    return unsaid;
  }

  /** Returns the notice about the wait and removes it; null if none exists. */
  @Nullable Notice takeNotice() {
    Notice notice = unsaid;
    unsaid = null;
    return notice;
  }

  /** Returns whether the wait is due to missing progress, which any change may end. */
  boolean isIdlePause() {
    return isIdlePause;
  }

  /** Ends the wait. */
  void cutShort() {
    notBefore = time.box(Duration.ZERO);
  }

  private void pause(Duration pause, Reason reason, String after) {
    notBefore = time.box(pause);
    unsaid = new Notice("waiting " + LogText.time(pause) + " after " + after, reason, pause);
  }
}
