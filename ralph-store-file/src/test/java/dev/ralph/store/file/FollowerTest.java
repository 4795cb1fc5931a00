package dev.ralph.store.file;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.log.Follower;
import dev.ralph.log.Frame;
import dev.ralph.log.Query;
import dev.ralph.log.TopicFilter;
import dev.ralph.spi.FrameStore;
import java.lang.ref.WeakReference;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FollowerTest {

  private static final Query EVERYTHING = Query.of(TopicFilter.all());
  private static final Duration LONG = Duration.ofMinutes(5);

  private static final int AT_ONCE = 500;
  private static final int FAR_BEHIND = 20 * AT_ONCE;

  private static final int FEWEST_ROUNDS = 1_000;
  private static final int MOST_ROUNDS = 30_000;

  /** The duration of the test. A round takes long on a busy machine. */
  private static final Duration ENOUGH = Duration.ofSeconds(5);

  @TempDir Path directory;

  @Test
  void withoutNotifications_followerPolls() throws Exception {
    try (FrameStore store = TestLog.open(directory);
        FrameStore other = TestLog.open(directory)) {
      try (Follower follower = store.follow(EVERYTHING)) {
        Files.move(directory.resolve("log"), directory.resolve("away"));
        assertThat(follower.poll(Duration.ofMillis(1))).as("no folder to watch").isNull();
        Files.move(directory.resolve("away"), directory.resolve("log"));

        for (String content : new String[] {"after", "and after that"}) {
          FutureTask<Frame> next = startWaiting(follower);
          TestLog.append(other, TestLog.TOPIC, content);
          assertThat(next.get(1, TimeUnit.MINUTES).content()).isEqualTo(content);
        }
        FutureTask<Frame> woken = startWaiting(follower);
        follower.wakeup();
        assertThat(woken.get(1, TimeUnit.MINUTES)).isNull();
      }
    }
  }

  /** An unread follower must not exhaust the memory. */
  @Test
  void slowFollower_keepsNoFramesInMemory() throws Exception {
    try (FrameStore store = TestLog.open(directory);
        Follower slow = store.follow(EVERYTHING);
        Follower fast = store.follow(EVERYTHING)) {
      WeakReference<Frame> first = null;
      for (int batch = 0; batch < FAR_BEHIND; batch += AT_ONCE) {
        String[] contents = new String[AT_ONCE];
        Arrays.setAll(contents, i -> "");
        TestLog.append(store, TestLog.TOPIC, contents);
        for (int i = 0; i < AT_ONCE; i++) {
          Frame frame = fast.poll(LONG);
          first = first == null ? new WeakReference<>(frame) : first;
        }
      }
      long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
      while (first.get() != null) {
        assertThat(System.nanoTime() - deadline).as("time left to collect the frame").isNegative();
        System.gc();
      }
      for (int i = 0; i < FAR_BEHIND; i++) {
        assertThat(slow.poll(LONG)).as("frame %d of the slow follower", i).isNotNull();
      }
      assertThat(slow.poll(Duration.ZERO)).isNull();
    }
  }

  @Test
  void wakeup_isNeverLost() throws Exception {
    long end = System.nanoTime() + ENOUGH.toNanos();
    AtomicBoolean last = new AtomicBoolean();
    AtomicInteger begun = new AtomicInteger();
    AtomicInteger ended = new AtomicInteger();
    try (FrameStore store = TestLog.open(directory);
        Follower follower = store.follow(EVERYTHING)) {
      Thread waiting =
          new Thread(
              () -> {
                for (int round = 1; !last.get(); round++) {
                  begun.set(round);
                  poll(follower);
                  ended.set(round);
                }
              });
      waiting.start();
      try {
        for (int round = 1; !last.get(); round++) {
          awaitAtLeast(begun, round);
          // a different moment in each round
          long moment = System.nanoTime() + round * 37L % 20_000;
          while (System.nanoTime() < moment) {
            Thread.onSpinWait();
          }
          last.set(round == MOST_ROUNDS || round > FEWEST_ROUNDS && System.nanoTime() > end);
          follower.wakeup();
          awaitAtLeast(ended, round);
        }
      } finally {
        waiting.interrupt();
        waiting.join();
      }
    }
  }

  private static FutureTask<Frame> startWaiting(Follower follower) throws InterruptedException {
    FutureTask<Frame> polled = new FutureTask<>(() -> poll(follower));
    Thread thread = new Thread(polled, "waiting");
    thread.start();
    long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
    while (thread.getState() != Thread.State.TIMED_WAITING) {
      if (System.nanoTime() - deadline > 0) {
        throw new AssertionError("the follower does not wait");
      }
      Thread.sleep(1);
    }
    return polled;
  }

  private static void awaitAtLeast(AtomicInteger counter, int wanted) {
    long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
    while (counter.get() < wanted) {
      if (System.nanoTime() - deadline > 0) {
        throw new AssertionError("stuck in round " + wanted);
      }
      Thread.onSpinWait();
    }
  }

  private static Frame poll(Follower follower) {
    try {
      return follower.poll(LONG);
    } catch (InterruptedException e) {
      throw new IllegalStateException("the test has failed and stops its threads", e);
    }
  }
}
