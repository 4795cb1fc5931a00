package dev.ralph;

import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** How an iteration went, as the agent tells it. */
public final class AgentResult {

  /** The kinds of outcome. */
  public enum Outcome {
    /** The agent ended well. */
    SUCCESS,
    /** The agent failed; the loop tries again after a pause. */
    FAILURE,
    /** The agent may come again later; it is no failure. */
    RATE_LIMITED,
    /** The agent can't work at all, such as one that is not installed: the loop ends. */
    FATAL
  }

  /** Why an agent client failed, for programs; the summary is for people. */
  public enum Cause {
    /** The client can't be started; mostly it is not installed. */
    NOT_INSTALLED,
    /** The model's provider does not know the client, or not any more. */
    NOT_LOGGED_IN,
    /** The model's provider wants fewer requests, or none for some time. */
    RATE_LIMITED,
    /** The model failed: refused, unreachable, broken off. */
    MODEL_ERROR,
    /** The prompt is longer than the client or its model takes. */
    PROMPT_TOO_LONG,
    /** The model's provider does not know the model, or nothing is there at its address. */
    MODEL_UNKNOWN,
    /** The client does not have the session's tools. */
    TOOLS_MISSING,
    /** Something else ended the client: a signal. */
    KILLED,
    /** The iteration's time was up. */
    TIMED_OUT,
    /** The client said nothing for too long. */
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

  /** Returns the result of an agent that ended well. */
  public static AgentResult success() {
    return new AgentResult(Outcome.SUCCESS, null, null, Usage.NONE, null);
  }

  /** Returns the result of an agent that failed. */
  public static AgentResult failure(String reason) {
    Objects.requireNonNull(reason, "reason");
    return new AgentResult(Outcome.FAILURE, reason, null, Usage.NONE, null);
  }

  /**
   * Returns the result of an agent that was turned away for now.
   *
   * @param retryAfter how long to wait, or null if nobody said; zero or less counts as null, and
   *     more than 365 days as 365
   */
  public static AgentResult rateLimited(String reason, @Nullable Duration retryAfter) {
    Objects.requireNonNull(reason, "reason");
    return new AgentResult(
        Outcome.RATE_LIMITED, reason, retryAfter, Usage.NONE, Cause.RATE_LIMITED);
  }

  /** Returns the result of an agent that will never work as it is set up. */
  public static AgentResult fatal(String reason) {
    Objects.requireNonNull(reason, "reason");
    return new AgentResult(Outcome.FATAL, reason, null, Usage.NONE, null);
  }

  /** Returns this result with a few words on what was done. */
  public AgentResult summary(@Nullable String summary) {
    return new AgentResult(outcome, summary, retryAfter, usage, cause);
  }

  /** Returns this result with what was used. */
  public AgentResult usage(Usage usage) {
    Objects.requireNonNull(usage, "a usage must not be null; Usage.NONE says that none is known");
    return new AgentResult(outcome, summary, retryAfter, usage, cause);
  }

  /** Returns this result with why it failed. */
  public AgentResult cause(Cause cause) {
    Objects.requireNonNull(cause, "cause");
    return new AgentResult(outcome, summary, retryAfter, usage, cause);
  }

  /** Returns the kind of outcome. */
  public Outcome outcome() {
    return outcome;
  }

  /** Returns what was done, or why it failed; null where nobody said. */
  public @Nullable String summary() {
    return summary;
  }

  /** Returns how long to wait before the next try, or null where nobody said. */
  public @Nullable Duration retryAfter() {
    return retryAfter;
  }

  /** Returns what was used. */
  public Usage usage() {
    return usage;
  }

  /** Returns why the agent failed, or null if that is not known or it did not fail. */
  public @Nullable Cause cause() {
    return cause;
  }
}
