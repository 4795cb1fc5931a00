package dev.ralph.tck;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.log.Frame;
import dev.ralph.log.StoreInfo.Capability;
import dev.ralph.spi.FrameStore;
import dev.ralph.spi.StoreConfig;
import dev.ralph.tck.internal.SteppedClock;
import dev.ralph.tck.internal.TimeLimit;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Tests that ids are unique, and that minted ids increase along the log for any clock. */
public abstract class IdConformance extends StoreConformance {

  private static final long HOUR = 3_600_000;

  /**
   * Longer than an append on a busy machine, and shorter than a search through 8,000 years of ids.
   */
  private static final Duration AT_ONCE = Duration.ofSeconds(12);

  private static final long END_OF_9999 = 253_402_300_799_999L;

  private final SteppedClock clock = new SteppedClock("2026-03-04T05:06:07Z");

  private StoreConfig stepped() {
    return config().clock(clock);
  }

  @Test
  void idsOfOneMillisecond_increase() {
    FrameStore store = open(stepped());
    appendEach(store, TOPIC, 0, 500);
    store.append(NumberedBatch.of(newBatchId(), OTHER, 100, 10));
    assertIdsAreSound(readAll(store), 600);
  }

  @Test
  void steppedClock_idsIncrease() {
    FrameStore store = open(stepped());
    for (long step : new long[] {-1, 1, -HOUR, 2 * HOUR, -24 * HOUR, 5, 24 * HOUR, -3}) {
      clock.step(step);
      appendEach(store, TOPIC, 0, 10);
    }
    assertIdsAreSound(readAll(store), 80);
  }

  @Test
  void frameTime_followsSteppedClock() {
    FrameStore store = open(stepped());
    append(store, TOPIC, "before");
    clock.step(-HOUR);
    assertThat(append(store, TOPIC, "after").time()).isEqualTo(clock.instant());
  }

  @Test
  void clockOfYear9999_doesNotDelayLaterAppends() {
    boolean persistent = fixture().capabilities().contains(Capability.PERSISTENT);
    FrameStore store = open(stepped());
    List<Frame> own = new ArrayList<>(List.of(append(store, TOPIC, "before")));
    long now = clock.millis();
    for (long millis : new long[] {END_OF_9999, now, now}) {
      clock.step(millis - clock.millis());
      if (persistent) {
        store.close();
        store = open(stepped());
      }
      TimeLimit deadline = TimeLimit.in(AT_ONCE);
      own.add(append(store, TOPIC, "by a clock at " + millis));
      deadline.check("an append by a clock at " + millis);
    }
    assertIdsIncrease(own);
  }

  @Test
  void jumpingClock_idsIncreaseOverThreads() throws Exception {
    FrameStore store = open(stepped());
    try (TestThreads testThreads = new TestThreads()) {
      for (int t = 0; t < 8; t++) {
        Random random = new Random(t);
        testThreads.start(
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
      testThreads.join();
    }
    assertIdsAreSound(readAll(store), 800);
  }

  private void assertIdsAreSound(List<Frame> log, int count) {
    assertThat(log).hasSize(count);
    assertInOrder(log);
    assertIdsIncrease(log);
  }
}
