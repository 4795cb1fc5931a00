package dev.ralph.cli.text;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Parses and formats durations: {@code 30s}, {@code 10m}, {@code 1h30m}, {@code 500ms}. */
public final class Durations {

  private Durations() {}

  /**
   * Parses a duration, or returns null for an invalid text. A duration is a sequence of numbers,
   * each with the unit {@code ms}, {@code s}, {@code m}, {@code h} or {@code d}, with a positive
   * sum.
   */
  public static @Nullable Duration parse(String text) {
    long millis = 0;
    int at = 0;
    while (at < text.length()) {
      int digits = at;
      while (at < text.length() && text.charAt(at) >= '0' && text.charAt(at) <= '9') {
        at++;
      }
      int unit = at;
      while (at < text.length() && text.charAt(at) >= 'a' && text.charAt(at) <= 'z') {
        at++;
      }
      long factor = millisOf(text.substring(unit, at));
      // Ten digits of days fit into a long of milliseconds, even if added several times.
      if (unit == digits || unit - digits > 10 || factor == 0) {
        return null;
      }
      millis += Long.parseLong(text.substring(digits, unit)) * factor;
      if (millis < 0) {
        return null;
      }
    }
    return millis == 0 ? null : Duration.ofMillis(millis);
  }

  private static long millisOf(String unit) {
    return switch (unit) {
      case "ms" -> 1;
      case "s" -> 1_000;
      case "m" -> 60_000;
      case "h" -> 3_600_000;
      case "d" -> 86_400_000;
      default -> 0;
    };
  }

  /** Formats a duration for people: {@code 0.4s}, {@code 12.3s}, {@code 4m05s}, {@code 2h03m}. */
  public static String format(Duration duration) {
    long millis = duration.toMillis();
    long seconds = millis / 1_000;
    if (seconds < 60) {
      return seconds + "." + millis % 1_000 / 100 + "s";
    }
    if (seconds < 3_600) {
      return seconds / 60 + "m" + twoDigits(seconds % 60) + "s";
    }
    return seconds / 3_600 + "h" + twoDigits(seconds / 60 % 60) + "m";
  }

  /** Formats the duration of a running activity, without flickering tenths. */
  public static String seconds(Duration time) {
    long seconds = Math.max(0, time.toSeconds());
    return seconds < 60 ? seconds + "s" : format(Duration.ofSeconds(seconds));
  }

  private static String twoDigits(long number) {
    return number < 10 ? "0" + number : String.valueOf(number);
  }
}
