package dev.ralph.domain;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.time.LocalDate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Rendering and parsing of the timestamps of frames. */
class TimestampTest {

  @ParameterizedTest
  @ValueSource(
      strings = {
        "2026-11-21T09:05:07.042Z",
        "2026-11-21T09:05:07Z",
        "1970-01-01T00:00:00Z",
        "0000-01-01T00:00:00Z",
        "9999-12-31T23:59:59.999Z",
        "+10000-01-01T00:00:00Z",
        "-0001-12-31T23:59:59.999Z"
      })
  void timestamps_matchTheJavaFormat(String text) {
    Instant time = Instant.parse(text);

    assertThat(Timestamp.of(time)).isEqualTo(text);
    assertThat(Timestamp.of(time.plusNanos(999_999))).isEqualTo(text);
    assertThat(Timestamp.parse(text)).isEqualTo(time);
  }

  /** Leap days repeat in the same order every 400 years. */
  @Test
  void timestampsOfAllDays_areParsed() {
    LocalDate first = LocalDate.of(0, 1, 1);
    for (int day = 0; day < 146_097 * 2; day++) {
      LocalDate date = first.plusDays(day);
      assertThat(Timestamp.parse(date + "T00:00:01Z"))
          .isEqualTo(Instant.ofEpochSecond(date.toEpochDay() * 86_400 + 1));
    }
  }

  @Test
  void offsetsAndFractions_areParsed() {
    Instant time = Instant.parse("2026-11-21T09:05:07Z");

    assertThat(Timestamp.parse("2026-11-21T01:05:07-08:00")).isEqualTo(time);
    assertThat(Timestamp.parse("2026-11-21T09:05:07.5Z")).isEqualTo(time.plusMillis(500));
    assertThat(Timestamp.parse("2026-11-21T09:05:07.000001Z")).isEqualTo(time.plusNanos(1_000));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "Z",
        "now",
        "2026-13-21T09:05:07Z",
        "2026-02-30T09:05:07.000Z",
        "2026-11-21T24:05:07Z",
        "2026-11-21 09:05:07Z",
        "2026-11-2xT09:05:07Z",
        "2026-11-21T09:05:07,042Z"
      })
  void invalidTimestamp_isNull(String text) {
    assertThat(Timestamp.parse(text)).isNull();
    assertThat(Timestamp.parse(null)).isNull();
  }
}
