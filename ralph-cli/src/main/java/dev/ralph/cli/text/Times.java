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

/** Parses and formats times in ISO-8601. */
public final class Times {

  private Times() {}

  /** Formats a time in UTC with milliseconds, such as {@code 2026-01-31T09:05:00.250Z}. */
  public static String format(Instant time) {
    return Timestamp.withMillis(time);
  }

  /**
   * Formats a time for people in minutes: {@code 09:05}, or {@code 2026-01-31 09:05} for another
   * day.
   */
  public static String clock(Instant time, Instant now, ZoneId zone) {
    String local = local(time, zone);
    boolean isToday = local.startsWith(local(now, zone).substring(0, 10));
    return local.substring(isToday ? 11 : 0, 16).replace('T', ' ');
  }

  /**
   * Formats a time for people in seconds, such as {@code 2026-01-31T09:05:00}, which {@link #parse}
   * accepts.
   */
  public static String local(Instant time, ZoneId zone) {
    int offset = zone.getRules().getOffset(time).getTotalSeconds();
    return Timestamp.withMillis(time.plusSeconds(offset)).substring(0, 19);
  }

  /** Formats a time in the caller's zone, as {@link #local(Instant, ZoneId)}. */
  public static String local(Instant time) {
    return local(time, ZoneId.systemDefault());
  }

  /**
   * Formats a time for people in the caller's zone with its offset, such as {@code
   * 2026-01-31T09:05:00+01:00}, which {@link #parse} accepts.
   */
  public static String withOffset(Instant time, ZoneId zone) {
    return local(time, zone) + zone.getRules().getOffset(time).getId();
  }

  /** Formats the time since a moment for people: {@code 12s ago}, {@code 3h ago}. */
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
   * Parses a time, or returns null for an invalid text. Accepts a date and time with an offset, a
   * local date and time, or a local date, which means its start.
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

  /** Parses a time as {@link #parse}, except that a date means its end. */
  public static @Nullable Instant parseEnd(String text, ZoneId local) {
    Instant time = parse(text, local);
    boolean isDate = time != null && text.indexOf('T') < 0;
    return isDate ? LocalDate.parse(text).plusDays(1).atStartOfDay(local).toInstant() : time;
  }

  /** Returns the text with a trailing {@code -0800} changed to {@code -08:00}. */
  private static String withColon(String text) {
    int sign = text.length() - 5;
    if (sign > 0 && (text.charAt(sign) == '+' || text.charAt(sign) == '-')) {
      return text.substring(0, sign + 3) + ":" + text.substring(sign + 3);
    }
    return text;
  }
}
