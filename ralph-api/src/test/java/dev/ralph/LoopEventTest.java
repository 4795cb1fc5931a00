package dev.ralph;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.log.Meta;
import java.time.Instant;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LoopEventTest {

  @ParameterizedTest
  @CsvSource({
    "2026-01-31T09:05:00Z,           2026-01-31T09:05:00.000Z",
    "2026-01-31T09:05:00.25Z,        2026-01-31T09:05:00.250Z",
    "2026-01-31T09:05:00.250999999Z, 2026-01-31T09:05:00.250Z"
  })
  void timeInJson_hasMillisecondDigits(Instant time, String shown) {
    LoopEvent event =
        LoopEvent.of(LoopEvent.Type.NOTICE, "auth", time, 2, 0, "said", Meta.of("a", 1));

    assertThat(event.json())
        .isEqualTo(
            "{\"type\":\"notice\",\"session\":\"auth\",\"time\":\""
                + shown
                + "\",\"iteration\":2,\"message\":\"said\",\"data\":{\"a\":1}}");
  }
}
