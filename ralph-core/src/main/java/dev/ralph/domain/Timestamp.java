package dev.ralph.domain;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;

/**
 * Formats and parses times in the metadata of frames: ISO 8601 with an offset, to the millisecond.
 *
 * <p>The class does not use a formatter of the Java library for its own format, because the first
 * use takes a short command 6 ms.
 */
public final class Timestamp {

  private static final String FORM = "0000-00-00T00:00:00";
  private static final String NO_MILLIS = ".000Z";
  private static final long SECONDS_PER_DAY = 86_400;

  /** The days from the first of March of the year 0 to 1970. */
  private static final long DAYS_TO_1970 = 719_468;

  private Timestamp() {}

  /** Formats a time in UTC, without milliseconds if they are zero. */
  public static String of(Instant time) {
    String text = withMillis(time);
    return text.endsWith(NO_MILLIS) ? text.substring(0, FORM.length()) + "Z" : text;
  }

  /** Formats a time in UTC with milliseconds, such as {@code 2026-01-31T09:05:00.250Z}. */
  public static String withMillis(Instant time) {
    Instant rounded = time.truncatedTo(ChronoUnit.MILLIS);
    LocalDateTime utc =
        LocalDateTime.ofEpochSecond(rounded.getEpochSecond(), rounded.getNano(), ZoneOffset.UTC);
    if (utc.getYear() < 0 || utc.getYear() > 9999) {
      return rounded.toString();
    }
    StringBuilder text = new StringBuilder(24);
    pad(text, utc.getYear(), 4).append('-');
    pad(text, utc.getMonthValue(), 2).append('-');
    pad(text, utc.getDayOfMonth(), 2).append('T');
    pad(text, utc.getHour(), 2).append(':');
    pad(text, utc.getMinute(), 2).append(':');
    pad(text, utc.getSecond(), 2).append('.');
    return pad(text, utc.getNano() / 1_000_000, 3).append('Z').toString();
  }

  private static StringBuilder pad(StringBuilder text, int number, int width) {
    String digits = Integer.toString(number);
    for (int i = digits.length(); i < width; i++) {
      text.append('0');
    }
    return text.append(digits);
  }

  /** Parses a time; returns null if the text is no time. */
  public static @Nullable Instant parse(@Nullable String text) {
    if (text == null) {
      return null;
    }
    try {
      if (isOwnForm(text)) {
        LocalDateTime utc =
            LocalDateTime.of(
                number(text, 0, 4),
                number(text, 5, 7),
                number(text, 8, 10),
                number(text, 11, 13),
                number(text, 14, 16),
                number(text, 17, 19),
                text.length() == 24 ? number(text, 20, 23) * 1_000_000 : 0);
        return Instant.ofEpochSecond(
            epochDay(utc.toLocalDate()) * SECONDS_PER_DAY + utc.toLocalTime().toSecondOfDay(),
            utc.getNano());
      }
      return text.endsWith("Z") ? Instant.parse(text) : OffsetDateTime.parse(text).toInstant();
    } catch (DateTimeException noTime) {
      return null;
    }
  }

  /** Returns the epoch day like {@link LocalDate#toEpochDay}, which loads formatters on Java 25. */
  private static long epochDay(LocalDate date) {
    // counts years from March, so that a leap day is the last day of a year
    boolean fromMarch = date.getMonthValue() > 2;
    int year = fromMarch ? date.getYear() : date.getYear() - 1;
    int month = fromMarch ? date.getMonthValue() - 3 : date.getMonthValue() + 9;
    int leapDays = Math.floorDiv(year, 4) - Math.floorDiv(year, 100) + Math.floorDiv(year, 400);
    int dayOfYear = (153 * month + 2) / 5 + date.getDayOfMonth() - 1;
    return 365L * year + leapDays + dayOfYear - DAYS_TO_1970;
  }

  private static boolean isOwnForm(String text) {
    boolean withMillis = text.length() == 24 && text.charAt(19) == '.';
    if (!withMillis && text.length() != 20) {
      return false;
    }
    for (int i = 0; i < text.length() - 1; i++) {
      char expected = i < FORM.length() ? FORM.charAt(i) : i == 19 ? '.' : '0';
      char c = text.charAt(i);
      if (expected == '0' ? c < '0' || c > '9' : c != expected) {
        return false;
      }
    }
    return text.charAt(text.length() - 1) == 'Z';
  }

  private static int number(String digits, int from, int to) {
    return Integer.parseInt(digits, from, to, 10);
  }
}
