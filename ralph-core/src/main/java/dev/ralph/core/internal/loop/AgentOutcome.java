package dev.ralph.core.internal.loop;

import dev.ralph.AgentResult;
import dev.ralph.Iteration;
import dev.ralph.Usage;
import java.lang.System.Logger.Level;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How an iteration went.
 *
 * @param said what its agent said of it, or null; may be long
 * @param retryAfter for one that was rate limited: how long to wait, or null where nobody said
 * @param isFatal whether the agent can't work at all
 * @param isAbandoned whether the agent was told to end and has not
 */
record AgentOutcome(
    Iteration.Status status,
    @Nullable String said,
    Usage usage,
    @Nullable Duration retryAfter,
    boolean isFatal,
    boolean isAbandoned) {

  /** Returns the beginning of what its agent said, or null where it said nothing. */
  @Nullable String summary() {
    return LogText.summary(said);
  }

  /**
   * Returns that it failed, and why, as far as anybody said so; null where it did not. To have to
   * wait is no failure.
   */
  @Nullable String failure() {
    if (status != Iteration.Status.FAILURE && status != Iteration.Status.TIMEOUT) {
      return null;
    }
    String summary = summary();
    return (status == Iteration.Status.FAILURE ? "failed" : "timed out")
        + (summary == null ? "" : ": " + summary);
  }

  /** Returns the outcome of an agent that ended by itself. */
  static AgentOutcome of(AgentResult result) {
    return new AgentOutcome(
        status(result.outcome()),
        result.summary(),
        result.usage(),
        result.retryAfter(),
        result.outcome() == AgentResult.Outcome.FATAL,
        false);
  }

  /** Returns the outcome of an agent that was made to end; what it still said of it is kept. */
  static AgentOutcome cutOff(Iteration.Status status, @Nullable AgentResult result, boolean ended) {
    return new AgentOutcome(
        status,
        result == null ? null : result.summary(),
        result == null ? Usage.UNKNOWN : result.usage(),
        null,
        false,
        !ended);
  }

  /**
   * Returns the outcome of an agent that gave no result, and what it threw, if it threw. An error
   * says nothing of the agent's work, so that is no failure: it ends the loop.
   */
  static AgentOutcome broken(@Nullable Throwable thrown) {
    if (thrown == null) {
      return of(AgentResult.failure("the agent returned no result"));
    }
    if (thrown instanceof Error) {
      return cutOff(Iteration.Status.INTERRUPTED, AgentResult.failure(thrown.toString()), true);
    }
    System.getLogger(AgentOutcome.class.getPackageName())
        .log(Level.DEBUG, "the agent failed", thrown);
    return of(AgentResult.failure(LogText.of(thrown)));
  }

  /**
   * Returns this outcome; where it says nothing of what was used, with what was told before, and
   * where it may be more than that, saying so.
   */
  AgentOutcome orUsed(Usage told) {
    if (!usage.equals(Usage.NONE) && !usage.equals(Usage.UNKNOWN)) {
      return this;
    }
    Usage all = usage.plus(told);
    return new AgentOutcome(status, said, all, retryAfter, isFatal, isAbandoned);
  }

  /** Returns this outcome with another status, and why. */
  AgentOutcome as(Iteration.Status status, @Nullable String said) {
    return new AgentOutcome(status, said, usage, retryAfter, isFatal, isAbandoned);
  }

  private static Iteration.Status status(AgentResult.Outcome outcome) {
    switch (outcome) {
      case SUCCESS:
        return Iteration.Status.SUCCESS;
      case RATE_LIMITED:
        return Iteration.Status.RATE_LIMITED;
      default:
        return Iteration.Status.FAILURE;
    }
  }
}
