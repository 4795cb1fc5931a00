package dev.ralph.tck;

import static dev.ralph.tck.internal.Reading.take;

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
import dev.ralph.spi.FrameStore;
import dev.ralph.spi.Scru128;
import dev.ralph.spi.SnapshotStore;
import dev.ralph.store.support.FileSnapshotStore;
import dev.ralph.tck.DurableFile.Stored;
import dev.ralph.tck.DurableFile.StoredFrame;
import java.io.ByteArrayOutputStream;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A store in one file, for one or several processes, that is sound or has one {@link
 * DurableMistake}. It keeps the file's content in memory, and reads new records before each call.
 */
final class DurableStore implements FrameStore {

  private static final long MAX_CONTENT_BYTES = 32L << 20;
  private static final int MAX_BATCH_FRAMES = 1_000;
  private static final long POLL_NANOS = 1_000_000;
  private static final long LATE_NANOS = 5_000_000;

  private final ReentrantLock mutex = new ReentrantLock();
  private final java.util.concurrent.locks.Condition changed = mutex.newCondition();
  private final DurableMistake mistake;
  private final DurableFile file;
  private final DurableLock lock;
  private final Path directory;
  private final Clock clock;
  private final Scru128 ids;
  private final StoreInfo info;

  private final List<StoredFrame> log = new ArrayList<>();
  private final Map<String, List<Frame>> batches = new HashMap<>();
  private final Set<String> held = new HashSet<>();
  private final List<Damage> damage = new ArrayList<>();

  /** Acknowledged batches that are not written yet. */
  private final ByteArrayOutputStream unwritten = new ByteArrayOutputStream();

  private String lastMinted = "";

  /** The offset up to which the file is known, including batches that are not written yet. */
  private long readTo;

  private boolean closed;

  DurableStore(
      Path directory, String storeId, DurableLock lock, DurableMistake mistake, Clock clock) {
    this.directory = directory;
    this.lock = lock;
    this.mistake = mistake;
    this.clock = clock;
    this.ids = new Scru128(clock);
    this.file = new DurableFile(directory.resolve("log"));
    this.info =
        new StoreInfo(
            storeId,
            DurableProvider.NAME,
            DurableProvider.NAME + ":" + directory,
            capabilities(mistake),
            MAX_CONTENT_BYTES,
            MAX_BATCH_FRAMES);
    catchUp();
  }

  static Set<Capability> capabilities(DurableMistake mistake) {
    Set<Capability> capabilities =
        EnumSet.of(Capability.PERSISTENT, Capability.MINTS_IDS, Capability.DETECTS_DAMAGE);
    if (mistake.isShared()) {
      capabilities.add(Capability.MULTI_PROCESS);
    }
    return capabilities;
  }

  @Override
  public StoreInfo info() {
    return whileOpen(() -> info);
  }

  // ---- appending

  @Override
  public Appended append(Batch batch) {
    List<String> early = new ArrayList<>();
    if (mistake == DurableMistake.MINTS_BEFORE_IT_LOCKS) {
      batch.drafts().forEach(draft -> early.add(ids.next()));
      LockSupport.parkNanos(100_000);
    }
    return whileOpen(
        () -> {
          Set<String> heldBefore =
              mistake == DurableMistake.IMPORTS_AGAIN ? new HashSet<>(held) : held;
          lock.acquire();
          try {
            return appendLocked(batch, heldBefore, early);
          } finally {
            lock.release();
          }
        });
  }

  private Appended appendLocked(Batch batch, Set<String> heldBefore, List<String> early) {
    if (mistake != DurableMistake.APPENDS_WHERE_IT_SAW_THE_END) {
      catchUp(Long.MAX_VALUE);
    }
    Batch.Condition condition = batch.condition();
    if (condition != null
        && !select(Query.of(condition.filter()).after(condition.since())).isEmpty()) {
      return Appended.conflict();
    }
    if (!lastMinted.isEmpty() && early.isEmpty()) {
      ids.advance(lastMinted);
    }
    List<Draft> drafts = new ArrayList<>();
    Instant now = clock.instant().truncatedTo(ChronoUnit.MILLIS);
    for (Draft draft : batch.drafts()) {
      String id = draft.id();
      Instant time = draft.time();
      if (id == null) {
        id = early.isEmpty() ? ids.next() : early.remove(0);
        lastMinted = id;
      } else if (heldBefore.contains(id)) {
        continue;
      }
      time = time == null ? now : time.truncatedTo(ChronoUnit.MILLIS);
      drafts.add(Draft.imported(id, time, draft.topic(), draft.meta(), draft.content()));
    }
    byte[] record = DurableFile.record(batch.id(), lastMinted, drafts);
    boolean synced = batch.isSynced();
    long written = readTo - unwritten.size();
    unwritten.writeBytes(record);
    if (synced || mistake != DurableMistake.WRITES_WHEN_IT_SYNCS) {
      write(written);
    }
    Stored stored = file.decoded(readTo, record);
    readTo += record.length;
    if (mistake == DurableMistake.TAKES_IN_WHAT_IS_LEFT_WHEN_IT_APPENDS) {
      LockSupport.parkNanos(LATE_NANOS);
      file.announceEnd(readTo);
    }
    add(stored);
    if (synced) {
      file.sync();
    }
    changed.signalAll();
    return Appended.of(stored.frames(), end());
  }

