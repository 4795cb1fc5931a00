package dev.ralph;

import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.util.Locale;

/** Formats the time of an event, in UTC with three digits of milliseconds. */
final class EventTime {

  private static final DateTimeFormatter FORM =
      new DateTimeFormatterBuilder().appendInstant(3).toFormatter(Locale.ROOT);

  private EventTime() {}

  static String format(Instant time) {
    return FORM.format(time);
  }
}
