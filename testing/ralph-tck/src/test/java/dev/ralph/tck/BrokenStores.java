package dev.ralph.tck;

import static dev.ralph.tck.internal.Reading.read;

import dev.ralph.internal.ForwardingCursor;
import dev.ralph.internal.ForwardingFollower;
import dev.ralph.log.Appended;
import dev.ralph.log.Batch;
import dev.ralph.log.Draft;
import dev.ralph.log.Follower;
import dev.ralph.log.Frame;
import dev.ralph.log.FrameCursor;
import dev.ralph.log.Position;
import dev.ralph.log.Query;
import dev.ralph.log.RalphException;
import dev.ralph.log.StoreInfo;
import dev.ralph.log.Topic;
import dev.ralph.log.TopicFilter;
import dev.ralph.spi.ForwardingStore;
import dev.ralph.spi.FrameStore;
import dev.ralph.spi.Scru128;
import dev.ralph.spi.Snapshot;
import dev.ralph.spi.SnapshotStore;
import dev.ralph.spi.StoreConfig;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Stores with one defect each, as real stores have had them. */
final class BrokenStores {

  private BrokenStores() {}

  /** Opens a broken store on a disk. */
  interface Opener {
    FrameStore open(RamDisk disk, StoreConfig config);
  }

  /** Returns an opener of sound stores that are wrapped by a broken one. */
  static Opener wrapped(UnaryOperator<FrameStore> breaking) {
    return (disk, config) -> breaking.apply(sound(disk, config));
  }

  private static RamDiskStore sound(RamDisk disk, StoreConfig config) {
    return new RamDiskStore(directory(config), disk, config.clock());
  }

  private static java.nio.file.Path directory(StoreConfig config) {
    return java.util.Objects.requireNonNull(config.directory());
  }

  // ---- store info

  /** Accepts larger batches than its committed guarantees state. */
  static final class ChangesItsLimits extends ForwardingStore {
    ChangesItsLimits(FrameStore store) {
      super(store);
    }

    @Override
    public StoreInfo info() {
      StoreInfo i = super.info();
      return new StoreInfo(
          i.storeId(), i.kind(), i.location(), i.capabilities(), i.maxContentBytes(), 2_000);
    }
  }

  // ---- lookups

  /**
   * Returns the frame with the next larger id, like an index search without a comparison of the
   * key.
   */
  static final class GetsTheNextBest extends ForwardingStore {
    GetsTheNextBest(FrameStore store) {
      super(store);
    }

    @Override
    public Optional<Frame> get(String id) {
      try (FrameCursor cursor = read(Query.of(TopicFilter.all()))) {
        for (Frame frame = cursor.next(); frame != null; frame = cursor.next()) {
          if (frame.id().compareTo(id) >= 0) {
            return Optional.of(frame);
          }
        }
        return Optional.empty();
      }
    }
  }

  /** Ignores the filter and returns the newest frame of the log. */
  static final class LastIgnoresTheFilter extends ForwardingStore {
    LastIgnoresTheFilter(FrameStore store) {
      super(store);
    }

    @Override
    public Optional<Frame> last(TopicFilter filter) {
      return super.last(TopicFilter.all());
    }
  }

  /** Finds only the newest frames by id. */
  static final class GetsTheNewestOnly extends ForwardingStore {
    private static final int KEPT =
        60_000; // exceeds the appends of other tests while one of their threads waits

    GetsTheNewestOnly(FrameStore store) {
      super(store);
    }

    @Override
    public Optional<Frame> get(String id) {
      long end = last(TopicFilter.all()).map(frame -> frame.position().value()).orElse(0L);
      return super.get(id).filter(frame -> frame.position().value() > end - KEPT);
    }
  }

  /** Confuses topics with equal hash codes. */
  static final class KnowsTopicsByHash extends ForwardingStore {
    KnowsTopicsByHash(FrameStore store) {
      super(store);
    }

    @Override
    public SortedSet<Topic> topics(TopicFilter filter) {
      Set<Integer> hashes = ConcurrentHashMap.newKeySet();
      SortedSet<Topic> topics = new TreeSet<>(super.topics(filter));
      topics.removeIf(topic -> !hashes.add(topic.hashCode()));
      return topics;
    }
  }

