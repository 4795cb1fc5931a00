package dev.ralph.core.internal.loop.policy;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class RetryPauseTest {

  private static Stream<Duration> pauses(RetryPause first, int count) {
    return Stream.iterate(first.next(), RetryPause::next).limit(count).map(RetryPause::pause);
  }

  @Test
  void pause_doublesUpToItsLimit() {
    RetryPause pause = new RetryPause(Duration.ofSeconds(60), Duration.ofSeconds(500));

    assertThat(pauses(pause, 6).map(Duration::toSeconds))
        .containsExactly(60L, 120L, 240L, 480L, 500L, 500L);
    assertThat(pause.next().next().tries()).isEqualTo(2);
  }

  @Test
  void reset_restoresTheFirstPause() {
    RetryPause pause = new RetryPause(Duration.ofSeconds(1), Duration.ofSeconds(300));

    assertThat(pause.next().next().reset().next().pause()).isEqualTo(Duration.ofSeconds(1));
  }

  @Test
  void firstPauseOverLimit_isKept() {
    RetryPause pause = new RetryPause(Duration.ofHours(1), Duration.ofMinutes(5));

    assertThat(pauses(pause, 2)).containsOnly(Duration.ofHours(1));
  }

  @Test
  void zeroPause_staysZero() {
    RetryPause pause = new RetryPause(Duration.ZERO, Duration.ofMinutes(5));

    assertThat(pauses(pause, 3)).containsOnly(Duration.ZERO);
  }
}
