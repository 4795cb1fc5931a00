package dev.ralph.store.support.internal.segment;

import dev.ralph.internal.ForwardingCursor;
import dev.ralph.log.Appended;
import dev.ralph.log.Batch;
import dev.ralph.log.Damage;
import dev.ralph.log.DamagedException;
import dev.ralph.log.Follower;
import dev.ralph.log.Frame;
import dev.ralph.log.FrameCursor;
import dev.ralph.log.IndeterminateException;
import dev.ralph.log.Position;
import dev.ralph.log.Query;
import dev.ralph.log.RalphException;
import dev.ralph.log.Topic;
import dev.ralph.log.TopicFilter;
import dev.ralph.spi.Followers;
import dev.ralph.spi.FrameStore;
import dev.ralph.spi.SnapshotStore;
import dev.ralph.store.support.BlockIndex;
import dev.ralph.store.support.FileSnapshotStore;
import dev.ralph.store.support.StoreLock;
import dev.ralph.store.support.internal.file.FolderWatch;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Shared implementation of stores with a segmented log: reading, searching, and closing of open
 * readers.
 */
public abstract class SegmentedFrameStore implements FrameStore, AppendLookup {

  /** The most frames erased in one step. The plan of such a step takes about 100 MB. */
  private static final int ERASED_AT_ONCE = 500_000;

  private final Path directory;
  private final SegmentedLog log;
  private final FolderWatch watch;
  private final Followers followers;
  private final FileSnapshotStore snapshots;
  private final LogWitness witness;
  private final Clock clock;

  /** Appends hold the read lock; closing the store takes the write lock. */
  private final ReentrantReadWriteLock usage = new ReentrantReadWriteLock();

  private final Set<AutoCloseable> readers = ConcurrentHashMap.newKeySet();
  private volatile boolean closed;

  /**
   * Creates a store.
   *
   * @param directory the store's folder
   * @param watch notifies of appends of other processes; closed with the store
   * @param witness checked before each read, and before an append is acknowledged
   */
  @SuppressWarnings("this-escape") // no follower exists before the constructor returns
  protected SegmentedFrameStore(
      Path directory, SegmentedLog log, FolderWatch watch, LogWitness witness, Clock clock) {
    this.directory = directory;
    this.log = log;
    this.watch = watch;
    this.followers = new Followers(this::readAhead, this::watchOthers);
    this.snapshots =
        new FileSnapshotStore(
            log.files(),
            directory.resolve("derived/snapshots"),
            directory.resolve(FileSnapshotStore.ERASED));
    this.witness = witness;
    this.clock = clock;
  }

  /**
   * Returns the lock for appends.
   *
   * @throws RalphException if this store is read-only
   */
  protected abstract StoreLock lock();

  /** Returns a reader that begins after a position, which may lie within a batch. */
  protected abstract SegmentReader reader(TopicFilter filter, long position);

  /**
   * Returns the index of a segment. Only a small part of the segment may follow the end of the
   * index.
   */
  protected abstract BlockIndex index(int segment);

  /** Appends a batch. The store is not closed meanwhile. */
  protected abstract Appended carryOut(Batch batch);

  /** Closes the resources of appenders. No append is running. */
  protected abstract void closeWriting();

  @Override
  public final Appended append(Batch batch) {
    usage.readLock().lock();
    try {
      requireOpen();
      Appended appended = carryOut(batch);
      if (batch.isSynced()) {
        requireInPlace(batch, appended); // the files may have been deleted during the sync
      }
      followers.appended();
      return appended;
    } finally {
      usage.readLock().unlock();
    }
  }

  private void requireInPlace(Batch batch, Appended appended) {
    try {
      witness.requireInPlace();
    } catch (RalphException e) {
      if (appended.frames().isEmpty()) {
        throw e;
      }
      throw new IndeterminateException(
          "the batch " + batch.id() + " was written, but may be lost: " + e.getMessage(),
          batch.id(),
          Position.START,
          e);
    }
  }

