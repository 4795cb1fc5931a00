package dev.ralph.core.internal.loop;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class RetryPauseTest {

  @Test
  void pause_doublesUpToItsLimit() {
    RetryPause pause = new RetryPause(Duration.ofSeconds(60), Duration.ofSeconds(500));

    assertThat(Stream.generate(pause::next).limit(6).map(Duration::toSeconds))
        .containsExactly(60L, 120L, 240L, 480L, 500L, 500L);
    assertThat(pause.tries()).isEqualTo(6);
  }

  @Test
  void reset_restoresTheFirstPause() {
    RetryPause pause = new RetryPause(Duration.ofSeconds(1), Duration.ofSeconds(300));
    pause.next();
    pause.next();

    pause.reset();

    assertThat(pause.next()).isEqualTo(Duration.ofSeconds(1));
  }

  @Test
  void firstPauseOverLimit_isKept() {
    RetryPause pause = new RetryPause(Duration.ofHours(1), Duration.ofMinutes(5));

    assertThat(pause.next()).isEqualTo(Duration.ofHours(1));
    assertThat(pause.next()).isEqualTo(Duration.ofHours(1));
  }

  @Test
  void zeroPause_staysZero() {
    RetryPause pause = new RetryPause(Duration.ZERO, Duration.ofMinutes(5));

    assertThat(Stream.generate(pause::next).limit(3)).containsOnly(Duration.ZERO);
  }
}
