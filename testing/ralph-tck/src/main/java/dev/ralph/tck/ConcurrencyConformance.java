package dev.ralph.tck;

import static dev.ralph.tck.internal.Reading.read;
import static dev.ralph.tck.internal.Reading.take;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.log.Follower;
import dev.ralph.log.Frame;
import dev.ralph.log.Query;
import dev.ralph.log.Topic;
import dev.ralph.log.TopicFilter;
import dev.ralph.spi.FrameStore;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;

/** Tests that appending, reading and following threads of a store see the same log. */
public abstract class ConcurrencyConformance extends StoreConformance {

  private static final int THREADS = 8;
  private static final int APPENDS = 50;

  @Test
  void eightAppenders_loseNothing() throws Exception {
    FrameStore store = open();
    List<FutureTask<List<Frame>>> appenders = new ArrayList<>();
    FutureTask<List<Frame>> following;
    try (TestThreads testThreads = new TestThreads();
        Follower follower = store.follow(everything())) {
      following = testThreads.call("follower", () -> take(follower, THREADS * APPENDS * 2));
      for (int t = 0; t < THREADS; t++) {
        Topic own = TOPIC.child("thread-" + t);
        appenders.add(testThreads.call("appender-" + t, () -> appendMixed(store, own)));
      }
      testThreads.join();
    }
    assertOneOrder(store, appenders, following.get());
    assertOneOrder(reopenIfPersistent(store), appenders, following.get());
  }

  private static List<Frame> appendMixed(FrameStore store, Topic own) {
    List<Frame> acknowledged = new ArrayList<>();
    for (int i = 0; i < APPENDS; i++) {
      boolean synced = i % 2 == 0;
      acknowledged.addAll(
          store.append(NumberedBatch.of(newBatchId(), own, 2, 100).synced(synced)).frames());
    }
    return acknowledged;
  }

  private void assertOneOrder(
      FrameStore store, List<FutureTask<List<Frame>>> appenders, List<Frame> followed)
      throws Exception {
    List<Frame> log = readAll(store);
    assertThat(log).hasSize(THREADS * APPENDS * 2);
    assertInOrder(log);
    assertIdsIncrease(log);
    NumberedBatch.assertWhole(log);
    assertSameFrames(followed, log);
    for (FutureTask<List<Frame>> appender : appenders) {
      List<Frame> own = appender.get();
      TopicFilter filter = TopicFilter.of(own.get(0).topic());
      assertSameFrames(read(store, Query.of(filter)), own);
    }
  }

  @Test
  void acknowledgedFrame_isVisibleAtOnce() throws Exception {
    FrameStore store = open();
    try (TestThreads testThreads = new TestThreads()) {
      for (int t = 0; t < 4; t++) {
        Topic own = TOPIC.child("thread-" + t);
        testThreads.start(
            "checker-" + t,
            () -> {
              for (int i = 0; i < APPENDS; i++) {
                Frame frame = append(store, own, "" + i);
                assertThat(store.get(frame.id())).as("get of %s", frame).isPresent();
                assertThat(store.last(TopicFilter.of(own)).orElseThrow().id())
                    .isEqualTo(frame.id());
                assertThat(store.topics(TopicFilter.of(own))).containsExactly(own);
                assertThat(read(store, Query.of(TopicFilter.of(own)))).hasSize(i + 1);
              }
              return null;
            });
      }
      testThreads.join();
    }
  }
}
