package dev.ralph.tck.internal.model;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.log.Batch;
import dev.ralph.log.Follower;
import dev.ralph.log.Frame;
import dev.ralph.log.FrameCursor;
import dev.ralph.log.Position;
import dev.ralph.log.Query;
import dev.ralph.log.StoreInfo.Capability;
import dev.ralph.log.Topic;
import dev.ralph.log.TopicFilter;
import dev.ralph.spi.FrameStore;
import dev.ralph.spi.Snapshot;
import dev.ralph.spi.StoreConfig;
import dev.ralph.tck.internal.FrameValues;
import dev.ralph.tck.internal.Reading;
import dev.ralph.tck.internal.SteppedClock;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A running program with a store and a model. */
final class ProgramRun implements AutoCloseable {

  private final TestedStore tested;
  private final StoreConfig config;
  private final SteppedClock clock = new SteppedClock("2026-07-08T09:10:11.012Z");
  private final Map<Integer, OpenReader<FrameCursor>> cursors = new HashMap<>();
  private final Map<Integer, OpenReader<Follower>> followers = new HashMap<>();
  private final Map<Snapshot.Key, Snapshot> snapshots = new HashMap<>();
  private FrameStore store;
  private String storeId;
  private ModelLog model;
  private int batches;

  /** An open cursor or follower, and the number of frames it has returned. */
  private static final class OpenReader<T> {
    private final T reader;
    private final Query query;
    private int taken;

    private OpenReader(T reader, Query query) {
      this.reader = reader;
      this.query = query;
    }

    private List<FrameValues> left(ModelLog model) {
      List<FrameValues> all = model.read(query);
      return all.subList(taken, all.size());
    }
  }

  ProgramRun(TestedStore tested, Path temporary) {
    this.tested = tested;
    this.config = tested.place().apply(temporary).clock(clock);
    this.store = tested.provider().open(config);
    this.storeId = store.info().storeId();
    this.model = newModel();
  }

  private ModelLog newModel() {
    return new ModelLog(tested.capabilities().contains(Capability.MINTS_IDS));
  }

  ModelLog model() {
    return model;
  }

  String newBatchId() {
    return "batch-" + ++batches;
  }

  void append(Batch batch) {
    model.append(batch, store.append(batch), clock.instant());
  }

  void read(Query query) {
    assertThat(FrameValues.all(Reading.read(store, query)))
        .containsExactlyElementsOf(model.read(query));
  }

  void get(String id) {
    assertThat(store.get(id).map(FrameValues::of)).isEqualTo(model.get(id));
  }

  void last(TopicFilter filter) {
    assertThat(store.last(filter).map(FrameValues::of)).isEqualTo(model.last(filter));
  }

  void topics(TopicFilter filter) {
    assertThat(store.topics(filter).stream().map(Topic::name).collect(Collectors.toList()))
        .containsExactlyElementsOf(model.topics(filter));
  }

  /** Looks up a batch by number, modulo the number of batches, or an absent one. */
  void findBatch(int number) {
    List<String> ids = new ArrayList<>(model.batches().keySet());
    int index = number % (ids.size() + 1);
    if (index == ids.size()) {
      assertThat(store.findBatch("absent", Position.START)).isEmpty();
      return;
    }
    List<FrameValues> expected = Objects.requireNonNull(model.batches().get(ids.get(index)));
    Position since =
        expected.isEmpty() || number % 2 == 0
            ? Position.START
            : model.positionAt(model.frames().indexOf(expected.get(0)));
    Optional<List<Frame>> found = store.findBatch(ids.get(index), since);
    // some stores keep no trace of a batch whose frames all existed before
    assertThat(found.map(FrameValues::all).orElse(List.of())).isEqualTo(expected);
  }

  void openCursor(int slot, Query query) {
    OpenReader<FrameCursor> before = cursors.put(slot, new OpenReader<>(store.read(query), query));
    if (before != null) {
      before.reader.close();
    }
  }