  /** Finds only the newest batch, so that a retry of an older batch appends it twice. */
  static final class ForgetsBatches extends ForwardingStore {
    private volatile @Nullable String newest;

    ForgetsBatches(FrameStore store) {
      super(store);
    }

    @Override
    public Appended append(Batch batch) {
      Appended appended = super.append(batch);
      newest = batch.id();
      return appended;
    }

    @Override
    public Optional<List<Frame>> findBatch(String batchId, Position since) {
      return batchId.equals(newest) ? super.findBatch(batchId, since) : Optional.empty();
    }
  }

  /** Lists the topics of rejected batches. */
  static final class TellsTopicsThatWereRefused extends ForwardingStore {
    private final Set<Topic> noted = new ConcurrentSkipListSet<>();

    TellsTopicsThatWereRefused(FrameStore store) {
      super(store);
    }

    @Override
    public Appended append(Batch batch) {
      batch.drafts().forEach(draft -> noted.add(draft.topic()));
      return super.append(batch);
    }

    @Override
    public SortedSet<Topic> topics(TopicFilter filter) {
      SortedSet<Topic> topics = new TreeSet<>(super.topics(filter));
      noted.stream().filter(filter::matches).forEach(topics::add);
      return topics;
    }
  }

  // ---- reading

  /** Matches {@code a.b.*} with all topics that begin with {@code a.b}. */
  static final class MatchesNamesThatBeginAlike extends ForwardingStore {
    MatchesNamesThatBeginAlike(FrameStore store) {
      super(store);
    }

    @Override
    public FrameCursor read(Query query) {
      boolean below = query.filter().patterns().stream().anyMatch(p -> p.endsWith(".*"));
      return below ? new Matching(super.read(everything(query)), query) : super.read(query);
    }

    private static Query everything(Query query) {
      Query all = Query.of(TopicFilter.all()).after(query.after());
      all = query.until() == null ? all : all.until(query.until());
      return query.isBackward() ? all.backward() : all;
    }

    private static final class Matching extends ForwardingCursor {
      private final Query query;
      private long left;

      Matching(FrameCursor cursor, Query query) {
        super(cursor);
        this.query = query;
        this.left = query.limit();
      }

      @Override
      public @Nullable Frame next() {
        for (Frame frame = left > 0 ? super.next() : null; frame != null; frame = super.next()) {
          String topic = frame.topic().name();
          boolean alike =
              query.filter().patterns().stream()
                  .filter(pattern -> pattern.endsWith(".*"))
                  .anyMatch(p -> topic.startsWith(p.substring(0, p.length() - 2)));
          if (alike || query.filter().matches(frame.topic())) {
            left--;
            return frame;
          }
        }
        return null;
      }
    }
  }

  /** Returns one frame more than the limit. */
  static final class GivesOneMoreThanTheLimit extends ForwardingStore {
    GivesOneMoreThanTheLimit(FrameStore store) {
      super(store);
    }

    @Override
    public FrameCursor read(Query query) {
      return super.read(query.limit() == Long.MAX_VALUE ? query : query.limit(query.limit() + 1));
    }
  }

  /** Reads backward by blocks, but each block forward. */
  static final class ReadsBlocksForward extends ForwardingStore {
    private static final int BLOCK = 4;

    ReadsBlocksForward(FrameStore store) {
      super(store);
    }

    @Override
    public FrameCursor read(Query query) {
      FrameCursor cursor = super.read(query);
      return query.isBackward() ? new Blockwise(cursor) : cursor;
    }

    private static final class Blockwise extends ForwardingCursor {
      private final List<Frame> block = new ArrayList<>();

      Blockwise(FrameCursor cursor) {
        super(cursor);
      }

      @Override
      public @Nullable Frame next() {
        if (block.isEmpty()) {
          for (int i = 0; i < BLOCK; i++) {
            Frame frame = super.next();
            if (frame != null) {
              block.add(0, frame);
            }
          }
        }
        return block.isEmpty() ? null : block.remove(0);
      }
    }
  }

  /** Ends a cursor permanently when it reaches the end of the log. */
  static final class EndsCursorsForGood extends ForwardingStore {
    EndsCursorsForGood(FrameStore store) {
      super(store);
    }

