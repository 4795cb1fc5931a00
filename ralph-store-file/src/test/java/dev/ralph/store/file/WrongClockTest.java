package dev.ralph.store.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ralph.RalphException;
import dev.ralph.spi.FrameStore;
import dev.ralph.spi.StoreConfig;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WrongClockTest {

  @TempDir Path temp;

  @Test
  void anAppendByAClockAfterTheYear9999IsRefusedAndLeavesNoTrace() {
    try (FrameStore store = open("2026-05-06T07:08:09Z")) {
      TestLog.append(store, TestLog.TOPIC, "before");
    }
    try (FrameStore store = open("+10000-01-01T00:00:00Z")) {
      assertThatThrownBy(() -> TestLog.append(store, TestLog.TOPIC, "refused"))
          .isInstanceOfSatisfying(
              RalphException.class,
              e -> assertThat(e.code()).isEqualTo(RalphException.Code.INVALID))
          .hasMessageStartingWith("the clock says +10000-01-01T00:00:00Z");
    }
    try (FrameStore store = open("2026-05-06T07:08:10Z")) {
      TestLog.append(store, TestLog.TOPIC, "after");
      assertThat(TestLog.contents(store)).containsExactly("before", "after");
      assertThat(store.verify()).isEmpty();
    }
  }

  private FrameStore open(String time) {
    Clock clock = Clock.fixed(Instant.parse(time), ZoneOffset.UTC);
    return new FileStoreProvider().open(StoreConfig.in(temp.resolve("store")).clock(clock));
  }
}
