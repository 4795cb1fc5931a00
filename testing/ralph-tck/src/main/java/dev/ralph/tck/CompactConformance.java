package dev.ralph.tck;

import static dev.ralph.tck.internal.Reading.read;
import static dev.ralph.tck.internal.Reading.rest;
import static dev.ralph.tck.internal.Reading.take;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.log.Batch;
import dev.ralph.log.Draft;
import dev.ralph.log.Follower;
import dev.ralph.log.Frame;
import dev.ralph.log.FrameCursor;
import dev.ralph.log.Meta;
import dev.ralph.log.Position;
import dev.ralph.log.StoreInfo.Capability;
import dev.ralph.log.Topic;
import dev.ralph.log.TopicFilter;
import dev.ralph.spi.FrameStore;
import dev.ralph.spi.Snapshot;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

/** Tests that a compaction removes erased frames wholly, and changes nothing else. */
@Requires({Capability.COMPACTS, Capability.ERASES})
public abstract class CompactConformance extends StoreConformance {

  private static final int KILLS = 4;
  private static final int BATCHES = 300;

  @Test
  @Order(PLAINEST)
  @Requires(Capability.MULTI_PROCESS)
  void erasedFrame_isRemoved() {
    FrameStore store = open();
    Frame before = append(store, TOPIC, "before");
    Frame frame = append(store, TOPIC, "secret");
    Frame after = append(store, TOPIC, "after");
    store.erase(List.of(frame.id()));

    store.compact();

    for (FrameStore each : List.of(store, open())) {
      List<Frame> log = readAll(each);
      assertSameFrames(log.subList(0, 2), List.of(before, after));
      assertThat(log.get(2).erasedIds()).containsExactly(frame.id());
      assertThat(each.get(frame.id())).isEmpty();
      assertThat(each.verify()).isEmpty();
    }
  }

