package dev.ralph.tx;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.time.ZoneOffset;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TxTimeTest {

  @ParameterizedTest
  @CsvSource({
    "2024-02-29, Z, 2024-03-01T00:00:00Z",
    "9999-12-31, Z, 9999-12-31T23:59:59.999Z",
    "9999-12-31, -05:00, 9999-12-31T23:59:59.999Z",
    "9999-12-31, +05:00, 9999-12-31T19:00:00Z",
  })
  void date_endsWithItsDay(String text, String zone, Instant end) {
    TxTime time = TxTime.parse(text, ZoneOffset.of(zone));

    assertThat(time).isNotNull();
    assertThat(time.end()).isEqualTo(end);
  }
}
