package dev.ralph.core.internal.loop.policy;

import dev.ralph.Control.Activity;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The earliest start of an agent's next iteration. The delay grows with each repeated failure, rate
 * limit, or iteration without changes.
 *
 * @param failures the consecutive failures; rate limits do not count
 * @param idles the consecutive delays because of iterations without changes
 * @param rateLimits the consecutive rate limits
 * @param notBefore the end of the delay
 * @param isIdlePause whether the delay is due to missing progress, which any change may end
 * @param notice the description of the delay; null if there is none, or it was reported
 */
public record Backoff(
    RetryPause failures,
    RetryPause idles,
    RetryPause rateLimits,
    LoopDeadline notBefore,
    boolean isIdlePause,
    @Nullable WaitNotice notice) {

  /** The maximum pause after failures. */
  public static final Duration LONGEST_FAILURE_PAUSE = Duration.ofMinutes(5);

  private static final Duration RATE_LIMIT_PAUSE = Duration.ofMinutes(1);
  private static final Duration LONGEST_RATE_LIMIT_PAUSE = Duration.ofMinutes(15);

  /**
   * Returns a backoff without a delay.
   *
   * @param failurePause the pause after a first failure
   */
  public static Backoff none(Duration failurePause, long now) {
    RetryPause pause = new RetryPause(failurePause, LONGEST_FAILURE_PAUSE);
    RetryPause rateLimits = new RetryPause(RATE_LIMIT_PAUSE, LONGEST_RATE_LIMIT_PAUSE);
    LoopDeadline over = LoopDeadline.after(now, Duration.ZERO);
    return new Backoff(pause, pause, rateLimits, over, false, null);
  }

  /**
   * Returns the backoff after an iteration.
   *
   * @param isIdle whether the iteration succeeded and repeatedly changed nothing
   */
  public Backoff after(AgentOutcome outcome, boolean isIdle, long now) {
    RetryPause idle = isIdle ? idles.next() : idles.reset();
    switch (outcome.status()) {
      case SUCCESS:
        RetryPause none = failures.reset();
        Backoff well = new Backoff(none, idle, rateLimits.reset(), notBefore, isIdle, null);
        return isIdle
            ? well.delayed(
                idle.pause(), Activity.Kind.NO_PROGRESS, "an iteration that changed nothing", now)
            : well;
      case RATE_LIMITED:
        RetryPause growing = rateLimits.next();
        Duration told = outcome.retryAfter();
        boolean isTold = told != null && !told.isNegative() && !told.isZero();
        Duration pause = told != null && isTold ? RetryPause.bounded(told) : growing.pause();
        return new Backoff(failures, idle, growing, notBefore, isIdle, null)
            .delayed(pause, Activity.Kind.RATE_LIMIT, "a rate limit", now);
      case INTERRUPTED:
        return new Backoff(failures, idle, rateLimits, notBefore, isIdle, null);
      default:
        RetryPause failed = failures.next();
        return new Backoff(failed, idle, rateLimits, notBefore, isIdle, null)
            .delayed(failed.pause(), Activity.Kind.FAILURE, "a failure", now);
    }
  }

  private Backoff delayed(Duration pause, Activity.Kind reason, String after, long now) {
    WaitNotice delay = WaitNotice.delay(pause, reason, after);
    LoopDeadline end = LoopDeadline.after(now, pause);
    return new Backoff(failures, idles, rateLimits, end, isIdlePause, delay);
  }

  /** Returns the backoff without the rest of its delay. */
  public Backoff cutShort(long now) {
    LoopDeadline over = LoopDeadline.after(now, Duration.ZERO);
    return new Backoff(failures, idles, rateLimits, over, isIdlePause, notice);
  }

  /** Returns the backoff after its notice was reported. */
  public Backoff reported() {
    return new Backoff(failures, idles, rateLimits, notBefore, isIdlePause, null);
  }
}
