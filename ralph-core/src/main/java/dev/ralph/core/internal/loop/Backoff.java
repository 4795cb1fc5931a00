package dev.ralph.core.internal.loop;

import dev.ralph.LoopEvent.Waiting.Reason;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * When the next iteration may begin, by how those before it ended: after a failure, a rate limit or
 * an iteration that changed nothing not at once, and later with each further one.
 */
final class Backoff {

  /** What the listeners are told of a wait. */
  record Notice(String message, Reason reason, Duration atMost) {}

  static final Duration LONGEST_FAILURE_PAUSE = Duration.ofMinutes(5);
  private static final Duration RATE_LIMIT_PAUSE = Duration.ofMinutes(1);
  private static final Duration LONGEST_RATE_LIMIT_PAUSE = Duration.ofMinutes(15);

  private final Pause failures;
  private final Pause idles;
  private final Pause rateLimits = new Pause(RATE_LIMIT_PAUSE, LONGEST_RATE_LIMIT_PAUSE);
  private final Time time;
  private TimeBox notBefore;
  private boolean isIdlePause;
  private @Nullable Notice unsaid;

  /**
   * @param failurePause the pause after a first failure
   * @param time that pauses are measured in
   */
  Backoff(Duration failurePause, Time time) {
    this.time = time;
    this.notBefore = time.box(Duration.ZERO);
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
          pause(Pause.bounded(told), Reason.RATE_LIMIT, "a rate limit");
        }
        break;
      case INTERRUPTED:
        break;
      default:
        pause(failures.next(), Reason.FAILURE, "a failure");
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

  /** Returns what there is to say of the wait, or null where that was said. */
  @Nullable Notice notice() {
    return unsaid;
  }

  /** Returns the same, which is said then. */
  @Nullable Notice takeNotice() {
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
    notBefore = time.box(Duration.ZERO);
  }

  private void pause(Duration pause, Reason reason, String after) {
    notBefore = time.box(pause);
    unsaid = new Notice("waiting " + LogText.time(pause) + " after " + after, reason, pause);
  }
}
