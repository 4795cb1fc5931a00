package dev.ralph.agents;

import dev.ralph.AgentResult;
import dev.ralph.AgentResult.Cause;
import dev.ralph.agents.internal.ClientName;
import java.time.Duration;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The reason why a client's request to its model failed, and its meaning for a loop.
 *
 * @param cause NOT_LOGGED_IN, RATE_LIMITED, PROMPT_TOO_LONG, MODEL_UNKNOWN or MODEL_ERROR
 * @param message the message of the provider or the client
 * @param status the provider's HTTP status, or 0 if unknown
 * @param retryAfter the wait that the provider requests, or null if unknown
 */
record ModelError(Cause cause, String message, int status, @Nullable Duration retryAfter) {

  /** Anthropic's status for an overloaded service, which means the same as 429. */
  private static final int OVERLOADED = 529;

  /** Returns an error whose cause is derived from the status, or else from the message. */
  static ModelError of(int status, String message, @Nullable Duration retryAfter) {
    String said = message.isBlank() ? "no reason given" : message.strip();
    return new ModelError(causeOf(status, said.toLowerCase(Locale.ROOT)), said, status, retryAfter);
  }

  private static Cause causeOf(int status, String said) {
    if (status == 401 || status == 403) {
      return Cause.NOT_LOGGED_IN;
    }
    if (status == 429 || status == OVERLOADED) {
      return Cause.RATE_LIMITED;
    }
    if (status == 413
        || said.contains("prompt is too long")
        || said.contains("maximum context length")
        || said.contains("model's context")
        || said.contains("context window")
        || said.contains("context limit")
        || said.contains("context_length_exceeded")) {
      return Cause.PROMPT_TOO_LONG;
    }
    if (status == 404 || said.contains("model_not_found") || said.contains("model not found")) {
      return Cause.MODEL_UNKNOWN;
    }
    if (status == 0
        && (said.contains("rate limit")
            || said.contains("too many requests")
            || said.contains("overloaded")
            || isUsedUp(said))) {
      return Cause.RATE_LIMITED;
    }
    return Cause.MODEL_ERROR;
  }

  /** Returns whether a message reports that the quota of a subscription is used up. */
  private static boolean isUsedUp(String said) {
    return said.contains("usage limit")
        || said.contains("session limit")
        || said.contains("weekly limit")
        || said.contains("-hour limit")
        || (said.contains("limit") && (said.contains("hit your") || said.contains("reached your")))
        || (said.contains("limit reached") && !said.contains("token") && !said.contains("turn"));
  }

  /** Returns a copy with a cause that the client has reported. */
  ModelError as(Cause known) {
    return new ModelError(known, message, status, retryAfter);
  }

  /** Returns a copy with a wait, or this error if it has a wait. */
  ModelError waiting(@Nullable Duration wait) {
    return retryAfter == null ? new ModelError(cause, message, status, wait) : this;
  }

  /**
   * Returns the result of an iteration that ended with this error.
   *
   * @param hadAnswers whether the model had answered before. If so, a conversation that is too long
   *     grew in the iteration, and the next iteration starts a new conversation
   */
  AgentResult result(ClientName client, boolean hadAnswers) {
    return switch (cause) {
      case NOT_LOGGED_IN ->
          AgentResult.fatal(
                  client.name() + " is not logged in to its model: " + text() + client.logIn())
              .cause(cause);
      case RATE_LIMITED -> AgentResult.rateLimited("the model's rate limit: " + text(), retryAfter);
      case PROMPT_TOO_LONG -> tooLong(hadAnswers);
      case MODEL_UNKNOWN -> unknown(client, hadAnswers);
      default -> AgentResult.failure("the model failed: " + text()).cause(cause);
    };
  }

  /**
   * Returns the result for an unknown model. A model that has answered before may be available
   * again later.
   */
  private AgentResult unknown(ClientName client, boolean hadAnswers) {
    String words =
        "unknown model, or wrong address of its provider: "
            + text()
            + "; choose a model with -m, or check the configuration of "
            + client.name();
    return (hadAnswers ? AgentResult.failure(words) : AgentResult.fatal(words)).cause(cause);
  }

  private AgentResult tooLong(boolean hadAnswers) {
    AgentResult result =
        hadAnswers
            ? AgentResult.failure("the conversation is too long for the model: " + text())
            : AgentResult.fatal(
                "the prompt is too long for the model: "
                    + text()
                    + "; shorten the template or the spec, or choose a model with a larger"
                    + " context");
    return result.cause(cause);
  }

  /** Returns whether a retry would fail again. */
  boolean comesAgain() {
    return cause == Cause.PROMPT_TOO_LONG || cause == Cause.MODEL_UNKNOWN;
  }

  /** Returns the message with the status. */
  String text() {
    return status == 0 || message.contains(String.valueOf(status))
        ? message
        : message + " (HTTP " + status + ")";
  }
}