  /**
   * Erases frames, in steps of at most {@link #ERASED_AT_ONCE}. After a crash either all frames of
   * a step are erased or none.
   *
   * @param eraser erases frames under the lock, and returns the number of frames that were not
   *     erased before
   */
  protected final int erase(Collection<String> ids, ToIntFunction<List<StoredFrame>> eraser) {
    usage.readLock().lock();
    try {
      requireReadable();
      List<StoredFrame> frames = new ArrayList<>();
      Set<String> missing = new TreeSet<>(ids);
      find(
          new TreeSet<>(ids),
          frame -> {
            frames.add(frame);
            missing.remove(frame.id());
          });
      if (!missing.isEmpty()) {
        throw RalphException.notErasable(missing.iterator().next());
      }
      frames.sort(Comparator.comparing(frame -> frame.position().value()));
      int erased = 0;
      for (int from = 0; from < frames.size(); from += ERASED_AT_ONCE) {
        int to = Math.min(frames.size(), from + ERASED_AT_ONCE);
        erased += eraser.applyAsInt(frames.subList(from, to));
      }
      followers.appended();
      return erased;
    } finally {
      usage.readLock().unlock();
    }
  }

  /**
   * Compacts the log.
   *
   * @param compactor compacts the log, under the lock if necessary, and returns the number of freed
   *     bytes
   */
  protected final long compact(LongSupplier compactor) {
    usage.readLock().lock();
    try {
      requireReadable();
      return compactor.getAsLong();
    } finally {
      usage.readLock().unlock();
    }
  }

  /** Returns the store of snapshots derived from this log. */
  protected final FileSnapshotStore snapshotFiles() {
    return snapshots;
  }

  @Override
  public final FrameCursor read(Query query) {
    requireOpen();
    completeInterrupted();
    return query.isBackward() ? backward(query) : forward(query);
  }

  /** Does not check the witness, because the cursor does so when it reads the length of the log. */
  private FrameCursor forward(Query query) {
    SegmentReader reader = reader(query.filter(), query.after().value());
    return tracked(onClose -> new ForwardCursor(reader, witness, this::index, query, onClose));
  }

  private FrameCursor backward(Query query) {
    witness.requireUnchanged();
    SegmentReader reader = reader(query.filter(), query.after().value());
    return tracked(onClose -> new BackwardCursor(reader, log, this::index, query, onClose));
  }

  @Override
  public final Follower follow(Query query) {
    requireOpen();
    return followers.follow(query);
  }

  private void watchOthers() {
    watch.start(followers::appended);
  }

  /**
   * Reads for a follower. Checks the log at its end, because a follower of a deleted log would wait
   * forever.
   */
  private FrameCursor readAhead(Query query) {
    return new ForwardingCursor(read(query)) {
      @Override
      public @Nullable Frame next() {
        Frame frame = super.next();
        if (frame == null) {
          witness.requireUnchanged();
        }
        return frame;
      }
    };
  }

  /** Creates a resource closed with the store at the latest. */
  private <T extends AutoCloseable> T tracked(Function<Runnable, T> maker) {
    AtomicReference<AutoCloseable> self = new AtomicReference<>();
    T made = maker.apply(() -> readers.remove(self.get()));
    self.set(made);
    readers.add(made);
    if (closed) {
      closeQuietly(made);
      throw RalphException.closed("the store");
    }
    return made;
  }

  @Override
  public final Optional<Frame> get(String id) {
    requireReadable();
    try (SegmentReader reader = reader(TopicFilter.all(), 0)) {
      for (int segment = log.last(); segment > 0; segment = log.before(segment)) {
        BlockIndex index = index(segment);
        Frame found = find(reader, id, segment, index.end(), Long.MAX_VALUE);
        for (int block = index.blocks() - 1; block >= 0 && found == null; block--) {
          if (index.mayHold(block, id)) {
            found = find(reader, id, segment, index.from(block), index.to(block));
          }
        }
        if (found != null) {
          return Optional.of(found);
        }
      }
      return Optional.empty();
    }
  }

  private static @Nullable Frame find(
      SegmentReader reader, String id, int segment, long from, long to) {
    reader.jump(segment, from);
    reader.stopAt(to);
    StoredFrame frame;
    while ((frame = reader.next()) != null) {
      if (frame.id().equals(id)) {
        return frame;
      }
    }
    return null;
  }