    @Override
    public FrameCursor read(Query query) {
      return new Ending(super.read(query));
    }

    private static final class Ending extends ForwardingCursor {
      private boolean ended;

      Ending(FrameCursor cursor) {
        super(cursor);
      }

      @Override
      public @Nullable Frame next() {
        Frame frame = super.next();
        ended |= frame == null;
        return ended ? null : frame;
      }
    }
  }

  // ---- appending

  /** Publishes the frames of a batch one by one. */
  static final class SplitsBatches extends RamDiskStore {
    SplitsBatches(RamDisk disk, StoreConfig config) {
      super(directory(config), disk, config.clock());
    }

    @Override
    void publish(List<Frame> frames) {
      for (Frame frame : frames) {
        disk.log.add(frame);
        lock.unlock();
        LockSupport.parkNanos(1_000);
        lock.lock();
      }
    }
  }

  /** Ignores conditions. */
  static final class IgnoresConditions extends ForwardingStore {
    IgnoresConditions(FrameStore store) {
      super(store);
    }

    @Override
    public Appended append(Batch batch) {
      return super.append(Batch.of(batch.id(), batch.drafts()).synced(batch.isSynced()));
    }
  }

  /** Checks a condition only if the batch appends to a topic of the condition. */
  static final class ChecksItsOwnTopicsOnly extends ForwardingStore {
    ChecksItsOwnTopicsOnly(FrameStore store) {
      super(store);
    }

    @Override
    public Appended append(Batch batch) {
      Batch.Condition condition = batch.condition();
      boolean touches =
          condition != null
              && batch.drafts().stream().anyMatch(d -> condition.filter().matches(d.topic()));
      return super.append(
          touches ? batch : Batch.of(batch.id(), batch.drafts()).synced(batch.isSynced()));
    }
  }

  /** Checks the condition before it acquires the lock. */
  static final class DecidesBeforeItLocks extends ForwardingStore {
    DecidesBeforeItLocks(FrameStore store) {
      super(store);
    }

    @Override
    public Appended append(Batch batch) {
      Batch.Condition condition = batch.condition();
      if (condition == null) {
        return super.append(batch);
      }
      try (FrameCursor since = read(Query.of(condition.filter()).after(condition.since()))) {
        if (since.next() != null) {
          return Appended.conflict();
        }
      }
      LockSupport.parkNanos(100_000);
      return super.append(Batch.of(batch.id(), batch.drafts()).synced(batch.isSynced()));
    }
  }

  // ---- ids

  /** Derives minted ids from the clock alone. */
  static final class StepsIdsBackWithTheClock extends RamDiskStore {
    private long before;
    private Scru128 minting;

    StepsIdsBackWithTheClock(RamDisk disk, StoreConfig config) {
      super(directory(config), disk, config.clock());
      minting = ids; // larger than all earlier ids, so that only the clock reveals the defect
    }

    @Override
    String mint() {
      if (clock.millis() < before) {
        minting = new Scru128(clock);
      }
      before = clock.millis();
      return minting.next();
    }
  }

  /** Mints ids larger than imported ones. */
  static final class LetsImportsMoveTheClock extends RamDiskStore {
    LetsImportsMoveTheClock(RamDisk disk, StoreConfig config) {
      super(directory(config), disk, config.clock());
    }

    @Override
    public Appended append(Batch batch) {
      Appended appended = super.append(batch);
      for (Draft draft : batch.drafts()) {
        if (draft.id() != null && draft.id().startsWith("f")) {
          ids.advance(draft.id());
        }
      }
      return appended;
    }
  }

  /** Continues minting after the id of the last record, which may be imported. */
  static FrameStore goesOnFromTheLastRecord(RamDisk disk, StoreConfig config) {
    List<Frame> log = disk.log;
    if (!log.isEmpty() && !log.get(log.size() - 1).id().equals(disk.lastMinted)) {
      disk.lastMinted = "";
    }
    return sound(disk, config);
  }

  /** Truncates the seconds of a time to 32 bits. */
  static final class KeepsTimesIn32Bits extends ForwardingStore {
    KeepsTimesIn32Bits(FrameStore store) {
      super(store);
    }

