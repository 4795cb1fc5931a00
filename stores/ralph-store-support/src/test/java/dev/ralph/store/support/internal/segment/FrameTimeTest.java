package dev.ralph.store.support.internal.segment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ralph.log.RalphException;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import org.junit.jupiter.api.Test;

class FrameTimeTest {

  private static final Instant FIRST = Instant.parse("0000-01-01T00:00:00Z");
  private static final Instant LAST = Instant.parse("9999-12-31T23:59:59.999Z");

  @Test
  void onlyValidTimes_areAccepted() {
    assertThatCode(() -> FrameTime.check(FIRST)).doesNotThrowAnyException();
    assertThatCode(() -> FrameTime.check(LAST)).doesNotThrowAnyException();
    for (Instant time :
        new Instant[] {FIRST.minusNanos(1), LAST.plusMillis(1), Instant.MIN, Instant.MAX}) {
      assertThatThrownBy(() -> FrameTime.check(time)).isInstanceOf(RalphException.class);
    }
  }

  @Test
  void invalidClock_isReported() {
    assertThat(FrameTime.now(at(FIRST))).isEqualTo(FIRST.toEpochMilli());
    assertThat(FrameTime.now(at(LAST))).isEqualTo(LAST.toEpochMilli());
    assertThatThrownBy(() -> FrameTime.now(at(LAST.plusMillis(1))))
        .isInstanceOf(RalphException.class)
        .hasMessage(
            "the clock says +10000-01-01T00:00:00Z, and a frame's time must lie in the years 0000"
                + " to 9999; set the clock");
    assertThatThrownBy(() -> FrameTime.now(at(FIRST.minusMillis(1))))
        .isInstanceOf(RalphException.class);
  }

  private static Clock at(Instant time) {
    return Clock.fixed(time, ZoneOffset.UTC);
  }
}
