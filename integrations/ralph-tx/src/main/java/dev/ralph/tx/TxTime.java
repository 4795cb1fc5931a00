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
 * A time as people and programs write it: ISO-8601 with any offset or zone, a blank instead of the
 * T, or a date only. A time without a zone is in the zone of the reader.
 *
 * @param time the time, or the beginning of the day for a date
 * @param end the same time, or the end of the day for a date
 * @param isZoned whether the text contained a zone or offset
 * @param isDate whether the text was a date only
 */
record TxTime(Instant time, Instant end, boolean isZoned, boolean isDate) {

  /** The maximum length of a text. A time with zone and fraction has about fifty characters. */
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
          .withResolverStyle(ResolverStyle.STRICT); // rejects 30 February

  /** The range of years in file names and the log. */
  private static final Instant FIRST = Instant.parse("0001-01-01T00:00:00Z");

  private static final Instant LAST = Instant.parse("9999-12-31T23:59:59.999Z");

  /** Parses a time. Returns null if the text is invalid. */
  static @Nullable TxTime parse(String text, ZoneId zone) {
    if (text.length() > LONGEST) {
      return null;
    }
    try {
      TxTime found = tryToParse(text.strip(), zone);
      if (found.time.isBefore(FIRST) || found.time.isAfter(LAST)) {
        return null;
      }
      return found.end.isAfter(LAST) // the last day
          ? new TxTime(found.time, LAST, found.isZoned, found.isDate)
          : found;
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
