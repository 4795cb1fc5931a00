package dev.ralph.tck;

import static dev.ralph.tck.internal.Reading.read;
import static dev.ralph.tck.internal.Reading.take;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.log.Batch;
import dev.ralph.log.Draft;
import dev.ralph.log.Follower;
import dev.ralph.log.Frame;
import dev.ralph.log.Meta;
import dev.ralph.log.Position;
import dev.ralph.log.Query;
import dev.ralph.log.Topic;
import dev.ralph.log.TopicFilter;
import dev.ralph.spi.FrameStore;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests long logs and large batches. */
public abstract class VolumeConformance extends StoreConformance {

  /** The number of frames, more than usual limits of entries in memory. */
  private static final int FRAMES = 70_000;

  private static final int BATCH_FRAMES = 100;
  private static final int LARGE = 15 << 20;
  private static final Topic EARLY = Topic.of("tck.main.early");
  private static final Topic ONCE = Topic.of("tck.main.once");
  private static final String IMPORTED = "02vxxxxxxxxxxxxxxxxxxxxx1";

  @Test
  void longLog_losesNoFrame() throws Exception {
    FrameStore store = open();
    Batch early = batchOf(EARLY, "early", "of the same batch");
    List<String> expected = new ArrayList<>(ids(store.append(early).frames()));
    expected.addAll(ids(store.append(imported()).frames()));
    List<Frame> once = store.append(batchOf(ONCE, "seen", "not seen")).frames();
    expected.addAll(ids(once));
    try (Follower slow = store.follow(everything())) {
      assertThat(ids(take(slow, 1))).isEqualTo(expected.subList(0, 1));
      for (int b = 0; b < FRAMES / BATCH_FRAMES; b++) {
        Batch batch = NumberedBatch.of(newBatchId(), TOPIC, BATCH_FRAMES, 20);
        expected.addAll(ids(store.append(batch.synced(false)).frames()));
      }
      assertSameIds(
          "a slow follower", ids(take(slow, expected.size() - 1)), expected, 1, expected.size());
    }
    assertFound(store, early, expected);
    assertRestIsFound(store, once);
    store = reopenIfPersistent(store);
    assertFound(store, early, expected);
    assertRestIsFound(store, once);
  }

  private static void assertFound(FrameStore store, Batch early, List<String> expected)
      throws InterruptedException {
    try (Follower late = store.follow(everything())) {
      assertSameIds(
          "a late follower", ids(take(late, expected.size())), expected, 0, expected.size());
    }
    assertSameIds("a cursor", ids(readAll(store)), expected, 0, expected.size());
    List<String> newestFirst = ids(read(store, everything().backward()));
    Collections.reverse(newestFirst);
    assertSameIds("a backward cursor, reversed", newestFirst, expected, 0, expected.size());

    for (int i = 0; i < expected.size(); i += FRAMES / 10) {
      assertThat(store.get(expected.get(i)).map(Frame::id))
          .as("frame by the id at index %d of %d", i, expected.size())
          .contains(expected.get(i));
    }
    assertThat(ids(store.findBatch(early.id(), Position.START).orElse(List.of())))
        .as("the first batch, looked up by its id")
        .isEqualTo(expected.subList(0, 2));
    assertThat(store.append(imported()).frames()).as("repeated import of an early frame").isEmpty();
    TopicFilter filter = TopicFilter.of(EARLY);
    assertThat(store.topics(TopicFilter.all())).containsExactly(EARLY, TOPIC, ONCE);
    assertThat(store.last(filter).map(Frame::id))
        .as("last frame of a topic with early frames only")
        .contains(expected.get(2));
    assertThat(ids(read(store, Query.of(filter)))).isEqualTo(expected.subList(0, 3));
  }

  /** Checks reads after a position in the middle of a batch. */
  private static void assertRestIsFound(FrameStore store, List<Frame> batch)
      throws InterruptedException {
    TopicFilter filter = TopicFilter.of(ONCE);
    Position seen = batch.get(0).position();
    List<String> rest = ids(batch.subList(1, batch.size()));
    assertThat(ids(read(store, Query.of(filter).after(seen))))
        .as("frames read after the first frame of a batch")
        .isEqualTo(rest);
    try (Follower follower = store.follow(Query.of(filter).after(seen))) {
      assertThat(ids(take(follower, rest.size())))
          .as("frames followed after the first frame of a batch")
          .isEqualTo(rest);
    }
    Batch refused = batchOf(ONCE, "late").onlyIf(new Batch.Condition(filter, seen));
    assertThat(store.append(refused).isConflict())
        .as("conflict with the second frame of a batch")
        .isTrue();
  }

  private static Batch imported() {
    Draft draft = Draft.imported(IMPORTED, Instant.EPOCH, EARLY, Meta.empty(), "from elsewhere");
    return Batch.of(newBatchId(), List.of(draft));
  }

  /** Reports only the first difference of long lists. */
  private static void assertSameIds(
      String who, List<String> actual, List<String> log, int from, int to) {
    List<String> expected = log.subList(from, to);
    for (int i = 0; i < Math.max(actual.size(), expected.size()); i++) {
      String is = i < actual.size() ? actual.get(i) : "nothing";
      String should = i < expected.size() ? expected.get(i) : "nothing";
      if (!is.equals(should)) {
        int wherever = log.indexOf(is);
        throw new AssertionError(
            String.format(
                "%s gives, as frame %d of %d, %s (%s) instead of %s",
                who, i, expected.size(), is, wherever < 0 ? "none" : "" + wherever, should));
      }
    }
  }

  @Test
  void largeBatch_isAppendedCompletely() throws InterruptedException {
    FrameStore store = open();
    int length = (int) Math.min(LARGE, store.info().maxContentBytes());
    Batch batch = NumberedBatch.of(newBatchId(), TOPIC, 3, length);
    try (Follower follower = store.follow(everything())) {
      NumberedBatch.assertWhole(store.append(batch).frames());
      assertThat(NumberedBatch.assertWhole(take(follower, 3))).containsExactly(batch.id());
    }
    store = reopenIfPersistent(store);
    assertThat(NumberedBatch.assertWhole(readAll(store))).containsExactly(batch.id());
    assertThat(store.findBatch(batch.id(), Position.START).orElseThrow()).hasSize(3);
  }
}
