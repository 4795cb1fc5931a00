package dev.ralph.store.memory;

import dev.ralph.log.Appended;
import dev.ralph.log.Batch;
import dev.ralph.log.Damage;
import dev.ralph.log.Draft;
import dev.ralph.log.Follower;
import dev.ralph.log.Frame;
import dev.ralph.log.FrameCursor;
import dev.ralph.log.Meta;
import dev.ralph.log.Position;
import dev.ralph.log.Query;
import dev.ralph.log.RalphException;
import dev.ralph.log.StoreInfo;
import dev.ralph.log.StoreInfo.Capability;
import dev.ralph.log.Topic;
import dev.ralph.log.TopicFilter;
import dev.ralph.spi.Followers;
import dev.ralph.spi.FrameStore;
import dev.ralph.spi.Scru128;
import dev.ralph.spi.Snapshot;
import dev.ralph.spi.SnapshotStore;
import java.time.Clock;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A list of frames under a lock. The simplest store that satisfies the contract, and the reference
 * for other stores. The frame at index {@code i} has position {@code i + 1}.
 */
final class MemoryFrameStore implements FrameStore {

  private static final long MAX_CONTENT_BYTES = 64L << 20;
  private static final int MAX_BATCH_FRAMES = 10_000;

  private final ReentrantLock lock = new ReentrantLock();

  private final Followers followers = new Followers(this::read);

  private final Clock clock;
  private final Scru128 ids;
  private final StoreInfo info;
  private final List<Frame> log = new ArrayList<>();
  private final Map<String, Frame> byId = new HashMap<>();
  private final Map<String, List<String>> byBatch = new HashMap<>();
  private final Map<Snapshot.Key, Snapshot> snapshots = new HashMap<>();
  private boolean closed;

  MemoryFrameStore(Clock clock) {
    this.clock = clock;
    this.ids = new Scru128(clock);
    this.info =
        new StoreInfo(
            new Scru128(clock).next(),
            MemoryStoreProvider.NAME,
            MemoryStoreProvider.NAME,
            Set.of(Capability.MINTS_IDS, Capability.ERASES),
            MAX_CONTENT_BYTES,
            MAX_BATCH_FRAMES);
  }

  @Override
  public StoreInfo info() {
    return whileOpen(() -> info);
  }

  @Override
  public Appended append(Batch batch) {
    Appended appended =
        whileOpen(
            () -> {
              checkLimits(batch);
              if (isBroken(batch.condition())) {
                return Appended.conflict();
              }
              return Appended.of(List.copyOf(add(batch)), end());
            });
    followers.appended();
    return appended;
  }

  private List<Frame> add(Batch batch) {
    List<Frame> added = framesOf(batch);
    log.addAll(added);
    for (Frame frame : added) {
      byId.put(frame.id(), frame);
    }
    byBatch.put(batch.id(), added.stream().map(Frame::id).toList());
    return added;
  }

  @Override
  public int erase(Collection<String> ids) {
    int erased = whileOpen(() -> eraseAll(ids));
    followers.appended();
    return erased;
  }

  private int eraseAll(Collection<String> ids) {
    Map<Topic, List<String>> erased = new TreeMap<>();
    for (String id : new TreeSet<>(ids)) {
      Frame frame = byId.get(id);
      if (frame == null) {
        throw RalphException.notErasable(id);
      }
      if (!frame.meta().equals(Meta.empty()) || !frame.content().isEmpty()) {
        erased.computeIfAbsent(frame.topic(), none -> new ArrayList<>()).add(id);
      }
    }
    erased.values().forEach(each -> each.forEach(this::eraseFrame));
    erased.forEach((topic, each) -> addNotice(Draft.erasureNotice(topic, each)));
    snapshots.keySet().removeIf(key -> erased.keySet().stream().anyMatch(key.filter()::matches));
    return erased.values().stream().mapToInt(List::size).sum();
  }

  private void eraseFrame(String id) {
    Frame left = Objects.requireNonNull(byId.get(id), id).erased();
    byId.put(id, left);
    log.set(indexAfter(left.position()) - 1, left);
  }

  private void addNotice(Draft notice) {
    add(Batch.of(ids.next(), List.of(notice)));
  }

  /** Returns whether a frame below the snapshot's topics was erased after the snapshot. */
  private boolean mayHoldErased(Snapshot.Key key, Snapshot snapshot) {
    for (Frame frame : log.subList(indexAfter(snapshot.position()), log.size())) {
      if (key.filter().matches(frame.topic()) && frame.isErasureNotice()) {
        return true;
      }
    }
    return false;
  }

