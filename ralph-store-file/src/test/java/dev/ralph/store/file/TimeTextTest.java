package dev.ralph.store.file;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Random;
import org.junit.jupiter.api.Test;

class TimeTextTest {

  private static final DateTimeFormatter PLATFORM =
      DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSSX").withZone(ZoneOffset.UTC);

  private static final long FIRST = Instant.parse("0000-01-01T00:00:00Z").toEpochMilli();
  private static final long LAST = Instant.parse("9999-12-31T23:59:59.999Z").toEpochMilli();

  @Test
  void anyTime_matchesPlatformFormat() {
    Random random = new Random(11);
    for (int i = 0; i < 100_000; i++) {
      assertAsThePlatform(FIRST + (long) (random.nextDouble() * (LAST - FIRST)));
    }
  }

  @Test
  void dayBoundaries_matchPlatformFormat() {
    long day = 86_400_000;
    long from = Instant.parse("1800-01-01T00:00:00Z").toEpochMilli();
    for (long millis = from; millis < from + 400 * 366 * day; millis += day) {
      assertAsThePlatform(millis);
      assertAsThePlatform(millis - 1);
    }
  }

  private static void assertAsThePlatform(long millis) {
    byte[] written = new byte[TimeText.LENGTH + 2];
    TimeText.write(millis, written, 1);
    String text = new String(written, 1, TimeText.LENGTH, StandardCharsets.US_ASCII);
    String expected = PLATFORM.format(Instant.ofEpochMilli(millis));
    if (!text.equals(expected) || TimeText.read(written, 1) != millis) {
      assertThat(text + " read as " + TimeText.read(written, 1)).isEqualTo(expected);
    }
  }
}