  /** Writes pending batches, over an incomplete record of a killed process. */
  private void write(long end) {
    if (mistake != DurableMistake.APPENDS_WHERE_IT_SAW_THE_END) {
      file.cut(end);
    }
    file.write(end, unwritten.toByteArray());
    unwritten.reset();
  }

  // ---- new records of other processes

  private void catchUpUnless(DurableMistake stale) {
    if (mistake != stale) {
      catchUp();
    }
  }

  private void catchUp() {
    catchUp(
        mistake == DurableMistake.TAKES_IN_WHAT_IS_LEFT_WHEN_IT_APPENDS
            ? Math.max(readTo, file.announcedEnd())
            : Long.MAX_VALUE);
  }

  private void catchUp(long limit) {
    if (unwritten.size() > 0) {
      return;
    }
    readTo =
        file.read(
            readTo,
            limit,
            new DurableFile.Reading() {
              @Override
              public void batch(Stored batch) {
                add(batch);
              }

              @Override
              public void damage(Damage found, @Nullable Stored guess) {
                damage.add(found);
                addWrongly(guess);
              }
            });
  }

  private void add(Stored batch) {
    lastMinted = batch.lastMinted();
    batches.put(batch.batchId(), batch.frames());
    for (Frame frame : batch.frames()) {
      log.add((StoredFrame) frame);
      held.add(frame.id());
    }
  }

  /** Adds frames that must not be returned, if the selected defect returns them. */
  private void addWrongly(@Nullable Stored guess) {
    if (mistake == DurableMistake.REPEATS_BEHIND_DAMAGE && !log.isEmpty()) {
      log.add(log.get(log.size() - 1));
    }
    if (guess != null
        && (mistake == DurableMistake.KEEPS_THE_REST_OF_A_BATCH
            || mistake == DurableMistake.CHECKS_FORWARD_ONLY)) {
      for (Frame frame : guess.frames()) {
        if (((StoredFrame) frame).isSound() || mistake == DurableMistake.CHECKS_FORWARD_ONLY) {
          log.add((StoredFrame) frame);
        }
      }
    }
  }

  private static boolean isReturned(StoredFrame frame, boolean backward) {
    return frame.isSound() || backward;
  }

  // ---- reading

  private Position end() {
    return log.isEmpty() ? Position.START : log.get(log.size() - 1).position();
  }

  private List<Frame> select(Query query) {
    List<Frame> selected = new ArrayList<>();
    for (StoredFrame frame : log) {
      if (frame.position().isAfter(query.after())
          && (query.until() == null || !frame.position().isAfter(query.until()))
          && query.filter().matches(frame.topic())
          && isReturned(frame, query.isBackward())) {
        selected.add(frame);
      }
    }
    if (query.isBackward()) {
      Collections.reverse(selected);
    }
    return new ArrayList<>(selected.subList(0, (int) Math.min(query.limit(), selected.size())));
  }

  @Override
  public FrameCursor read(Query query) {
    return whileOpen(
        () -> {
          catchUpUnless(
              query.isBackward() ? DurableMistake.READS_BACKWARD_STALE : DurableMistake.NONE);
          return new Reader(query);
        });
  }

  @Override
  public Follower follow(Query query) {
    return whileOpen(() -> new Reader(Query.of(query.filter()).after(query.after())));
  }

  @Override
  public Optional<Frame> get(String id) {
    return whileOpen(
        () -> {
          catchUpUnless(DurableMistake.GETS_STALE);
          return select(Query.of(TopicFilter.all())).stream()
              .filter(frame -> frame.id().equals(id))
              .findFirst();
        });
  }

  @Override
  public Optional<Frame> last(TopicFilter filter) {
    return whileOpen(
        () -> {
          catchUpUnless(DurableMistake.TELLS_THE_LAST_STALE);
          return select(Query.of(filter).backward().limit(1)).stream().findFirst();
        });
  }

  @Override
  public SortedSet<Topic> topics(TopicFilter filter) {
    return whileOpen(
        () -> {
          catchUpUnless(DurableMistake.TELLS_TOPICS_STALE);
          SortedSet<Topic> topics = new TreeSet<>();
          select(Query.of(filter)).forEach(frame -> topics.add(frame.topic()));
          return topics;
        });
  }

