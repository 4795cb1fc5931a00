package dev.ralph;

import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The result of an iteration, as the agent reports it. */
public final class AgentResult {

  /** The kinds of outcome. */
  public enum Outcome {
    /** The agent succeeded. */
    SUCCESS,
    /** The agent failed. The loop starts the next iteration after a pause. */
    FAILURE,
    /** The provider rejected the request for now. The iteration does not count as a failure. */
    RATE_LIMITED,
    /** The agent can't work, for example because it is not installed. The loop ends. */
    FATAL
  }

  /** The cause of a failure, for programs; the summary is for people. */
  public enum Cause {
    /** The client can't be started, usually because it is not installed. */
    NOT_INSTALLED,
    /** The client has no valid login at the model's provider. */
    NOT_LOGGED_IN,
    /** The model's provider limits the rate of requests. */
    RATE_LIMITED,
    /** The model refused, was unreachable, or broke off. */
    MODEL_ERROR,
    /** The prompt exceeds the limit of the client or the model. */
    PROMPT_TOO_LONG,
    /** The model's provider does not know the model, or no server answers at its address. */
    MODEL_UNKNOWN,
    /** The client does not have the session's tools. */
    TOOLS_MISSING,
    /** A signal ended the client. */
    KILLED,
    /** The iteration reached its time limit. */
    TIMED_OUT,
    /** The client printed no output for too long. */
    HUNG,
    /** The iteration was cancelled. */
    CANCELLED
  }

  private final Outcome outcome;
  private final @Nullable String summary;
  private final @Nullable Duration retryAfter;
  private final Usage usage;
  private final @Nullable Cause cause;

  private AgentResult(
      Outcome outcome,
      @Nullable String summary,
      @Nullable Duration retryAfter,
      Usage usage,
      @Nullable Cause cause) {
    this.outcome = outcome;
    this.summary = summary;
    this.retryAfter = retryAfter;
    this.usage = usage;
    this.cause = cause;
  }

  /** Returns the result of a successful agent. */
  public static AgentResult success() {
    return new AgentResult(Outcome.SUCCESS, null, null, Usage.NONE, null);
  }

  /** Returns the result of an agent that failed. */
  public static AgentResult failure(String reason) {
    Objects.requireNonNull(reason, "reason");
    return new AgentResult(Outcome.FAILURE, reason, null, Usage.NONE, null);
  }

  /**
   * Returns the result of an agent whose provider limits the rate of requests.
   *
   * @param retryAfter the time to wait before the next attempt, or null if unknown. Zero or less
   *     counts as null, and more than 365 days as 365 days
   */
  public static AgentResult rateLimited(String reason, @Nullable Duration retryAfter) {
    Objects.requireNonNull(reason, "reason");
    return new AgentResult(
        Outcome.RATE_LIMITED, reason, retryAfter, Usage.NONE, Cause.RATE_LIMITED);
  }

  /** Returns the result of an agent that can never work in its present configuration. */
  public static AgentResult fatal(String reason) {
    Objects.requireNonNull(reason, "reason");
    return new AgentResult(Outcome.FATAL, reason, null, Usage.NONE, null);
  }

  /** Returns a copy of this result with a summary of the work. */
  public AgentResult summary(@Nullable String summary) {
    return new AgentResult(outcome, summary, retryAfter, usage, cause);
  }

  /** Returns a copy of this result with the usage. */
  public AgentResult usage(Usage usage) {
    Objects.requireNonNull(usage, "the usage must not be null; use Usage.NONE for unknown usage");
    return new AgentResult(outcome, summary, retryAfter, usage, cause);
  }

  /** Returns a copy of this result with the cause of the failure. */
  public AgentResult cause(Cause cause) {
    Objects.requireNonNull(cause, "cause");
    return new AgentResult(outcome, summary, retryAfter, usage, cause);
  }

  /** Returns the kind of outcome. */
  public Outcome outcome() {
    return outcome;
  }

  /** Returns a summary of the work or of the failure, or null if none exists. */
  public @Nullable String summary() {
    return summary;
  }

  /** Returns the time to wait before the next attempt, or null if unknown. */
  public @Nullable Duration retryAfter() {
    return retryAfter;
  }

  /** Returns the usage. */
  public Usage usage() {
    return usage;
  }

  /** Returns the cause of the failure, or null if unknown or if the agent did not fail. */
  public @Nullable Cause cause() {
    return cause;
  }
}
