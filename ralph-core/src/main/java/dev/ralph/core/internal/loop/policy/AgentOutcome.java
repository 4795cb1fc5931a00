package dev.ralph.core.internal.loop.policy;

import dev.ralph.AgentResult;
import dev.ralph.Iteration;
import dev.ralph.Usage;
import dev.ralph.core.internal.text.LogText;
import java.lang.System.Logger.Level;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The outcome of an iteration.
 *
 * @param report the agent's own report, or null; may be long
 * @param retryAfter the time to wait after a rate limit, or null if unknown
 * @param isFatal whether the agent can't work at all
 * @param isAbandoned whether the agent is still running after cancellation
 */
public record AgentOutcome(
    Iteration.Status status,
    @Nullable String report,
    Usage usage,
    @Nullable Duration retryAfter,
    boolean isFatal,
    boolean isAbandoned,
    AgentResult.@Nullable Cause cause) {

  /** Returns the beginning of the agent's report, or null without a report. */
  public @Nullable String summary() {
    return LogText.summary(report);
  }

  /**
   * Returns a description of the failure with its reason, or null if the iteration did not fail. A
   * rate limit is no failure.
   */
  public @Nullable String failure() {
    if (status != Iteration.Status.FAILURE && status != Iteration.Status.TIMEOUT) {
      return null;
    }
    String summary = summary();
    return (status == Iteration.Status.FAILURE ? "failed" : "timed out")
        + (summary == null ? "" : ": " + summary);
  }

  /** Returns whether the agent ended by itself, neither killed nor broken off. */
  public boolean isEnded() {
    return cause == null
        && (status == Iteration.Status.SUCCESS || status == Iteration.Status.FAILURE);
  }

  /** Returns the outcome of an agent that ended by itself. */
  public static AgentOutcome of(AgentResult result) {
    return new AgentOutcome(
        status(result.outcome()),
        result.summary(),
        result.usage(),
        result.retryAfter(),
        result.outcome() == AgentResult.Outcome.FATAL,
        false,
        result.cause());
  }

  /** Returns the outcome of a cancelled agent, with the agent's report if present. */
  public static AgentOutcome cutOff(
      Iteration.Status status, @Nullable AgentResult result, boolean ended) {
    return new AgentOutcome(
        status,
        result == null ? null : result.summary(),
        result == null ? Usage.UNKNOWN : result.usage(),
        null,
        false,
        !ended,
        result == null ? null : result.cause());
  }

  /**
   * Returns the outcome of an agent without a result, with the agent's exception if present. An
   * {@link Error} is no failure of the agent: the loop rethrows it and ends.
   */
  public static AgentOutcome broken(@Nullable Throwable thrown) {
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
   * Returns an outcome with the usage reported before, if this outcome has no usage. The usage is
   * marked as partial if it may be incomplete.
   */
  public AgentOutcome orUsed(Usage reported) {
    if (!usage.equals(Usage.NONE) && !usage.equals(Usage.UNKNOWN)) {
      return this;
    }
    Usage all = usage.plus(reported);
    return new AgentOutcome(status, report, all, retryAfter, isFatal, isAbandoned, cause);
  }

  /** Returns an outcome with a new status and reason. */
  public AgentOutcome as(Iteration.Status status, @Nullable String report) {
    return new AgentOutcome(status, report, usage, retryAfter, isFatal, isAbandoned, cause);
  }

  private static Iteration.Status status(AgentResult.Outcome outcome) {
    return switch (outcome) {
      case SUCCESS -> Iteration.Status.SUCCESS;
      case RATE_LIMITED -> Iteration.Status.RATE_LIMITED;
      default -> Iteration.Status.FAILURE;
    };
  }
}