  void next(int slot, int count) {
    OpenReader<FrameCursor> open = cursors.get(slot);
    if (open == null) {
      return;
    }
    for (int i = 0; i < count; i++) {
      List<FrameValues> left = open.left(model);
      Frame next = open.reader.next();
      assertThat(next == null ? null : FrameValues.of(next))
          .isEqualTo(left.isEmpty() ? null : left.get(0));
      open.taken += left.isEmpty() ? 0 : 1;
    }
    assertThat(open.reader.damage()).isEmpty();
    checkPosition(open, open.reader.position());
  }

  void follow(int slot, Query query) {
    OpenReader<Follower> before = followers.put(slot, new OpenReader<>(store.follow(query), query));
    if (before != null) {
      before.reader.close();
    }
  }

  void poll(int slot, int count) throws InterruptedException {
    OpenReader<Follower> open = followers.get(slot);
    if (open == null) {
      return;
    }
    for (int i = 0; i < count; i++) {
      List<FrameValues> left = open.left(model);
      if (left.isEmpty()) {
        Frame next = open.reader.poll(Duration.ZERO);
        assertThat(next == null ? null : FrameValues.of(next)).isNull();
      } else {
        Frame next = Reading.take(open.reader, 1).get(0);
        assertThat(FrameValues.of(next)).isEqualTo(left.get(0));
        open.taken++;
      }
    }
    assertThat(open.reader.damage()).isEmpty();
    checkPosition(open, open.reader.position());
  }

  /** Checks that a read from the position returns the remaining frames of the reader. */
  private void checkPosition(OpenReader<?> open, Position position) {
    if (open.query.limit() == Long.MAX_VALUE) {
      assertThat(FrameValues.all(Reading.read(store, open.query.after(position))))
          .as("frames after %s, the position of the reader", position)
          .containsExactlyElementsOf(open.left(model));
    }
  }

  void reopen() {
    store.close();
    cursors.clear();
    followers.clear();
    store = tested.provider().open(config);
    if (tested.capabilities().contains(Capability.PERSISTENT)) {
      assertThat(store.info().storeId()).isEqualTo(storeId);
    } else {
      model = newModel();
      snapshots.clear();
      storeId = store.info().storeId();
    }
  }

  void stepClock(int milliseconds) {
    clock.step(milliseconds);
  }

  void keepSnapshot(int number, int bytes) {
    FrameValues newest = model.last(TopicFilter.all()).orElse(null);
    if (newest != null) {
      Snapshot.Key key = new Snapshot.Key("fold-" + number, 1, TopicFilter.all());
      Snapshot saved = new Snapshot(newest.id(), Position.of(newest.position()), new byte[bytes]);
      store.snapshots().save(key, saved);
      snapshots.put(key, saved);
    }
    snapshots.forEach(this::checkSnapshot);
  }

  private void checkSnapshot(Snapshot.Key key, Snapshot saved) {
    Snapshot loaded = store.snapshots().load(key).orElse(null);
    if (loaded != null || tested.keepsSnapshots()) {
      assertThat(describe(loaded)).as("snapshot of %s", key).isEqualTo(describe(saved));
    }
  }

  private static String describe(@Nullable Snapshot snapshot) {
    return snapshot == null
        ? "none"
        : snapshot.frameId() + "@" + snapshot.position() + ": " + snapshot.state().length;
  }

  /** Compares store and model, before and after the store is reopened. */
  void finish() {
    compareAll();
    reopen();
    try {
      compareAll();
    } catch (AssertionError | RuntimeException e) {
      throw new AssertionError("after the store was reopened: " + e, e);
    }
  }

  private void compareAll() {
    Query everything = Query.of(TopicFilter.all());
    read(everything);
    read(everything.backward());
    topics(TopicFilter.all());
    last(TopicFilter.all());
    assertThat(store.verify()).isEmpty();
  }

  @Override
  public void close() {
    store.close();
  }
}
