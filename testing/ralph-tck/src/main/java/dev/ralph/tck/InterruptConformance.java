package dev.ralph.tck;

import static dev.ralph.tck.internal.Reading.read;
import static dev.ralph.tck.internal.Reading.take;
import static dev.ralph.tck.internal.TimeLimit.patience;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.log.Batch;
import dev.ralph.log.Follower;
import dev.ralph.log.Frame;
import dev.ralph.log.IndeterminateException;
import dev.ralph.log.Position;
import dev.ralph.log.StoreInfo.Capability;
import dev.ralph.log.TopicFilter;
import dev.ralph.spi.FrameStore;
import dev.ralph.tck.internal.TimeLimit;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

/** Tests that interrupts of the host's threads do not affect the store. */
public abstract class InterruptConformance extends StoreConformance {

  private static final Duration STORM = Duration.ofMillis(1_500);

  @Test
  @Order(PLAINEST)
  void interruptedThread_canAppendAndRead() throws Exception {
    FrameStore store = open();
    interrupted(
        () -> {
          for (int i = 0; i < 10; i++) {
            boolean synced = i % 2 == 0;
            Batch batch = batchOf(TOPIC, "frame " + i).synced(synced);
            Frame frame = store.append(batch).frames().get(0);
            assertStillInterrupted("append");
            assertThat(store.get(frame.id())).isPresent();
            assertStillInterrupted("get");
            assertThat(readAll(store)).hasSize(i + 1);
            assertStillInterrupted("read");
            assertThat(read(store, everything().backward())).hasSize(i + 1);
            assertThat(store.last(TopicFilter.all())).isPresent();
            assertThat(store.topics(TopicFilter.all())).containsExactly(TOPIC);
            assertThat(store.findBatch(batch.id(), Position.START)).isPresent();
            assertThat(store.verify()).isEmpty();
            assertStillInterrupted("another method");
          }
        });
    append(store, TOPIC, "from another thread");
    assertThat(readAll(store)).hasSize(11);
  }

  @Test
  void interruptedContentRead_affectsNoOther() throws Exception {
    FrameStore store = open();
    Batch batch = NumberedBatch.of(newBatchId(), TOPIC, 4, 1 << 20);
    store.append(batch);
    Follower follower = closeAfterwards(store.follow(everything()));
    List<Frame> frames = new ArrayList<>(readAll(store));
    frames.addAll(take(follower, 4));
    frames.addAll(store.findBatch(batch.id(), Position.START).orElseThrow());
    interrupted(
        () -> {
          NumberedBatch.assertWhole(frames.subList(0, 4));
          assertStillInterrupted("content");
          NumberedBatch.assertWhole(readAll(store));
          assertStillInterrupted("read");
        });
    NumberedBatch.assertWhole(frames.subList(4, 8));
    NumberedBatch.assertWhole(frames.subList(8, 12));
    NumberedBatch.assertWhole(readAll(store));
  }

  @Test
  void interruptedThread_canOpenAndClose() throws Exception {
    List<String> appended = new ArrayList<>();
    interrupted(
        () -> {
          for (int i = 0; i < 3; i++) {
            FrameStore store = open();
            assertStillInterrupted("open");
            appended.add(append(store, TOPIC, "frame " + i).id());
            Follower follower = store.follow(everything());
            store.close();
            assertStillInterrupted("close");
            follower.close();
            assertStillInterrupted("the closing of a follower");
          }
        });
    boolean kept = fixture().capabilities().contains(Capability.PERSISTENT);
    assertThat(ids(readAll(open()))).isEqualTo(kept ? appended : List.of());
  }

  /** Runs work in a thread that was interrupted once before. */
  private static void interrupted(Runnable work) throws Exception {
    try (TestThreads testThreads = new TestThreads()) {
      FutureTask<Void> done =
          testThreads.call(
              "interrupted",
              () -> {
                Thread.currentThread().interrupt();
                work.run();
                return null;
              });
      TestThreads.await(done, patience());
    }
  }

