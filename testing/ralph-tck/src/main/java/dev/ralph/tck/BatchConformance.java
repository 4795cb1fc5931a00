package dev.ralph.tck;

import static dev.ralph.tck.internal.Reading.read;
import static dev.ralph.tck.internal.Reading.rest;
import static dev.ralph.tck.internal.TimeLimit.patience;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.log.Appended;
import dev.ralph.log.Batch;
import dev.ralph.log.Draft;
import dev.ralph.log.Follower;
import dev.ralph.log.Frame;
import dev.ralph.log.FrameCursor;
import dev.ralph.log.Meta;
import dev.ralph.log.Position;
import dev.ralph.log.Query;
import dev.ralph.log.RalphException.Code;
import dev.ralph.log.StoreInfo;
import dev.ralph.log.Topic;
import dev.ralph.log.TopicFilter;
import dev.ralph.spi.FrameStore;
import dev.ralph.tck.internal.TimeLimit;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** Tests batches: written completely or not at all, and found by id. */
public abstract class BatchConformance extends StoreConformance {

  /** The limit of tested content, because a test should not use all memory. */
  private static final long TESTABLE_CONTENT_BYTES = 64L << 20;

  private static final int TESTABLE_BATCH_FRAMES = 1_000_000;

  @Test
  void batch_keepsItsOrder() {
    FrameStore store = open();
    append(store, TOPIC, "before");
    Appended appended = store.append(batchOf(TOPIC, "one", "two", "three"));
    append(store, TOPIC, "after");
    assertThat(contents(appended.frames())).containsExactly("one", "two", "three");
    assertThat(appended.position()).isEqualTo(appended.frames().get(2).position());
    List<Frame> log = readAll(store);
    assertThat(contents(log)).containsExactly("before", "one", "two", "three", "after");
    assertSameFrames(log.subList(1, 4), appended.frames());
    assertInOrder(log);
    assertIdsIncrease(log);
  }

  @Test
  void batch_maySpanTopicsOfItsScope() {
    FrameStore store = open();
    Topic third = Topic.of("tck.main");
    List<Draft> drafts = new ArrayList<>();
    for (Topic topic : List.of(TOPIC, OTHER, third, TOPIC)) {
      drafts.add(Draft.of(topic, Meta.empty(), "in " + topic));
    }
    store.append(Batch.of(newBatchId(), drafts));
    assertThat(contents(readAll(store)))
        .containsExactly("in " + TOPIC, "in " + OTHER, "in " + third, "in " + TOPIC);
    assertThat(contents(read(store, Query.of(TopicFilter.of(OTHER)))))
        .containsExactly("in " + OTHER);
  }

  @Test
  void batchOfTwoScopes_isRejected() {
    FrameStore store = open();
    assertFails(
        Code.INVALID,
        () ->
            store.append(
                Batch.of(
                    newBatchId(),
                    List.of(
                        Draft.of(TOPIC, Meta.empty()),
                        Draft.of(Topic.of("tck.elsewhere.events"), Meta.empty())))));
    assertThat(readAll(store)).isEmpty();
  }

  @Test
  void batch_isFoundById() {
    FrameStore store = open();
    append(store, TOPIC, "before");
    Position since = readAll(store).get(0).position();
    Batch batch = batchOf(TOPIC, "one", "two", "three");
    List<Frame> frames = store.append(batch).frames();
    Batch single = batchOf(OTHER, "alone");
    List<Frame> alone = store.append(single).frames();
    appendEach(store, OTHER, 0, 5);

    for (Position place : List.of(Position.START, since)) {
      assertSameFrames(store.findBatch(batch.id(), place).orElseThrow(), frames);
      assertSameFrames(store.findBatch(single.id(), place).orElseThrow(), alone);
    }
    assertThat(store.findBatch("no-such-batch", Position.START)).isEmpty();
  }

  @Test
  void batchId_mayUseAllAllowedCharacters() {
    FrameStore store = open();
    for (String id : List.of("a", "-", "_-_", "AZaz09_-".repeat(8))) {
      Batch batch = Batch.of(id, List.of(Draft.of(TOPIC, Meta.empty(), id)));
      List<Frame> frames = store.append(batch).frames();
      assertSameFrames(store.findBatch(id, Position.START).orElseThrow(), frames);
    }
  }

  @Test
  void batchIdsOfEqualHash_areDistinct() {
    FrameStore store = open();
    assertThat("Aa").hasSameHashCodeAs("BB");
    List<Frame> one = store.append(Batch.of("Aa", List.of(draft("one")))).frames();
    assertThat(store.findBatch("BB", Position.START)).isEmpty();
    List<Frame> two = store.append(Batch.of("BB", List.of(draft("two")))).frames();
    assertSameFrames(store.findBatch("Aa", Position.START).orElseThrow(), one);
    assertSameFrames(store.findBatch("BB", Position.START).orElseThrow(), two);
  }