  @Override
  public final Optional<Frame> last(TopicFilter filter) {
    try (FrameCursor cursor = read(Query.of(filter).backward().limit(1))) {
      return Optional.ofNullable(cursor.next());
    }
  }

  @Override
  public final SortedSet<Topic> topics(TopicFilter filter) {
    requireReadable();
    SortedSet<Topic> found = new TreeSet<>();
    try (SegmentReader reader = reader(filter, 0)) {
      for (int segment = log.last(); segment > 0; segment = log.before(segment)) {
        BlockIndex index = index(segment);
        for (Topic topic : index.topics()) {
          if (filter.matches(topic)) {
            found.add(topic);
          }
        }
        reader.jump(segment, index.end());
        StoredFrame frame;
        while ((frame = reader.next()) != null) {
          found.add(frame.topic());
        }
      }
    }
    return found;
  }

  @Override
  public final Optional<List<Frame>> findBatch(String batchId, Position since) {
    requireReadable();
    List<Frame> found = new ArrayList<>();
    try (SegmentReader reader = reader(TopicFilter.all(), since.value())) {
      do {
        StoredFrame frame;
        while ((frame = reader.next()) != null) {
          if (frame.batchId().equals(batchId)) {
            found.add(frame);
          } else if (!found.isEmpty()) {
            return Optional.of(found);
          }
        }
      } while (reader.enterNextSegment());
    }
    return found.isEmpty() ? Optional.empty() : Optional.of(found);
  }

  @Override
  public final List<Damage> verify() {
    requireReadable();
    List<Damage> damage = new ArrayList<>();
    try (SegmentReader reader = reader(TopicFilter.all(), 0)) {
      do {
        StoredFrame frame;
        while ((frame = reader.next()) != null) {
          if (frame.contentAddress() != null) {
            verifyContent(frame, damage);
          }
        }
      } while (reader.enterNextSegment());
      addLosses(reader.damage(), damage);
      damage.addAll(0, reader.damage());
    }
    verifyOthers(damage);
    return damage;
  }

  /**
   * Completes an operation of a killed process before frames are read, for stores with such
   * operations. Called often, and perhaps under the store's lock; throws nothing.
   */
  protected void completeInterrupted() {}

  /** Adds damage in files that are neither log nor content, for stores with such files. */
  protected void verifyOthers(List<Damage> damage) {}

  /** Adds missing bytes at the end of the log, unless the read damage covers them. */
  private void addLosses(List<Damage> read, List<Damage> to) {
    for (Damage loss : witness.losses()) {
      boolean told = false;
      for (Damage each : read) {
        told |=
            each.file().startsWith(loss.file())
                && each.offset() + each.bytes() >= loss.offset() + loss.bytes();
      }
      if (!told) {
        to.add(loss);
      }
    }
  }

  private static void verifyContent(StoredFrame frame, List<Damage> damage) {
    try {
      frame.content();
    } catch (DamagedException e) {
      damage.add(Damage.ofContent(frame, e));
    }
  }

  // ---- leftovers of killed processes

  @Override
  public final List<String> leftovers() {
    requireReadable();
    List<Path> candidates = new LeftoverFiles(log.files(), clock.instant()).candidates();
    if (candidates.isEmpty()) {
      return List.of();
    }
    try (SegmentReader reader = reader(TopicFilter.all(), 0)) {
      return names(unneeded(candidates, reader));
    }
  }

  @Override
  public final List<String> removeLeftovers() {
    usage.readLock().lock();
    try {
      requireReadable();
      LeftoverFiles leftovers = new LeftoverFiles(log.files(), clock.instant());
      List<Path> candidates = leftovers.candidates();
      return candidates.isEmpty() ? List.of() : names(remove(leftovers, candidates));
    } finally {
      usage.readLock().unlock();
    }
  }

  /**
   * Removes leftovers. Reads the whole log without the lock, because that may take long, and then
   * the frames appended in the meantime under the lock.
   */
  private List<Path> remove(LeftoverFiles leftovers, List<Path> candidates) {
    StoreLock lock = lock();
    try (SegmentReader reader = reader(TopicFilter.all(), 0)) {
      List<Path> unneeded = unneeded(candidates, reader);
      lock.acquire();
      try {
        witness.requireUnchanged();
        return unneeded(unneeded, reader).stream().filter(leftovers::remove).toList();
      } finally {
        lock.release();
      }
    }
  }

