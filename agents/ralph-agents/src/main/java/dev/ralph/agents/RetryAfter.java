package dev.ralph.agents;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Parses the wait that a provider requests, in the formats of the clients. */
final class RetryAfter {

  private static final Pattern TRY_AGAIN_IN =
      Pattern.compile(
          "try again in((?:[ ,]*(?:and )?[0-9.]+ ?(?:ms|milliseconds?|s|seconds?|m|minutes?|h|hours?|d|days?)(?![a-z]))+)",
          Pattern.CASE_INSENSITIVE);
  private static final Pattern AMOUNT = Pattern.compile("([0-9.]+) ?(ms|milli|s|m|h|d)");

  private RetryAfter() {}

  /**
   * Parses the headers of a response, with names in any case. Returns null if no header states a
   * wait.
   */
  static @Nullable Duration ofHeaders(JsonNode headers, Instant now) {
    Duration milliseconds = wait(header(headers, "retry-after-ms"), now, 1);
    return milliseconds != null ? milliseconds : wait(header(headers, "retry-after"), now, 1000);
  }

  /**
   * Parses a sentence such as "Please try again in 1h 5m". Returns null if the text states no wait.
   */
  static @Nullable Duration ofWords(String message) {
    Matcher again = TRY_AGAIN_IN.matcher(message);
    if (!again.find()) {
      return null;
    }
    double millis = 0;
    Matcher amount = AMOUNT.matcher(again.group(1).toLowerCase(Locale.ROOT));
    while (amount.find()) {
      try {
        millis += Double.parseDouble(amount.group(1)) * unitMillis(amount.group(2));
      } catch (NumberFormatException notANumber) {
        return null;
      }
    }
    return Duration.ofMillis((long) millis);
  }

  private static double unitMillis(String unit) {
    return switch (unit) {
      case "ms", "milli" -> 1;
      case "s" -> 1_000;
      case "m" -> 60_000;
      case "h" -> 3_600_000;
      default -> 86_400_000;
    };
  }

  /** Returns the time from now until an instant, or zero if the instant is past. */
  static Duration until(Instant then, Instant now) {
    return then.isAfter(now) ? Duration.between(now, then) : Duration.ZERO;
  }

  /** Parses a number of units, or a date in the format of RFC 9110, section 10.2.3. */
  private static @Nullable Duration wait(@Nullable String value, Instant now, int unitMillis) {
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

  private static @Nullable Duration untilDate(String value, Instant now) {
    try {
      Instant then = ZonedDateTime.parse(value, DateTimeFormatter.RFC_1123_DATE_TIME).toInstant();
      return until(then, now);
    } catch (DateTimeParseException notUnderstood) {
      return null;
    }
  }

  private static @Nullable String header(JsonNode headers, String name) {
    for (Map.Entry<String, JsonNode> header : headers.properties()) {
      if (Objects.equals(header.getKey().toLowerCase(Locale.ROOT), name)) {
        return header.getValue().asText();
      }
    }
    return null;
  }
}
