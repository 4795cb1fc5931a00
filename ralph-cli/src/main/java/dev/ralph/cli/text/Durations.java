package dev.ralph.cli.text;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Lengths of time as people write them: {@code 30s}, {@code 10m}, {@code 1h30m}, {@code 500ms}. */
public final class Durations {

  private Durations() {}

  /**
   * Returns the length of time that the text stands for, or null if it stands for none: numbers
   * with a unit each, of {@code ms}, {@code s}, {@code m}, {@code h}, {@code d}, together more than
   * zero.
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
      // Twelve digits of days still fit into a long of milliseconds when added up a few times.
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

  /**
   * Returns a length of time for people: {@code 0.4s}, {@code 12.3s}, {@code 4m05s}, {@code 2h03m}.
   */
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

  /** Returns a time that goes on, without the tenths that would flicker. */
  public static String seconds(Duration time) {
    long seconds = Math.max(0, time.toSeconds());
    return seconds < 60 ? seconds + "s" : format(Duration.ofSeconds(seconds));
  }

  private static String twoDigits(long number) {
    return number < 10 ? "0" + number : String.valueOf(number);
  }
}