  @Test
  void logWithoutErasedFrames_staysEqual() {
    FrameStore store = open();
    List<Frame> frames = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      frames.addAll(store.append(batchOf(TOPIC, "a " + i, "b " + i)).frames());
    }
    store.compact();
    store.compact();
    frames.add(append(store, TOPIC, "appended afterwards"));
    assertSameFrames(readAll(store), frames);
    assertInOrder(readAll(store));
    assertThat(store.verify()).isEmpty();
  }

  @Test
  @Requires(Capability.MULTI_PROCESS)
  void openReaders_keepTheirPositions() throws InterruptedException {
    FrameStore store = open();
    FrameStore other = open();
    List<Frame> kept = new ArrayList<>();
    List<Frame> all = appendAndErase(store, kept);
    List<Position> positions = new ArrayList<>(List.of(Position.START));
    all.forEach(frame -> positions.add(frame.position()));
    try (FrameCursor open = other.read(everything());
        Follower follower = other.follow(everything().after(all.get(10).position()))) {
      open.next();
      store.compact();
      for (Position position : positions) {
        List<Frame> expected =
            kept.stream().filter(frame -> frame.position().isAfter(position)).toList();
        assertSameFrames(ordinary(read(other, everything().after(position))), expected);
      }
      Position begin = all.get(10).position();
      List<Frame> followed =
          kept.stream().filter(frame -> frame.position().isAfter(begin)).toList();
      int withNotices = read(other, everything().after(begin)).size();
      assertSameFrames(ordinary(take(follower, withNotices)), followed);
      assertThat(ordinary(rest(open))).extracting(Frame::id).containsAll(ids(tail(kept)));
      assertThat(open.damage()).isEmpty();
    }
    assertSameFrames(
        ordinary(read(other, everything().backward())),
        kept.stream().sorted((a, b) -> b.position().compareTo(a.position())).toList());
  }

  private static List<Frame> tail(List<Frame> frames) {
    return frames.subList(1, frames.size());
  }

  @Test
  void conditionsAndSnapshots_stayValid() {
    FrameStore store = open();
    List<Frame> kept = new ArrayList<>();
    List<Frame> all = appendAndErase(store, kept);
    Frame last = append(store, TOPIC, "last");
    Snapshot.Key key = new Snapshot.Key("a fold of the kit's", 1, TopicFilter.of(TOPIC));
    Snapshot snapshot = new Snapshot(last.id(), last.position(), new byte[] {1});
    store.snapshots().save(key, snapshot);
    store.compact();
    assertThat(store.snapshots().load(key).isPresent()).isEqualTo(fixture().keepsSnapshots());
    for (Frame frame : List.of(all.get(0), all.get(all.size() / 2))) {
      Batch.Condition old = new Batch.Condition(TopicFilter.of(TOPIC), frame.position());
      assertThat(store.append(batchOf(TOPIC, "late").onlyIf(old)).isConflict()).isTrue();
    }
    Batch.Condition current = new Batch.Condition(TopicFilter.of(TOPIC), last.position());
    assertThat(store.append(batchOf(TOPIC, "in time").onlyIf(current)).isConflict()).isFalse();
  }

  @Test
  void compactedFrames_canBeErased() {
    FrameStore store = open();
    List<Frame> kept = new ArrayList<>();
    appendAndErase(store, kept);
    store.compact();
    Frame erased = kept.remove(kept.size() / 2);
    assertThat(store.erase(List.of(erased.id()))).isEqualTo(1);
    assertThat(store.get(erased.id()).orElseThrow().isErased()).isTrue();
    store.compact();
    assertThat(store.get(erased.id())).isEmpty();
    assertSameFrames(ordinary(readAll(store)), kept);
    assertThat(store.verify()).isEmpty();
  }

  @Test
  @Requires({Capability.PERSISTENT, Capability.MULTI_PROCESS})
  void killedCompaction_changesNoFrame() throws Exception {
    Random random = new Random(19);
    FrameStore store = open();
    List<Frame> kept = new ArrayList<>();
    for (int kill = 0; kill < KILLS; kill++) {
      appendAndErase(store, kept);
      ChildProcess child = startChild(0);
      child.done();
      child.send("compact");
      child.until("ready");
      Thread.sleep(random.nextInt(30), random.nextInt(1_000_000));
      child.kill();
      for (FrameStore each : List.of(store, open())) {
        assertSameFrames(ordinary(readAll(each)), kept);
        assertThat(each.verify()).as("damage after kill %s", kill).isEmpty();
        kept.add(append(each, OTHER, "appended after the kill"));
      }
    }
    store.compact();
    assertSameFrames(ordinary(readAll(store)), kept);
    assertThat(readAll(store)).noneMatch(Frame::isErased);
  }

  @Test
  @Requires({Capability.PERSISTENT, Capability.MULTI_PROCESS})
  void compactionDuringUse_losesNoFrame() throws Exception {
    FrameStore store = open();
    List<Frame> kept = new ArrayList<>();
    ChildProcess child = startChild(0);
    child.done();
    for (int round = 0; round < 5; round++) {
      appendAndErase(store, kept);
      child.send("compact");
      child.until("ready");
      for (int i = 0; i < 30; i++) {
        kept.add(append(store, OTHER, "beside the compaction " + i));
        List<Frame> log = ordinary(readAll(store));
        assertThat(ids(log)).isEqualTo(ids(kept));
      }
      child.done();
    }
    store.compact();
    assertSameFrames(ordinary(readAll(open())), kept);
    assertThat(store.verify()).isEmpty();
  }

  /**
   * Appends batches, and erases nine of ten frames.
   *
   * @param kept gets the other frames
   * @return all frames
   */
  private List<Frame> appendAndErase(FrameStore store, List<Frame> kept) {
    Random random = new Random(kept.size());
    List<Frame> all = new ArrayList<>();
    List<String> erased = new ArrayList<>();
    for (int i = 0; i < BATCHES; i++) {
      List<Draft> drafts = new ArrayList<>();
      for (int j = random.nextInt(3); j >= 0; j--) {
        Topic topic = random.nextInt(4) == 0 ? OTHER : TOPIC;
        drafts.add(Draft.of(topic, Meta.of("n", i), "text " + i));
      }
      all.addAll(store.append(Batch.of(newBatchId(), drafts).synced(false)).frames());
    }
    for (Frame frame : all) {
      if (random.nextInt(10) == 0) {
        kept.add(frame);
      } else {
        erased.add(frame.id());
      }
    }
    store.erase(erased);
    return all;
  }

  /** Returns the frames without notices and erased frames. */
  private static List<Frame> ordinary(List<Frame> frames) {
    return frames.stream().filter(frame -> !frame.isErasureNotice() && !frame.isErased()).toList();
  }
}