    @Override
    public Appended append(Batch batch) {
      List<Draft> drafts = batch.drafts().stream().map(this::cut).collect(Collectors.toList());
      Batch changed = Batch.of(batch.id(), drafts).synced(batch.isSynced());
      Batch.Condition condition = batch.condition();
      return super.append(condition == null ? changed : changed.onlyIf(condition));
    }

    private Draft cut(Draft d) {
      if (d.id() == null || d.time() == null) {
        return d;
      }
      long seconds = d.time().getEpochSecond();
      Instant time = d.time().minusSeconds(seconds - (int) seconds);
      return Draft.imported(d.id(), time, d.topic(), d.meta(), d.content());
    }
  }

  // ---- content

  /** Truncates content at the first NUL. */
  static final class CutsAtNul extends ChangesContent {
    CutsAtNul(FrameStore store) {
      super(store);
    }

    @Override
    String change(String content) {
      int nul = content.indexOf('\0');
      return nul < 0 ? content : content.substring(0, nul);
    }
  }

  /** Encodes content in pieces and loses surrogate pairs at their borders. */
  static final class LosesHalvesOfCharacters extends ChangesContent {
    private final int piece;

    LosesHalvesOfCharacters(FrameStore store, int piece) {
      super(store);
      this.piece = piece;
    }

    @Override
    String change(String content) {
      StringBuilder changed = new StringBuilder(content);
      for (int i = piece; i < content.length(); i += piece) {
        if (Character.isLowSurrogate(content.charAt(i))) {
          changed.setCharAt(i - 1, '?');
          changed.setCharAt(i, '?');
        }
      }
      return changed.toString();
    }
  }

  private abstract static class ChangesContent extends ForwardingStore {
    ChangesContent(FrameStore store) {
      super(store);
    }

    abstract String change(String content);

    @Override
    public Appended append(Batch batch) {
      List<Draft> drafts = batch.drafts().stream().map(this::changed).collect(Collectors.toList());
      Batch changed = Batch.of(batch.id(), drafts).synced(batch.isSynced());
      Batch.Condition condition = batch.condition();
      return super.append(condition == null ? changed : changed.onlyIf(condition));
    }

    private Draft changed(Draft d) {
      String content = change(d.content());
      return d.id() == null || d.time() == null
          ? Draft.of(d.topic(), d.meta(), content)
          : Draft.imported(d.id(), d.time(), d.topic(), d.meta(), content);
    }
  }

  // ---- following

  /** Repeats the last frame of the history before new frames. */
  static final class RepeatsWhereHistoryEnds extends ForwardingStore {
    RepeatsWhereHistoryEnds(FrameStore store) {
      super(store);
    }

    @Override
    public Follower follow(Query query) {
      Position end = last(query.filter()).map(Frame::position).orElse(Position.START);
      return new Repeating(super.follow(query), end);
    }

    private static final class Repeating extends ForwardingFollower {
      private final Position end;
      private @Nullable Frame repeated;

      Repeating(Follower follower, Position end) {
        super(follower);
        this.end = end;
      }

      @Override
      public @Nullable Frame poll(Duration timeout) throws InterruptedException {
        Frame frame = repeated == null ? super.poll(timeout) : repeated;
        repeated = repeated == null && frame != null && frame.position().equals(end) ? frame : null;
        return frame;
      }
    }
  }

  /** Skips frames for followers that are far behind. */
  static final class DropsForTheSlow extends ForwardingStore {
    private final int buffer;

    DropsForTheSlow(FrameStore store, int buffer) {
      super(store);
      this.buffer = buffer;
    }

    @Override
    public Follower follow(Query query) {
      return new Dropping(super.follow(query));
    }

    private final class Dropping extends ForwardingFollower {

      Dropping(Follower follower) {
        super(follower);
      }

      @Override
      public @Nullable Frame poll(Duration timeout) throws InterruptedException {
        long end = last(TopicFilter.all()).map(frame -> frame.position().value()).orElse(0L);
        Frame frame = super.poll(timeout);
        while (frame != null && frame.position().value() < end - buffer) {
          frame = super.poll(timeout);
        }
        return frame;
      }
    }
  }

