package dev.ralph.tck;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.log.Frame;
import dev.ralph.log.Topic;
import dev.ralph.log.TopicFilter;
import dev.ralph.spi.FrameStore;
import dev.ralph.spi.Snapshot;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Tests snapshots: kept by key, unchanged, the newest replacing older ones. */
public abstract class SnapshotConformance extends StoreConformance {

  private static final Snapshot.Key KEY = new Snapshot.Key("tasks", 1, TopicFilter.of(TOPIC));

  @Test
  void unsavedSnapshot_isAbsent() {
    assertThat(open().snapshots().load(KEY)).isEmpty();
  }

  @Test
  void savedSnapshot_isLoadedUnchanged() {
    FrameStore store = open();
    Snapshot saved = snapshot(append(store, TOPIC, "folded"), everyByte());
    store.snapshots().save(KEY, saved);
    assertKept(store, KEY, saved);
    assertKept(reopenIfPersistent(store), KEY, saved);
  }

  @Test
  void newerSnapshot_replacesOlderOne() {
    FrameStore store = open();
    store.snapshots().save(KEY, snapshot(append(store, TOPIC, "1"), new byte[100_000]));
    Snapshot newer = snapshot(append(store, TOPIC, "2"), new byte[] {1, 2, 3});
    store.snapshots().save(KEY, newer);
    assertKept(store, KEY, newer);
    assertKept(reopenIfPersistent(store), KEY, newer);
  }

  @Test
  void foldVersionAndFilter_distinguishSnapshots() {
    FrameStore store = open();
    Frame frame = append(store, TOPIC, "folded");
    Snapshot.Key[] keys = {
      KEY,
      new Snapshot.Key("tasks", 2, TopicFilter.of(TOPIC)),
      new Snapshot.Key("Tasks", 1, TopicFilter.of(TOPIC)),
      new Snapshot.Key("tasks", 1, TopicFilter.of(TOPIC, OTHER)),
      new Snapshot.Key("tasks", 1, TopicFilter.parse("tck.main.*")),
      new Snapshot.Key("tasks", 1, TopicFilter.all()),
      new Snapshot.Key("../tasks/ \u00e9:*?", 1, TopicFilter.of(TOPIC)),
      new Snapshot.Key("tasks", 1, TopicFilter.of(Topic.of("x".repeat(Topic.MAX_LENGTH)))),
    };
    for (int i = 0; i < keys.length; i++) {
      assertThat(store.snapshots().load(keys[i])).as("%s before it was saved", keys[i]).isEmpty();
      store.snapshots().save(keys[i], snapshot(frame, new byte[] {(byte) i}));
    }
    for (int i = 0; i < keys.length; i++) {
      assertKept(store, keys[i], snapshot(frame, new byte[] {(byte) i}));
    }
  }

  @Test
  void emptyAndLargeStates_areKept() {
    FrameStore store = open();
    Frame frame = append(store, TOPIC, "folded");
    for (int size : new int[] {0, 1, 1 << 16, 4 << 20}) {
      Snapshot saved = snapshot(frame, new byte[size]);
      store.snapshots().save(KEY, saved);
      assertKept(store, KEY, saved);
    }
  }

  private static byte[] everyByte() {
    byte[] bytes = new byte[256];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) i;
    }
    return bytes;
  }

  private static Snapshot snapshot(Frame frame, byte[] state) {
    return new Snapshot(frame.id(), frame.position(), state);
  }

  /** Checks the loaded snapshot; a store may keep none, but never a different one. */
  private void assertKept(FrameStore store, Snapshot.Key key, Snapshot expected) {
    Optional<Snapshot> loaded = store.snapshots().load(key);
    if (loaded.isEmpty() && !fixture().keepsSnapshots()) {
      report("no snapshot is kept, as the fixture declares");
      return;
    }
    assertThat(loaded).as("snapshot of %s", key).isPresent();
    assertThat(loaded.get().frameId()).isEqualTo(expected.frameId());
    assertThat(loaded.get().position()).isEqualTo(expected.position());
    assertThat(loaded.get().state()).isEqualTo(expected.state());
  }
}
