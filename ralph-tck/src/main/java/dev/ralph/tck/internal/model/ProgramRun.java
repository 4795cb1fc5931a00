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
import dev.ralph.tck.internal.Reading;
import dev.ralph.tck.internal.Seen;
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

/** A program on its way, on a store of its own and on the model that the store must agree with. */
final class ProgramRun implements AutoCloseable {

  private final Tried tried;
  private final StoreConfig config;
  private final SteppedClock clock = new SteppedClock("2026-07-08T09:10:11.012Z");
  private final Map<Integer, OpenReader<FrameCursor>> cursors = new HashMap<>();
  private final Map<Integer, OpenReader<Follower>> followers = new HashMap<>();
  private final Map<Snapshot.Key, Snapshot> snapshots = new HashMap<>();
  private FrameStore store;
  private String storeId;
  private ModelLog model;
  private int batches;

  /** A cursor or follower, and what it has still to return of what the log holds. */
  private static final class OpenReader<T> {
    private final T reader;
    private final Query query;
    private int taken;

    private OpenReader(T reader, Query query) {
      this.reader = reader;
      this.query = query;
    }

    private List<Seen> left(ModelLog model) {
      List<Seen> all = model.read(query);
      return all.subList(taken, all.size());
    }
  }

  ProgramRun(Tried tried, Path temporary) {
    this.tried = tried;
    this.config = tried.place().apply(temporary).clock(clock);
    this.store = tried.provider().open(config);
    this.storeId = store.info().storeId();
    this.model = newModel();
  }

  private ModelLog newModel() {
    return new ModelLog(tried.capabilities().contains(Capability.MINTS_IDS));
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
    assertThat(Seen.all(Reading.read(store, query))).containsExactlyElementsOf(model.read(query));
  }

  void get(String id) {
    assertThat(store.get(id).map(Seen::of)).isEqualTo(model.get(id));
  }

  void last(TopicFilter filter) {
    assertThat(store.last(filter).map(Seen::of)).isEqualTo(model.last(filter));
  }

  void topics(TopicFilter filter) {
    assertThat(store.topics(filter).stream().map(Topic::name).collect(Collectors.toList()))
        .containsExactlyElementsOf(model.topics(filter));
  }

  /** Looks for the batch of that number, counted round and round, or for one that is not there. */
  void findBatch(int number) {
    List<String> ids = new ArrayList<>(model.batches().keySet());
    int index = number % (ids.size() + 1);
    if (index == ids.size()) {
      assertThat(store.findBatch("absent", Position.START)).isEmpty();
      return;
    }
    List<Seen> expected = Objects.requireNonNull(model.batches().get(ids.get(index)));
    Position since =
        expected.isEmpty() || number % 2 == 0
            ? Position.START
            : model.positionAt(model.frames().indexOf(expected.get(0)));
    Optional<List<Frame>> found = store.findBatch(ids.get(index), since);
    // a batch whose frames were all there before has left no trace, in some stores
    assertThat(found.map(Seen::all).orElse(List.of())).isEqualTo(expected);
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
      List<Seen> left = open.left(model);
      Frame next = open.reader.next();
      assertThat(next == null ? null : Seen.of(next))
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
      List<Seen> left = open.left(model);
      if (left.isEmpty()) {
        Frame next = open.reader.poll(Duration.ZERO);
        assertThat(next == null ? null : Seen.of(next)).isNull();
      } else {
        Frame next = Reading.take(open.reader, 1).get(0);
        assertThat(Seen.of(next)).isEqualTo(left.get(0));
        open.taken++;
      }
    }
    assertThat(open.reader.damage()).isEmpty();
    checkPosition(open, open.reader.position());
  }

  /** Checks that reading on from the position gives what the reader had still to return. */
  private void checkPosition(OpenReader<?> open, Position position) {
    if (open.query.limit() == Long.MAX_VALUE) {
      assertThat(Seen.all(Reading.read(store, open.query.after(position))))
          .as("what stands after %s, where the reader is", position)
          .containsExactlyElementsOf(open.left(model));
    }
  }

  void reopen() {
    store.close();
    cursors.clear();
    followers.clear();
    store = tried.provider().open(config);
    if (tried.capabilities().contains(Capability.PERSISTENT)) {
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
    Seen newest = model.last(TopicFilter.all()).orElse(null);
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
    if (loaded != null || tried.keepsSnapshots()) {
      assertThat(describe(loaded)).as("snapshot of %s", key).isEqualTo(describe(saved));
    }
  }

  private static String describe(@Nullable Snapshot snapshot) {
    return snapshot == null
        ? "none"
        : snapshot.frameId() + "@" + snapshot.position() + ": " + snapshot.state().length;
  }

  /** Compares all that the store tells with the model, before and after it was reopened. */
  void finish() {
    compareAll();
    reopen();
    try {
      compareAll();
    } catch (AssertionError | RuntimeException e) {
      throw new AssertionError("once the store was closed and opened again: " + e, e);
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