  /** Repeats the first frame of each day, like a follower that opens the next log file twice. */
  static final class RepeatsAtARoll extends ForwardingStore {
    RepeatsAtARoll(FrameStore store) {
      super(store);
    }

    @Override
    public Follower follow(Query query) {
      return new ForwardingFollower(super.follow(query)) {
        private @Nullable Instant day;
        private @Nullable Frame repeated;

        @Override
        public @Nullable Frame poll(Duration timeout) throws InterruptedException {
          Frame frame = repeated == null ? super.poll(timeout) : repeated;
          repeated = null;
          if (frame != null) {
            Instant before = day;
            day = frame.time().truncatedTo(ChronoUnit.DAYS);
            repeated = before == null || before.equals(day) ? null : frame;
          }
          return frame;
        }
      };
    }
  }

  /** Restarts the timeout after each frame that the filter rejects. */
  static final class WaitsAgainAfterUnwantedFrames extends ForwardingStore {
    WaitsAgainAfterUnwantedFrames(FrameStore store) {
      super(store);
    }

    @Override
    public Follower follow(Query query) {
      return new ForwardingFollower(
          super.follow(Query.of(TopicFilter.all()).after(query.after()))) {
        @Override
        public @Nullable Frame poll(Duration timeout) throws InterruptedException {
          Frame frame = super.poll(timeout);
          while (frame != null && !query.filter().matches(frame.topic())) {
            frame = super.poll(timeout);
          }
          return frame;
        }
      };
    }
  }

  /** Ends a poll when a frame arrives that the filter rejects. */
  static final class ReturnsForUnwantedFrames extends ForwardingStore {
    ReturnsForUnwantedFrames(FrameStore store) {
      super(store);
    }

    @Override
    public Follower follow(Query query) {
      return new ForwardingFollower(
          super.follow(Query.of(TopicFilter.all()).after(query.after()))) {
        @Override
        public @Nullable Frame poll(Duration timeout) throws InterruptedException {
          Frame frame = super.poll(timeout);
          return frame != null && query.filter().matches(frame.topic()) ? frame : null;
        }
      };
    }
  }

  /** Wakes all followers instead of one. */
  static final class WakesAll extends ForwardingStore {
    private final Set<Follower> followers = ConcurrentHashMap.newKeySet();

    WakesAll(FrameStore store) {
      super(store);
    }

    @Override
    public Follower follow(Query query) {
      Follower follower = super.follow(query);
      followers.add(follower);
      return new ForwardingFollower(follower) {
        @Override
        public void wakeup() {
          followers.forEach(Follower::wakeup);
        }
      };
    }
  }

  /** Wakes waiting followers for single frames only. */
  static final class WakesForSingleFrames extends RamDiskStore {
    WakesForSingleFrames(RamDisk disk, StoreConfig config) {
      super(directory(config), disk, config.clock());
    }

    @Override
    void wakeFollowers(List<Frame> appended) {
      if (appended.size() == 1) {
        super.wakeFollowers(appended);
      }
    }
  }

  // ---- closing and reopening

  /** Writes each frame only when the next one is appended. */
  static FrameStore losesTheLastFrame(RamDisk disk, StoreConfig config) {
    if (!disk.log.isEmpty()) {
      disk.log.remove(disk.log.size() - 1);
    }
    return sound(disk, config);
  }

  /** Forgets the topics of imported frames when it is reopened. */
  static final class ForgetsTopicsOfImports extends ForwardingStore {
    private final Set<Topic> forgotten = ConcurrentHashMap.newKeySet();

    ForgetsTopicsOfImports(FrameStore store) {
      super(store);
      try (FrameCursor cursor = store.read(Query.of(TopicFilter.all()))) {
        for (Frame frame = cursor.next(); frame != null; frame = cursor.next()) {
          if (frame.id().startsWith("z") || frame.id().startsWith("0222")) {
            forgotten.add(frame.topic());
          }
        }
      }
    }

    @Override
    public Appended append(Batch batch) {
      batch.drafts().forEach(draft -> forgotten.remove(draft.topic()));
      return super.append(batch);
    }

    @Override
    public SortedSet<Topic> topics(TopicFilter filter) {
      SortedSet<Topic> topics = new TreeSet<>(super.topics(filter));
      topics.removeAll(forgotten);
      return topics;
    }
  }

