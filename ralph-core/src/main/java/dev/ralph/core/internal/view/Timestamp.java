package dev.ralph.core.internal.view;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.temporal.ChronoUnit;
import javax.annotation.Nullable;

/** Times as they stand in frames: ISO-8601 with an offset, to the millisecond. */
public final class Timestamp {

  private Timestamp() {}

  /** Returns the time as text, in UTC. */
  public static String of(Instant time) {
    return time.truncatedTo(ChronoUnit.MILLIS).toString();
  }

  /** Returns the time that the text stands for, or null if it is no time. */
  @Nullable
  public static Instant parse(@Nullable String text) {
    if (text == null) {
      return null;
    }
    try {
      return text.endsWith("Z") ? Instant.parse(text) : OffsetDateTime.parse(text).toInstant();
    } catch (DateTimeException noTime) {
      return null;
    }
  }
}
