package dev.ralph.core.internal.loop.policy;

import dev.ralph.LoopEvent.Waiting.Reason;
import dev.ralph.core.internal.text.LogText;
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
    @Nullable Notice notice) {

  /** A description of a wait for the listeners. */
  public record Notice(String message, Reason reason, Duration atMost) {}

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
    return new Backoff(
        pause,
        pause,
        new RetryPause(RATE_LIMIT_PAUSE, LONGEST_RATE_LIMIT_PAUSE),
        LoopDeadline.after(now, Duration.ZERO),
        false,
        null);
  }

  /**
   * Returns the backoff after an iteration.
   *
   * @param idle whether the iteration succeeded and repeatedly changed nothing
   */
  public Backoff after(AgentOutcome outcome, boolean idle, long now) {
    RetryPause idlesNow = idle ? idles : idles.reset();
    switch (outcome.status()) {
      case SUCCESS:
        RetryPause next = idle ? idlesNow.next() : idlesNow;
        Backoff well =
            new Backoff(failures.reset(), next, rateLimits.reset(), notBefore, idle, null);
        return idle
            ? well.delayed(
                next.pause(), Reason.NO_PROGRESS, "an iteration that changed nothing", now)
            : well;
      case RATE_LIMITED:
        RetryPause growing = rateLimits.next();
        Duration told = outcome.retryAfter();
        boolean isTold = told != null && !told.isNegative() && !told.isZero();
        return new Backoff(failures, idlesNow, growing, notBefore, idle, null)
            .delayed(
                told != null && isTold ? RetryPause.bounded(told) : growing.pause(),
                Reason.RATE_LIMIT,
                "a rate limit",
                now);
      case INTERRUPTED:
        return new Backoff(failures, idlesNow, rateLimits, notBefore, idle, null);
      default:
        RetryPause failed = failures.next();
        return new Backoff(failed, idlesNow, rateLimits, notBefore, idle, null)
            .delayed(failed.pause(), Reason.FAILURE, "a failure", now);
    }
  }

  private Backoff delayed(Duration pause, Reason reason, String after, long now) {
    return new Backoff(
        failures,
        idles,
        rateLimits,
        LoopDeadline.after(now, pause),
        isIdlePause,
        new Notice("waiting " + LogText.time(pause) + " after " + after, reason, pause));
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
