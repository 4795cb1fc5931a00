package dev.ralph.cli.text;

import dev.ralph.domain.Timestamp;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import org.jspecify.annotations.Nullable;

/** Moments as they are written and shown: ISO-8601. */
public final class Times {

  private Times() {}

  /** Returns the moment in UTC, to the millisecond, such as {@code 2026-01-31T09:05:00.250Z}. */
  public static String format(Instant time) {
    return Timestamp.withMillis(time);
  }

  /**
   * Returns the moment for a person, to the minute: {@code 09:05}, or {@code 2026-01-31 09:05}
   * where that was another day.
   */
  public static String clock(Instant time, Instant now, ZoneId zone) {
    String local = local(time, zone);
    boolean isToday = local.startsWith(local(now, zone).substring(0, 10));
    return local.substring(isToday ? 11 : 0, 16).replace('T', ' ');
  }

  /**
   * Returns the moment for a person, to the second: {@code 2026-01-31T09:05:00}, as {@link #parse}
   * takes it.
   */
  public static String local(Instant time, ZoneId zone) {
    int offset = zone.getRules().getOffset(time).getTotalSeconds();
    return Timestamp.withMillis(time.plusSeconds(offset)).substring(0, 19);
  }

  /** Returns the moment for the person who calls, as {@link #local(Instant, ZoneId)}. */
  public static String local(Instant time) {
    return local(time, ZoneId.systemDefault());
  }

  /** Returns how long ago a moment was, for a person: {@code 12s ago}, {@code 3h ago}. */
  public static String ago(Instant time, Instant now) {
    long seconds = Math.max(0, Duration.between(time, now).toSeconds());
    if (seconds < 60) {
      return seconds + "s ago";
    }
    long minutes = seconds / 60;
    long hours = minutes / 60;
    return minutes < 60
        ? minutes + "m ago"
        : hours < 48 ? hours + "h ago" : hours / 24 + " days ago";
  }

  /**
   * Returns the moment that the text stands for, or null if it stands for none: a date and time
   * with an offset, the same without one (local time), or a date (its first moment, local time).
   */
  public static @Nullable Instant parse(String text, ZoneId local) {
    try {
      if (text.indexOf('T') < 0) {
        return LocalDate.parse(text).atStartOfDay(local).toInstant();
      }
      int time = text.indexOf('T');
      boolean offset =
          text.endsWith("Z") || text.indexOf('+', time) > 0 || text.indexOf('-', time) > 0;
      return offset
          ? OffsetDateTime.parse(withColon(text)).toInstant()
          : LocalDateTime.parse(text).atZone(local).toInstant();
    } catch (DateTimeException notATime) {
      return null;
    }
  }

  /** Returns the moment as {@link #parse} does, but of a date the end of that day. */
  public static @Nullable Instant parseEnd(String text, ZoneId local) {
    Instant time = parse(text, local);
    boolean isDate = time != null && text.indexOf('T') < 0;
    return isDate ? LocalDate.parse(text).plusDays(1).atStartOfDay(local).toInstant() : time;
  }

  /** Returns the text with {@code -0800} at its end written as {@code -08:00}. */
  private static String withColon(String text) {
    int sign = text.length() - 5;
    if (sign > 0 && (text.charAt(sign) == '+' || text.charAt(sign) == '-')) {
      return text.substring(0, sign + 3) + ":" + text.substring(sign + 3);
    }
    return text;
  }
}