  @Test
  void largestBatch_isAppendedAndLargerIsRejected() {
    FrameStore store = open();
    int most = Math.min(store.info().maxBatchFrames(), TESTABLE_BATCH_FRAMES);
    if (most < TESTABLE_BATCH_FRAMES) {
      assertRefused(store, Batch.of(newBatchId(), Collections.nCopies(most + 1, draft("x"))));
    }
    store.append(Batch.of(newBatchId(), Collections.nCopies(most, draft("x"))));
    assertThat(readAll(store)).hasSize(most);
  }

  @Test
  void largestContent_isKeptAndLargerIsRejected() {
    FrameStore store = open();
    int most = (int) Math.min(store.info().maxContentBytes(), TESTABLE_CONTENT_BYTES);
    if (store.info().maxContentBytes() == most) {
      assertRefused(store, Batch.of(newBatchId(), List.of(draft("x".repeat(most + 1)))));
      assertRefused(store, Batch.of(newBatchId(), List.of(draft("é".repeat(most / 2 + 1)))));
      assertRefused(
          store, Batch.of(newBatchId(), List.of(draft("small"), draft("x".repeat(most + 1)))));
    }
    String largest = "x".repeat(most - 2) + "é";
    Batch batch = Batch.of(newBatchId(), List.of(draft(largest)));
    store.append(batch.synced(false));
    assertThat(readAll(store).get(0).content().equals(largest)).as("largest content").isTrue();
  }

  private static Draft draft(String content) {
    return Draft.of(TOPIC, Meta.empty(), content);
  }

  private static void assertRefused(FrameStore store, Batch batch) {
    assertFails(Code.INVALID, () -> store.append(batch));
    assertThat(readAll(store)).as("frames after a rejected batch").isEmpty();
    assertThat(store.findBatch(batch.id(), Position.START)).isEmpty();
  }

  @Test
  void readersAndFollowers_seeWholeBatches() throws Exception {
    FrameStore store = open();
    int batches = 200;
    AtomicBoolean writing = new AtomicBoolean(true);
    try (TestThreads testThreads = new TestThreads()) {
      for (int r = 0; r < 2; r++) {
        testThreads.start("reader-" + r, () -> readWholeBatches(store, writing));
      }
      Follower follower = closeAfterwards(store.follow(everything()));
      testThreads.start("follower", () -> followWholeBatches(follower, batches * 2));
      StoreInfo info = store.info();
      TestThreads writers = new TestThreads();
      for (int w = 0; w < 2; w++) {
        writers.start(
            "writer-" + w,
            () -> {
              for (int i = 0; i < batches; i++) {
                int frames = 1 + i % Math.min(20, info.maxBatchFrames());
                store.append(NumberedBatch.of(newBatchId(), TOPIC, frames, 50).synced(false));
              }
              return null;
            });
      }
      try {
        writers.join();
      } finally {
        writing.set(false);
      }
      testThreads.join();
    }
    assertThat(NumberedBatch.assertWhole(readAll(store))).hasSize(2 * batches);
  }

  private static Void readWholeBatches(FrameStore store, AtomicBoolean writing) {
    do {
      NumberedBatch.assertWhole(read(store, everything()));
      List<Frame> newestFirst = read(store, everything().backward());
      Collections.reverse(newestFirst);
      NumberedBatch.assertWhole(newestFirst);
      try (FrameCursor cursor = store.read(everything())) {
        NumberedBatch.assertWhole(rest(cursor));
        NumberedBatch.assertWhole(rest(cursor));
      }
      Frame last = store.last(TopicFilter.all()).orElse(null);
      if (last != null) {
        String batch = NumberedBatch.batchOf(last);
        assertThat(store.findBatch(batch, Position.START).orElseThrow())
            .hasSize((int) last.meta().integer("of").orElse(0));
      }
    } while (writing.get());
    return null;
  }

  /** Polls without waiting; a partly visible batch would end early. */
  private static Void followWholeBatches(Follower follower, int batches)
      throws InterruptedException {
    Set<String> whole = new HashSet<>();
    TimeLimit deadline = TimeLimit.in(patience());
    while (whole.size() < batches) {
      List<Frame> ready = new ArrayList<>();
      Frame first = follower.poll(deadline.left());
      for (Frame f = first; f != null; f = follower.poll(Duration.ZERO)) {
        ready.add(f);
      }
      whole.addAll(NumberedBatch.assertWhole(ready));
      deadline.check("only " + whole.size() + " of " + batches + " batches came");
    }
    return null;
  }
}
