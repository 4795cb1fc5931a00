package dev.ralph.tck;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.Frame;
import dev.ralph.spi.FrameStore;
import dev.ralph.spi.StoreConfig;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * Ids are never given twice; those that a store mints increase along the log, whatever the clock.
 */
public abstract class IdConformance extends StoreConformance {

  private static final long HOUR = 3_600_000;

  private final SteppedClock clock = new SteppedClock("2026-03-04T05:06:07Z");

  private StoreConfig stepped() {
    return config().clock(clock);
  }

  @Test
  void idsOfOneMillisecondDifferAndIncrease() {
    FrameStore store = open(stepped());
    appendEach(store, TOPIC, 0, 500);
    store.append(NumberedBatch.of(newBatchId(), OTHER, 100, 10));
    assertIdsAreSound(readAll(store), 600);
  }

  @Test
  void idsIncreaseWhileTheClockStepsBackAndForth() {
    FrameStore store = open(stepped());
    for (long step : new long[] {-1, 1, -HOUR, 2 * HOUR, -24 * HOUR, 5, 24 * HOUR, -3}) {
      clock.step(step);
      appendEach(store, TOPIC, 0, 10);
    }
    assertIdsAreSound(readAll(store), 80);
  }

  @Test
  void aFrameHasTheTimeOfTheAppendersClockEvenIfThatSteppedBack() {
    FrameStore store = open(stepped());
    append(store, TOPIC, "before");
    clock.step(-HOUR);
    assertThat(append(store, TOPIC, "after").time()).isEqualTo(clock.instant());
  }

  @Test
  void idsIncreaseOverThreadsWhileTheClockJumps() throws Exception {
    FrameStore store = open(stepped());
    try (Crew crew = new Crew()) {
      for (int t = 0; t < 8; t++) {
        Random random = new Random(t);
        crew.start(
            "appender-" + t,
            () -> {
              List<Frame> own = new ArrayList<>();
              for (int i = 0; i < 100; i++) {
                clock.step(random.nextInt(2_000) - 1_000);
                own.add(append(store, TOPIC, ""));
              }
              assertInOrder(own);
              assertIdsIncrease(own);
              return null;
            });
      }
      crew.join();
    }
    assertIdsAreSound(readAll(store), 800);
  }

  private void assertIdsAreSound(List<Frame> log, int count) {
    assertThat(log).hasSize(count);
    assertInOrder(log);
    assertIdsIncrease(log);
  }
}