  private static void checkLimits(Batch batch) {
    if (batch.drafts().size() > MAX_BATCH_FRAMES) {
      throw RalphException.tooManyFrames(batch.drafts().size(), MAX_BATCH_FRAMES);
    }
    for (Draft draft : batch.drafts()) {
      long bytes = utf8Length(draft.content());
      if (bytes > MAX_CONTENT_BYTES) {
        throw RalphException.tooLongContent(bytes, MAX_CONTENT_BYTES);
      }
    }
  }

  private static long utf8Length(String text) {
    return text.chars().mapToLong(MemoryFrameStore::utf8Length).sum();
  }

  private static long utf8Length(int utf16Unit) {
    if (utf16Unit < 0x80) {
      return 1;
    }
    // a surrogate pair takes four bytes, two for each half
    return utf16Unit < 0x800 || Character.isSurrogate((char) utf16Unit) ? 2 : 3;
  }

  private boolean isBroken(Batch.@Nullable Condition condition) {
    if (condition == null) {
      return false;
    }
    for (int i = indexAfter(condition.since()); i < log.size(); i++) {
      if (condition.filter().matches(log.get(i).topic())) {
        return true;
      }
    }
    return false;
  }

  /** Returns the batch's frames, without imported frames that the store already contains. */
  private List<Frame> framesOf(Batch batch) {
    Instant now = clock.instant().truncatedTo(ChronoUnit.MILLIS);
    Map<String, Frame> frames = new HashMap<>();
    List<Frame> inOrder = new ArrayList<>();
    for (Draft draft : batch.drafts()) {
      String id = draft.id();
      if (id == null) {
        id = ids.next();
      } else if (byId.containsKey(id) || frames.containsKey(id)) {
        continue;
      }
      Instant time = draft.time() == null ? now : draft.time().truncatedTo(ChronoUnit.MILLIS);
      Position position = Position.of(log.size() + inOrder.size() + 1L);
      Frame frame = Frame.of(id, position, time, draft);
      frames.put(id, frame);
      inOrder.add(frame);
    }
    return inOrder;
  }

  @Override
  public FrameCursor read(Query query) {
    return whileOpen(() -> FrameCursor.of(log, query, lock, this::checkOpen));
  }

  @Override
  public Follower follow(Query query) {
    return followers.follow(query);
  }

  @Override
  public Optional<Frame> get(String id) {
    return whileOpen(() -> Optional.ofNullable(byId.get(id)));
  }

  @Override
  public Optional<Frame> last(TopicFilter filter) {
    try (FrameCursor newestFirst = read(Query.of(filter).backward())) {
      return Optional.ofNullable(newestFirst.next());
    }
  }

  @Override
  public SortedSet<Topic> topics(TopicFilter filter) {
    return whileOpen(
        () -> {
          SortedSet<Topic> topics = new TreeSet<>();
          for (Frame frame : log) {
            if (filter.matches(frame.topic())) {
              topics.add(frame.topic());
            }
          }
          return Collections.unmodifiableSortedSet(topics);
        });
  }

  @Override
  public Optional<List<Frame>> findBatch(String batchId, Position since) {
    return whileOpen(
        () ->
            Optional.ofNullable(byBatch.get(batchId))
                .map(ids -> ids.stream().<Frame>map(byId::get).toList()));
  }

  @Override
  public List<Damage> verify() {
    return whileOpen(List::of);
  }

  @Override
  public SnapshotStore snapshots() {
    return whileOpen(Snapshots::new);
  }

  @Override
  public void close() {
    lock.lock();
    try {
      closed = true;
    } finally {
      lock.unlock();
    }
    followers.close();
  }

  private <T> T whileOpen(Supplier<T> action) {
    lock.lock();
    try {
      checkOpen();
      return action.get();
    } finally {
      lock.unlock();
    }
  }

  private void checkOpen() {
    if (closed) {
      throw RalphException.closed("the memory store");
    }
  }

  /** Returns the index of the first frame after a position. */
  private int indexAfter(Position position) {
    return (int) Math.max(0, Math.min(position.value(), log.size()));
  }

  private Position end() {
    return Position.of(log.size());
  }

  private final class Snapshots implements SnapshotStore {

    @Override
    public Optional<Snapshot> load(Snapshot.Key key) {
      return whileOpen(() -> Optional.ofNullable(snapshots.get(key)));
    }

    @Override
    public void save(Snapshot.Key key, Snapshot snapshot) {
      whileOpen(() -> mayHoldErased(key, snapshot) ? null : snapshots.put(key, snapshot));
    }
  }
}