  /** Does not wake waiting followers when it is closed. */
  static final class LetsThemWait extends RamDiskStore {
    LetsThemWait(RamDisk disk, StoreConfig config) {
      super(directory(config), disk, config.clock());
    }

    @Override
    void closeFollowers() {
      // does not wake the followers
    }
  }

  /** Acknowledges appends during close() without writing them. */
  static final class AcknowledgesAmidClosing extends ForwardingStore {
    private volatile boolean closing;

    AcknowledgesAmidClosing(FrameStore store) {
      super(store);
    }

    @Override
    public Appended append(Batch batch) {
      if (closing) {
        Frame frame = super.last(TopicFilter.all()).orElseThrow();
        return Appended.of(List.of(frame), frame.position());
      }
      return super.append(batch);
    }

    @Override
    public void close() {
      closing = true;
      LockSupport.parkNanos(3_000_000);
      super.close();
    }
  }

  /** Reports CLOSED for batches that it has written during close(). */
  static final class SaysClosedOfWhatItWrote extends ForwardingStore {
    private volatile boolean closing;

    SaysClosedOfWhatItWrote(FrameStore store) {
      super(store);
    }

    @Override
    public Appended append(Batch batch) {
      Appended appended = super.append(batch);
      if (closing) {
        throw RalphException.closed("the store");
      }
      return appended;
    }

    @Override
    public void close() {
      closing = true;
      LockSupport.parkNanos(3_000_000);
      super.close();
    }
  }

  /** Leaves a thread running. */
  static final class LeavesAThread extends ForwardingStore {
    LeavesAThread(FrameStore store) {
      super(store);
      Thread watcher = new Thread(LeavesAThread::watch, "watcher");
      watcher.setDaemon(true);
      watcher.start();
    }

    private static void watch() {
      try {
        new CountDownLatch(1).await();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }

  // ---- interrupts

  /** Shares a channel that an interrupt of any writer closes for all. */
  static final class SharesAnInterruptibleChannel extends ForwardingStore {
    private volatile boolean channelClosed;

    SharesAnInterruptibleChannel(FrameStore store) {
      super(store);
    }

    @Override
    public Appended append(Batch batch) {
      channelClosed |= Thread.currentThread().isInterrupted();
      if (channelClosed) {
        throw RalphException.io("the batch was not appended: the channel is closed");
      }
      return super.append(batch);
    }
  }

  /** Clears the interrupt status. */
  static final class ClearsInterrupts extends ForwardingStore {
    ClearsInterrupts(FrameStore store) {
      super(store);
    }

    @Override
    public Appended append(Batch batch) {
      Thread.interrupted();
      return super.append(batch);
    }
  }

  /** Acknowledges an append that an interrupt has aborted. */
  static final class NeverSaysIndeterminate extends ForwardingStore {
    NeverSaysIndeterminate(FrameStore store) {
      super(store);
    }

    @Override
    public Appended append(Batch batch) {
      if (!Thread.currentThread().isInterrupted()) {
        return super.append(batch);
      }
      Draft draft = batch.drafts().get(0);
      Frame unwritten =
          Frame.of(
              new Scru128(Clock.systemUTC()).next(),
              Position.of(Long.MAX_VALUE),
              Clock.systemUTC().instant(),
              draft);
      return Appended.of(List.of(unwritten), unwritten.position());
    }
  }

  // ---- snapshots

  /** Ignores the version and the filter of snapshot keys. */
  static final class MixesUpSnapshots extends ForwardingStore {
    MixesUpSnapshots(FrameStore store) {
      super(store);
    }

    @Override
    public SnapshotStore snapshots() {
      SnapshotStore snapshots = super.snapshots();
      return new SnapshotStore() {
        @Override
        public Optional<Snapshot> load(Snapshot.Key key) {
          return snapshots.load(byName(key));
        }

        @Override
        public void save(Snapshot.Key key, Snapshot snapshot) {
          snapshots.save(byName(key), snapshot);
        }
      };
    }

    private static Snapshot.Key byName(Snapshot.Key key) {
      return new Snapshot.Key(key.fold(), 1, key.filter());
    }
  }
}