  /**
   * Reads the log to its end, and returns the candidates to which no frame refers. Returns none if
   * parts of the log are missing, because missing frames may refer to them.
   */
  private List<Path> unneeded(List<Path> candidates, SegmentReader reader) {
    Set<String> needed = new HashSet<>();
    do {
      StoredFrame frame;
      while ((frame = reader.next()) != null) {
        String address = frame.contentAddress();
        if (address != null) {
          needed.add(address);
        }
      }
    } while (reader.enterNextSegment());
    if (!reader.damage().isEmpty() || !witness.losses().isEmpty()) {
      return List.of();
    }
    return candidates.stream()
        .filter(file -> !needed.contains(String.valueOf(file.getFileName())))
        .toList();
  }

  private List<String> names(List<Path> files) {
    return files.stream().map(file -> directory.relativize(file).toString()).toList();
  }

  @Override
  public final SnapshotStore snapshots() {
    requireOpen();
    return snapshots;
  }

  // ---- lookups by the appender

  @Override
  public final boolean anyAfter(TopicFilter filter, long position) {
    try (FrameCursor cursor = read(Query.of(filter).after(Position.of(position)).limit(1))) {
      return cursor.next() != null || !cursor.damage().isEmpty();
    }
  }

  @Override
  public final Set<String> held(Set<String> ids) {
    Set<String> found = new HashSet<>();
    find(ids, frame -> found.add(frame.id()));
    return found;
  }

  private void find(Set<String> ids, Consumer<StoredFrame> found) {
    TreeSet<String> sorted = new TreeSet<>(ids);
    try (SegmentReader reader = reader(TopicFilter.all(), 0)) {
      for (int segment = log.last(); segment > 0; segment = log.before(segment)) {
        BlockIndex index = index(segment);
        find(reader, ids, segment, index.end(), Long.MAX_VALUE, found);
        for (int block = 0; block < index.blocks(); block++) {
          String first = sorted.ceiling(index.smallestId(block));
          if (first != null && first.compareTo(index.largestId(block)) <= 0) {
            find(reader, ids, segment, index.from(block), index.to(block), found);
          }
        }
      }
    }
  }

  private static void find(
      SegmentReader reader,
      Set<String> ids,
      int segment,
      long from,
      long to,
      Consumer<StoredFrame> found) {
    reader.jump(segment, from);
    reader.stopAt(to);
    StoredFrame frame;
    while ((frame = reader.next()) != null) {
      if (ids.contains(frame.id())) {
        found.accept(frame);
      }
    }
  }

  @Override
  public final String largestId() {
    String largest = "";
    try (SegmentReader reader = reader(TopicFilter.all(), 0)) {
      for (int segment = log.last(); segment > 0; segment = log.before(segment)) {
        BlockIndex index = index(segment);
        largest = index.largestId().compareTo(largest) > 0 ? index.largestId() : largest;
        reader.jump(segment, index.end());
        StoredFrame frame;
        while ((frame = reader.next()) != null) {
          largest = frame.id().compareTo(largest) > 0 ? frame.id() : largest;
        }
      }
    }
    return largest;
  }

  // ---- closing

  /**
   * Checks that the store is open.
   *
   * @throws RalphException CLOSED after close
   */
  protected final void requireOpen() {
    if (closed) {
      throw RalphException.closed("the store");
    }
  }

  private void requireReadable() {
    requireOpen();
    witness.requireUnchanged();
    completeInterrupted();
  }

  @Override
  public final void close() {
    closed = true;
    followers.close();
    watch.close();
    readers.forEach(SegmentedFrameStore::closeQuietly);
    usage.writeLock().lock();
    try {
      closeWriting();
      witness.close();
    } finally {
      usage.writeLock().unlock();
    }
  }

  private static void closeQuietly(AutoCloseable reader) {
    try {
      reader.close();
    } catch (Exception e) {
      System.getLogger(SegmentedFrameStore.class.getName())
          .log(System.Logger.Level.WARNING, "cannot close a reader", e);
    }
  }
}
