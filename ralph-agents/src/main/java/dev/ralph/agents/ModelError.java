package dev.ralph.agents;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ralph.AgentResult;
import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import javax.annotation.Nullable;

/**
 * Why opencode's request to its model failed, as opencode tells it: the same object stands in an
 * {@code error} event and in the message that the server keeps.
 *
 * @param name opencode's name of the error, such as {@code APIError}
 * @param message what the provider or opencode said
 * @param status the provider's HTTP status, or 0 where there was none
 * @param retryAfter how long the provider asks to wait, or null where it did not say
 */
record ModelError(String name, String message, int status, @Nullable Duration retryAfter) {

  private static final String LOG_IN =
      "; log in with: opencode auth login, or set the provider's key";

  /** Anthropic's status for an overloaded service; it means what 429 means. */
  private static final int OVERLOADED = 529;

  static ModelError of(JsonNode error, Instant now) {
    JsonNode data = error.path("data");
    String message = data.path("message").asText("");
    return new ModelError(
        error.path("name").asText("error"),
        message.isBlank() ? "no reason given" : message,
        data.path("statusCode").asInt(0),
        retryAfter(data.path("responseHeaders"), now));
  }

  AgentResult result() {
    if (status == 401 || status == 403 || name.equals("ProviderAuthError")) {
      return AgentResult.fatal("opencode is not logged in to its model: " + said() + LOG_IN);
    }
    if (status == 429 || status == OVERLOADED) {
      return AgentResult.rateLimited("the model's rate limit: " + said(), retryAfter);
    }
    if (name.equals("MessageAbortedError")) {
      return AgentResult.failure("the session was aborted by somebody else: " + message);
    }
    if (name.equals("UnknownError")) {
      // What opencode says of a model or provider that it does not know, among other things.
      return AgentResult.failure(
          "opencode: "
              + message
              + " (is the model known? see: opencode models; are you logged in? see: opencode auth"
              + " list)");
    }
    return AgentResult.failure("the model failed: " + said());
  }

  private String said() {
    return status == 0 ? message : message + " (HTTP " + status + ")";
  }

  @Nullable
  private static Duration retryAfter(JsonNode headers, Instant now) {
    Duration milliseconds = wait(header(headers, "retry-after-ms"), now, 1);
    return milliseconds != null ? milliseconds : wait(header(headers, "retry-after"), now, 1000);
  }

  /** A number of units, or a date as RFC 9110 has it in 10.2.3. */
  @Nullable
  private static Duration wait(@Nullable String value, Instant now, int unitMillis) {
    if (value == null) {
      return null;
    }
    try {
      double millis = Double.parseDouble(value) * unitMillis;
      return millis >= 0 ? Duration.ofMillis((long) millis) : null;
    } catch (NumberFormatException noNumber) {
      return untilDate(value, now);
    }
  }

  @Nullable
  private static Duration untilDate(String value, Instant now) {
    try {
      Instant then = ZonedDateTime.parse(value, DateTimeFormatter.RFC_1123_DATE_TIME).toInstant();
      return then.isAfter(now) ? Duration.between(now, then) : Duration.ZERO;
    } catch (DateTimeParseException notUnderstood) {
      return null;
    }
  }

  @Nullable
  private static String header(JsonNode headers, String name) {
    for (Map.Entry<String, JsonNode> header : headers.properties()) {
      if (Objects.equals(header.getKey().toLowerCase(Locale.ROOT), name)) {
        return header.getValue().asText();
      }
    }
    return null;
  }
}
