package dev.ralph.tck;

import dev.ralph.log.Appended;
import dev.ralph.log.Batch;
import dev.ralph.log.Damage;
import dev.ralph.log.Draft;
import dev.ralph.log.Follower;
import dev.ralph.log.Frame;
import dev.ralph.log.FrameCursor;
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
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * A store for one process at a time that passes the TCK, and the base of the broken stores. Its
 * content outlives close(), as in a persistent store, but not the tests.
 */
class RamDiskStore implements FrameStore {

  static final Set<Capability> CAPABILITIES =
      EnumSet.of(Capability.PERSISTENT, Capability.MINTS_IDS);

  private static final long MAX_CONTENT_BYTES = 32L << 20;
  private static final int MAX_BATCH_FRAMES = 1_000;

  final ReentrantLock lock = new ReentrantLock();
  private final Followers followers = new Followers(this::read);
  final RamDisk disk;

  final Clock clock;
  final Scru128 ids;
  private final StoreInfo info;
  private boolean closed;

  RamDiskStore(Path directory, RamDisk disk, Clock clock) {
    this.disk = disk;
    this.clock = clock;
    this.ids = new Scru128(clock);
    if (!disk.lastMinted.isEmpty()) {
      ids.advance(disk.lastMinted);
    }
    this.info =
        new StoreInfo(
            disk.storeId,
            RamDiskProvider.NAME,
            RamDiskProvider.NAME + ":" + directory,
            CAPABILITIES,
            MAX_CONTENT_BYTES,
            MAX_BATCH_FRAMES);
  }

  @Override
  public StoreInfo info() {
    return whileOpen(() -> info);
  }

  @Override
  public Appended append(Batch batch) {
    return whileOpen(
        () -> {
          checkLimits(batch);
          Batch.Condition condition = batch.condition();
          if (condition != null
              && select(Query.of(condition.filter()).after(condition.since()).limit(1)).size()
                  > 0) {
            return Appended.conflict();
          }
          List<Frame> frames = framesOf(batch);
          disk.write(batch.id(), frames);
          publish(frames);
          disk.batches.put(batch.id(), frames);
          wakeFollowers(frames);
          return Appended.of(List.copyOf(frames), Position.of(disk.log.size()));
        });
  }

  /** Publishes a batch to readers; called under the lock. */
  void publish(List<Frame> frames) {
    disk.log.addAll(frames);
  }

  /** Returns an id larger than all minted ones; called under the lock. */
  String mint() {
    return ids.next();
  }

  /** Wakes waiting followers; called under the lock. */
  void wakeFollowers(List<Frame> appended) {
    followers.appended();
  }

  /** Ends waiting polls after the store was closed. */
  void closeFollowers() {
    followers.close();
  }

  private static void checkLimits(Batch batch) {
    if (batch.drafts().size() > MAX_BATCH_FRAMES) {
      throw RalphException.invalid("more than " + MAX_BATCH_FRAMES + " frames");
    }
    for (Draft draft : batch.drafts()) {
      if (draft.content().length() > MAX_CONTENT_BYTES / 3
          && draft.content().getBytes(StandardCharsets.UTF_8).length > MAX_CONTENT_BYTES) {
        throw RalphException.invalid("content of more than " + MAX_CONTENT_BYTES + " bytes");
      }
    }
  }

  private List<Frame> framesOf(Batch batch) {
    Instant now = clock.instant().truncatedTo(ChronoUnit.MILLIS);
    Set<String> held = new HashSet<>();
    if (batch.drafts().stream().anyMatch(draft -> draft.id() != null)) {
      disk.log.forEach(frame -> held.add(frame.id()));
    }
    List<Frame> frames = new ArrayList<>();
    for (Draft draft : batch.drafts()) {
      String id = draft.id();
      if (id == null) {
        id = mint();
        disk.lastMinted = id;
      } else if (!held.add(id)) {
        continue;
      }
      Instant time = draft.time() == null ? now : draft.time().truncatedTo(ChronoUnit.MILLIS);
      Position position = Position.of(disk.log.size() + frames.size() + 1L);
      frames.add(Frame.of(id, position, time, draft));
    }
    return frames;
  }

  /** Returns the frames that the query selects from the present log. */
  private List<Frame> select(Query query) {
    long last = query.until() == null ? Long.MAX_VALUE : query.until().value();
    int from = (int) Math.min(query.after().value(), disk.log.size());
    int to = (int) Math.max(from, Math.min(last, disk.log.size()));
    List<Frame> selected = new ArrayList<>();
    for (int i = 0; i < to - from && selected.size() < query.limit(); i++) {
      Frame frame = disk.log.get(query.isBackward() ? to - 1 - i : from + i);
      if (query.filter().matches(frame.topic())) {
        selected.add(frame);
      }
    }
    return selected;
  }

  @Override
  public FrameCursor read(Query query) {
    return whileOpen(() -> FrameCursor.of(disk.log, query, lock, this::checkOpen));
  }

  @Override
  public Follower follow(Query query) {
    return followers.follow(query);
  }

  @Override
  public Optional<Frame> get(String id) {
    return whileOpen(
        () -> {
          for (Frame frame : disk.log) {
            if (frame.id().equals(id)) {
              return Optional.of(frame);
            }
          }
          return Optional.empty();
        });
  }

  @Override
  public Optional<Frame> last(TopicFilter filter) {
    return whileOpen(() -> select(Query.of(filter).backward().limit(1)).stream().findFirst());
  }

  @Override
  public SortedSet<Topic> topics(TopicFilter filter) {
    return whileOpen(
        () -> {
          SortedSet<Topic> topics = new TreeSet<>();
          select(Query.of(filter)).forEach(frame -> topics.add(frame.topic()));
          return topics;
        });
  }

  @Override
  public Optional<List<Frame>> findBatch(String batchId, Position since) {
    return whileOpen(() -> Optional.ofNullable(disk.batches.get(batchId)).map(List::copyOf));
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
      if (!closed) {
        closed = true;
        disk.unlock();
      }
    } finally {
      lock.unlock();
    }
    closeFollowers();
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
      throw RalphException.closed("the store");
    }
  }

  private final class Snapshots implements SnapshotStore {

    @Override
    public Optional<Snapshot> load(Snapshot.Key key) {
      return whileOpen(() -> Optional.ofNullable(disk.snapshots.get(key)));
    }

    @Override
    public void save(Snapshot.Key key, Snapshot snapshot) {
      whileOpen(() -> disk.snapshots.put(key, snapshot));
    }
  }
}
