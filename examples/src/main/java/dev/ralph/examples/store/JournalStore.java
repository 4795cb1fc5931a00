package dev.ralph.examples.store;

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
import dev.ralph.spi.SnapshotStore;
import dev.ralph.store.support.FileSnapshotStore;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * A store in a single plain file, with all frames also in memory: short example code, for one
 * process at a time and logs of modest size. The frame at index {@code i} has position {@code i +
 * 1}.
 */
final class JournalStore implements FrameStore {

  /** The capabilities declared by the store; the TCK tests exactly these. */
  static final Set<Capability> CAPABILITIES =
      EnumSet.of(Capability.PERSISTENT, Capability.MINTS_IDS, Capability.SYNC);

  private static final int MAX_CONTENT_BYTES = 16 << 20;
  private static final int MAX_BATCH_FRAMES = 1_000;

  /** Guards all state. Other callers also wait while an append is synced. */
  private final ReentrantLock lock = new ReentrantLock();

  private final Followers followers = new Followers(this::read);

  private final JournalFile file;
  private final Clock clock;
  private final Scru128 ids;
  private final StoreInfo info;
  private final List<Frame> log = new ArrayList<>();
  private final Map<String, Frame> byId = new HashMap<>();
  private final Map<String, List<Frame>> byBatch = new HashMap<>();

  /** The newest minted id, after which minting continues; imported ids do not count. */
  private String lastMinted = "";

  private boolean closed;

  JournalStore(JournalFile file, Clock clock) {
    this.file = file;
    this.clock = clock;
    this.ids = new Scru128(clock);
    this.info =
        new StoreInfo(
            file.replay(new Scru128(clock).next(), this::add),
            JournalStoreProvider.NAME,
            JournalStoreProvider.NAME + ":" + file.directory(),
            CAPABILITIES,
            MAX_CONTENT_BYTES,
            MAX_BATCH_FRAMES);
    if (!lastMinted.isEmpty()) {
      ids.advance(lastMinted);
    }
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
              && !select(Query.of(condition.filter()).after(condition.since())).isEmpty()) {
            return Appended.conflict();
          }
          List<Frame> frames = framesOf(batch.drafts());
          if (!frames.isEmpty()) {
            file.append(batch.id(), lastMinted, frames);
            add(batch.id(), lastMinted, frames);
            followers.appended();
          }
          if (batch.isSynced()) {
            file.sync(batch.id());
          }
          return Appended.of(List.copyOf(frames), Position.of(log.size()));
        });
  }

  private static void checkLimits(Batch batch) {
    if (batch.drafts().size() > MAX_BATCH_FRAMES) {
      throw RalphException.tooManyFrames(batch.drafts().size(), MAX_BATCH_FRAMES);
    }
    for (Draft draft : batch.drafts()) {
      int bytes = draft.content().getBytes(StandardCharsets.UTF_8).length;
      if (bytes > MAX_CONTENT_BYTES) {
        throw RalphException.tooLongContent(bytes, MAX_CONTENT_BYTES);
      }
    }
  }

  /** Creates the frames of the drafts, without imported frames that the log already has. */
  private List<Frame> framesOf(List<Draft> drafts) {
    Instant now = clock.instant();
    Map<String, Frame> frames = new LinkedHashMap<>();
    for (Draft draft : drafts) {
      String id = draft.id();
      if (id == null) {
        id = ids.next();
        lastMinted = id;
      } else if (byId.containsKey(id) || frames.containsKey(id)) {
        continue;
      }
      Instant time = draft.time() == null ? now : draft.time();
      frames.put(
          id,
          Frame.of(
              id,
              Position.of(log.size() + frames.size() + 1L),
              time.truncatedTo(ChronoUnit.MILLIS),
              draft));
    }
    return new ArrayList<>(frames.values());
  }

  private void add(String batchId, String minted, List<Frame> frames) {
    lastMinted = minted;
    log.addAll(frames);
    frames.forEach(frame -> byId.put(frame.id(), frame));
    byBatch.put(batchId, List.copyOf(frames));
  }

  /** Returns the frames that the query selects from the present log, in the query's order. */
  private List<Frame> select(Query query) {
    long until = query.until() == null ? log.size() : query.until().value();
    int from = (int) Math.min(query.after().value(), log.size());
    int to = (int) Math.max(from, Math.min(until, log.size()));
    List<Frame> selected = new ArrayList<>();
    for (int i = 0; i < to - from && selected.size() < query.limit(); i++) {
      Frame frame = log.get(query.isBackward() ? to - 1 - i : from + i);
      if (query.filter().matches(frame.topic())) {
        selected.add(frame);
      }
    }
    return selected;
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
    return whileOpen(() -> Optional.ofNullable(byBatch.get(batchId)));
  }

  /** Returns no damage: open() has checked the records, and no other process writes to the file. */
  @Override
  public List<Damage> verify() {
    return whileOpen(List::of);
  }

  @Override
  public SnapshotStore snapshots() {
    Path directory = file.directory().resolve("snapshots");
    return whileOpen(() -> new FileSnapshotStore(directory));
  }

  @Override
  public void close() {
    lock.lock();
    try {
      if (!closed) {
        closed = true;
        file.close();
      }
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
      throw RalphException.closed("the journal");
    }
  }
}
