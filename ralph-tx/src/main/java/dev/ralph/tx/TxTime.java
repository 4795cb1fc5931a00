package dev.ralph.tx;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.format.ResolverStyle;
import java.time.temporal.ChronoUnit;
import java.time.temporal.TemporalAccessor;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A time as people and programs write it: ISO-8601 with any offset or zone, a blank for the T, or a
 * date only. What names no zone is meant in that of the reader.
 *
 * @param time the time; of a date the beginning of that day
 * @param end the same time; of a date the end of that day
 * @param isZoned whether the text said which zone it means
 * @param isDate whether the text named a day only
 */
record TxTime(Instant time, Instant end, boolean isZoned, boolean isDate) {

  /** No time needs more; what comes with zones and fractions has some fifty. */
  private static final int LONGEST = 100;

  private static final DateTimeFormatter DATE =
      DateTimeFormatter.ofPattern("uuuu-MM-dd", Locale.ROOT)
          .withResolverStyle(ResolverStyle.STRICT);

  private static final DateTimeFormatter TIME =
      new DateTimeFormatterBuilder()
          .parseCaseInsensitive()
          .append(DATE)
          .appendPattern("['T'][ ]")
          .append(DateTimeFormatter.ISO_LOCAL_TIME)
          .appendPattern("[ ][XXX][XX][X]['['VV']'][VV]")
          .toFormatter(Locale.ROOT)
          .withResolverStyle(ResolverStyle.STRICT); // else 30 February would be the 28th

  /** The years that file names and the log can hold. */
  private static final Instant FIRST = Instant.parse("0001-01-01T00:00:00Z");

  private static final Instant LAST = Instant.parse("9999-12-31T23:59:59.999Z");

  /** Returns the time that the text stands for, or null if it is none. */
  static @Nullable TxTime parse(String text, ZoneId zone) {
    if (text.length() > LONGEST) {
      return null;
    }
    try {
      TxTime found = tryToParse(text.strip(), zone);
      return found.time.isBefore(FIRST) || found.end.isAfter(LAST) ? null : found;
    } catch (DateTimeException noTime) {
      return null;
    }
  }

  private static TxTime tryToParse(String text, ZoneId zone) {
    if (text.indexOf(':') < 0) {
      LocalDate day = LocalDate.parse(text, DATE);
      return new TxTime(
          day.atStartOfDay(zone).toInstant(),
          day.plusDays(1).atStartOfDay(zone).toInstant(),
          false,
          true);
    }
    TemporalAccessor parsed = TIME.parseBest(text, ZonedDateTime::from, LocalDateTime::from);
    if (parsed instanceof ZonedDateTime zoned) {
      return moment(zoned, true);
    }
    return moment(((LocalDateTime) parsed).atZone(zone), false);
  }

  private static TxTime moment(ZonedDateTime moment, boolean isZoned) {
    Instant time = moment.toInstant().truncatedTo(ChronoUnit.MILLIS);
    return new TxTime(time, time, isZoned, false);
  }
}