  @Override
  public Optional<List<Frame>> findBatch(String batchId, Position since) {
    return whileOpen(
        () -> {
          catchUpUnless(DurableMistake.FINDS_BATCHES_STALE);
          return Optional.ofNullable(batches.get(batchId));
        });
  }

  @Override
  public List<Damage> verify() {
    return whileOpen(
        () -> {
          List<Damage> found = new ArrayList<>();
          if (mistake == DurableMistake.VERIFIES_NOTHING) {
            return found;
          }
          long complete =
              file.read(
                  0,
                  new DurableFile.Reading() {
                    @Override
                    public void batch(Stored batch) {}

                    @Override
                    public void damage(Damage stretch, @Nullable Stored guess) {
                      found.add(stretch);
                    }
                  });
          long behind = file.length() - complete;
          if (mistake == DurableMistake.TAKES_AN_APPEND_FOR_DAMAGE && behind > 0) {
            found.add(new Damage("log", complete, behind, 1, "a record that is cut short"));
          }
          return found;
        });
  }

  @Override
  public SnapshotStore snapshots() {
    return whileOpen(() -> new FileSnapshotStore(directory.resolve("snapshots")));
  }

  // ---- closing

  @Override
  public void close() {
    mutex.lock();
    try {
      if (!closed) {
        closed = true;
        changed.signalAll();
        if (unwritten.size() > 0) {
          write(readTo - unwritten.size());
        }
        if (mistake == DurableMistake.CUTS_OFF_DAMAGE && !damage.isEmpty()) {
          file.cut(damage.get(0).offset());
        }
        file.close();
        lock.close();
      }
    } finally {
      mutex.unlock();
    }
  }

  private <T> T whileOpen(Supplier<T> action) {
    mutex.lock();
    try {
      checkOpen();
      return action.get();
    } finally {
      mutex.unlock();
    }
  }

  private void checkOpen() {
    if (closed) {
      throw RalphException.closed("the store");
    }
  }

  private final class Reader implements FrameCursor, Follower {

    private final Query query;

    /** The remaining frames of a backward cursor. */
    private final List<Frame> newestFirst;

    private Position position;

    /** The index of the first unread frame in the log. */
    private int next;

    private long left;
    private boolean ended;
    private boolean woken;
    private boolean readerClosed;

    private Reader(Query query) {
      this.query = query;
      this.position = query.after();
      this.left = query.limit();
      this.newestFirst = query.isBackward() ? select(query) : List.of();
    }

    @Override
    public @Nullable Frame next() {
      return whileOpen(
          () -> {
            if (!ended || mistake != DurableMistake.ENDS_CURSORS_STALE) {
              catchUp();
            }
            return take();
          });
    }

    private @Nullable Frame take() {
      if (readerClosed) {
        throw RalphException.closed("the reader");
      }
      if (query.isBackward()) {
        return newestFirst.isEmpty() ? null : newestFirst.remove(0);
      }
      while (left > 0 && next < log.size()) {
        StoredFrame frame = log.get(next);
        if (query.until() != null && frame.position().isAfter(query.until())) {
          break;
        }
        next++;
        if (frame.position().isAfter(query.after())
            && query.filter().matches(frame.topic())
            && isReturned(frame, false)) {
          position = frame.position();
          left--;
          return frame;
        }
      }
      if (left > 0 && query.until() == null && end().isAfter(position)) {
        position = end();
      }
      ended = true;
      return null;
    }

    @Override
    public @Nullable Frame poll(Duration timeout) throws InterruptedException {
      long nanos = TimeUnit.NANOSECONDS.convert(timeout);
      mutex.lock();
      try {
        while (true) {
          checkOpen();
          catchUp();
          Frame frame = take();
          if (frame != null || nanos <= 0) {
            return frame;
          }
          if (woken) {
            woken = false;
            return null;
          }
          // appends of other processes do not signal the condition
          long pause = Math.min(nanos, POLL_NANOS);
          nanos -= pause - changed.awaitNanos(pause);
        }
      } finally {
        mutex.unlock();
      }
    }

    @Override
    public void wakeup() {
      mutex.lock();
      try {
        woken = true;
        changed.signalAll();
      } finally {
        mutex.unlock();
      }
    }

    @Override
    public Position position() {
      mutex.lock();
      try {
        return position;
      } finally {
        mutex.unlock();
      }
    }

    @Override
    public List<Damage> damage() {
      return whileOpen(
          () ->
              mistake == DurableMistake.READS_OVER_DAMAGE_SILENTLY
                  ? List.of()
                  : List.copyOf(damage));
    }

    @Override
    public void close() {
      mutex.lock();
      try {
        readerClosed = true;
        changed.signalAll();
      } finally {
        mutex.unlock();
      }
    }
  }
}