  private static void assertStillInterrupted(String by) {
    assertThat(Thread.currentThread().isInterrupted()).as("interrupt status after %s", by).isTrue();
  }

  @Test
  void manyInterrupts_loseNothing() throws Exception {
    storm(new TestThreads());
  }

  /** An interrupt closes the socket from which a virtual thread reads. */
  @Test
  void interruptedVirtualThreads_loseNothing() throws Exception {
    storm(TestThreads.ofVirtualThreads());
  }

  private void storm(TestThreads toInterrupt) throws Exception {
    FrameStore store = open();
    AtomicBoolean storming = new AtomicBoolean(true);
    Set<String> acknowledged = ConcurrentHashMap.newKeySet();
    Set<String> unknown = ConcurrentHashMap.newKeySet();
    List<Frame> followed = new ArrayList<>();
    Follower follower = closeAfterwards(store.follow(everything()));

    try (TestThreads calm = new TestThreads();
        TestThreads stormed = toInterrupt) {
      for (int t = 0; t < 2; t++) {
        boolean synced = t == 0;
        stormed.start(
            "append-" + t, during(storming, () -> append(store, synced, acknowledged, unknown)));
        calm.start(
            "calm-" + t, during(storming, () -> append(store, synced, acknowledged, unknown)));
        stormed.start("read-" + t, during(storming, () -> last50(store)));
      }
      stormed.start("last", during(storming, () -> store.last(TopicFilter.all())));
      stormed.start("topics", during(storming, () -> store.topics(TopicFilter.all())));
      stormed.start("follow", during(storming, () -> follow(follower, followed)));

      TimeLimit end = TimeLimit.in(STORM);
      Random random = new Random(7);
      while (!end.left().isZero()) {
        stormed.threads().get(random.nextInt(stormed.threads().size())).interrupt();
        Thread.sleep(0, random.nextInt(900_000));
      }
      storming.set(false);
      calm.join();
      stormed.join();
    }

    for (String id : unknown) {
      if (store.findBatch(id, Position.START).isPresent()) {
        acknowledged.add(id);
      }
    }
    append(store, true, acknowledged, unknown);
    List<Frame> log = readAll(store);
    assertThat(NumberedBatch.assertWhole(log)).containsExactlyInAnyOrderElementsOf(acknowledged);
    assertInOrder(log);
    followed.addAll(take(follower, log.size() - followed.size()));
    assertSameFrames(followed, log);
    report(acknowledged.size() + " batches appended, " + unknown.size() + " of unknown outcome");
    assertSameFrames(readAll(reopenIfPersistent(store)), log);
  }

  private static Void append(
      FrameStore store, boolean synced, Set<String> acknowledged, Set<String> unknown) {
    Batch batch = NumberedBatch.of(newBatchId(), TOPIC, 2, 100).synced(synced);
    try {
      store.append(batch);
      acknowledged.add(batch.id());
    } catch (IndeterminateException e) {
      assertThat(e.batchId()).isEqualTo(batch.id());
      unknown.add(batch.id());
    }
    return null;
  }

  private static Void last50(FrameStore store) {
    List<Frame> newest = read(store, everything().backward().limit(50));
    if (!newest.isEmpty()) {
      Frame oldest = newest.get(newest.size() - 1);
      assertThat(store.get(oldest.id())).isPresent();
      read(store, everything().after(oldest.position()).limit(50));
    }
    return null;
  }

  private static Void follow(Follower follower, List<Frame> followed) {
    try {
      Frame frame = follower.poll(Duration.ofMillis(50));
      if (frame != null) {
        followed.add(frame);
      }
    } catch (InterruptedException expected) {
      // later polls return the frame, as the test checks
    }
    return null;
  }

  private static Callable<Void> during(AtomicBoolean storming, Callable<?> work) {
    return () -> {
      while (storming.get()) {
        work.call();
      }
      Thread.interrupted();
      return null;
    };
  }
}
