package dev.ralph.store.support;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ralph.log.RalphException;
import dev.ralph.spi.FrameStore;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import org.junit.jupiter.api.Test;

/** A store with a wrong clock. */
public abstract class WrongClockContract extends StoreContract {

  @Test
  void clockAfterYear9999_rejectsAppendWithoutTrace() {
    try (FrameStore store = open("2026-05-06T07:08:09Z")) {
      TestFrames.append(store, "before");
    }
    try (FrameStore store = open("+10000-01-01T00:00:00Z")) {
      assertThatThrownBy(() -> TestFrames.append(store, "refused"))
          .isInstanceOfSatisfying(
              RalphException.class,
              e -> assertThat(e.code()).isEqualTo(RalphException.Code.INVALID))
          .hasMessageStartingWith("the clock says +10000-01-01T00:00:00Z");
    }
    try (FrameStore store = open("2026-05-06T07:08:10Z")) {
      TestFrames.append(store, "after");
      assertThat(TestFrames.contents(store)).containsExactly("before", "after");
      assertThat(store.verify()).isEmpty();
    }
  }

  private FrameStore open(String time) {
    return open(directory, Clock.fixed(Instant.parse(time), ZoneOffset.UTC));
  }
}
