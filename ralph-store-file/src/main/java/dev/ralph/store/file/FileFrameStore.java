package dev.ralph.store.file;

import dev.ralph.Damage;
import dev.ralph.Frame;
import dev.ralph.Position;
import dev.ralph.RalphException;
import dev.ralph.StoreInfo;
import dev.ralph.Topic;
import dev.ralph.TopicFilter;
import dev.ralph.spi.Appended;
import dev.ralph.spi.Batch;
import dev.ralph.spi.ContentStore;
import dev.ralph.spi.Follower;
import dev.ralph.spi.FrameCursor;
import dev.ralph.spi.FrameStore;
import dev.ralph.spi.Query;
import dev.ralph.spi.SnapshotStore;
import dev.ralph.store.support.BlockIndex;
import dev.ralph.store.support.FileSnapshotStore;
import dev.ralph.store.support.HashedContentStore;
import dev.ralph.store.support.StoreLock;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Function;
import javax.annotation.Nullable;

/**
 * The store in one folder: {@code log}, {@code content}, {@code derived}, {@code damaged}, {@code
 * lock}.
 */
final class FileFrameStore implements FrameStore, Appender.Lookup {

  private final Path directory;
  private final Segments segments;
  private final ContentStore contents;
  private final SegmentIndexes indexes;
  private final SnapshotStore snapshots;
  private final AppendSignal signal;
  private final StoreInfo info;
  private final Clock clock;

  /** Held for reading by every append, for writing by the closing of the store. */
  private final ReentrantReadWriteLock usage = new ReentrantReadWriteLock();

  private final ReentrantLock opening = new ReentrantLock();
  private final Set<AutoCloseable> readers = ConcurrentHashMap.newKeySet();
  private volatile boolean closed;
  @Nullable private volatile Writing writing;

  /** What only a store that is written to needs. */
  private record Writing(StoreLock lock, Appender appender, GroupCommit commits) {}

  FileFrameStore(Path directory, Segments segments, String storeId, Clock clock) {
    this.directory = directory;
    this.segments = segments;
    this.clock = clock;
    this.contents = new HashedContentStore(directory.resolve("content"));
    this.indexes = new SegmentIndexes(directory.resolve("derived/index"), segments, contents);
    this.snapshots = new FileSnapshotStore(directory.resolve("derived/snapshots"));
    this.signal = new AppendSignal(segments.directory());
    this.info =
        StoreInfo.of(
            storeId,
            FileStoreProvider.NAME,
            directory.toString(),
            EnumSet.allOf(StoreInfo.Capability.class),
            BatchLines.MAX_CONTENT_BYTES,
            BatchLines.MAX_BATCH_FRAMES);
  }

  @Override
  public StoreInfo info() {
    requireOpen();
    return info;
  }

  @Override
  public Appended append(Batch batch) {
    usage.readLock().lock();
    try {
      requireOpen();
      Writing ready = writing();
      BatchLines lines = BatchLines.of(batch, contents);
      Appended appended = ready.commits().append(new Appender.Request(batch, lines));
      signal.signal();
      return appended;
    } finally {
      usage.readLock().unlock();
    }
  }

  private Writing writing() {
    Writing ready = writing;
    if (ready != null) {
      return ready;
    }
    opening.lock();
    try {
      requireOpen();
      ready = writing;
      if (ready == null) {
        if (segments.last() == 0) {
          throw segments.gone(); // before a lock is made where no store is
        }
        StoreLock lock = StoreLock.open(directory.resolve(FileStoreProvider.LOCK));
        Appender appender =
            new Appender(
                segments, indexes, contents, this, directory.resolve("damaged"), lock, clock);
        ready = new Writing(lock, appender, new GroupCommit(appender));
        writing = ready;
      }
      return ready;
    } finally {
      opening.unlock();
    }
  }

  @Override
  public FrameCursor read(Query query) {
    requireOpen();
    LogReader reader = new LogReader(segments, contents, query.filter(), query.after().value());
    return query.isBackward() ? backward(reader, query) : forward(reader, query);
  }

  private FrameCursor forward(LogReader reader, Query query) {
    return tracked(onClose -> new FileCursor(reader, segments, this::index, query, onClose));
  }

  private FrameCursor backward(LogReader reader, Query query) {
    int last = segments.last();
    return tracked(onClose -> new BackwardCursor(reader, last, this::index, query, onClose));
  }

  @Override
  public Follower follow(Query query) {
    requireOpen();
    FrameCursor cursor = read(Query.of(query.filter()).after(query.after()));
    return tracked(onClose -> new FileFollower(cursor, signal, onClose));
  }

  /** Makes something that is closed together with the store, unless it is closed before. */
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

  private BlockIndex index(int segment) {
    return indexes.forReading(segment, this::lockToKeepAnIndex);
  }

  @Nullable
  private StoreLock lockToKeepAnIndex() {
    try {
      return writing().lock();
    } catch (RalphException e) {
      return null; // a store that may only be read
    }
  }

  @Override
  public Optional<Frame> get(String id) {
    requireOpen();
    try (LogReader reader = new LogReader(segments, contents, TopicFilter.all(), 0)) {
      for (int segment = segments.last(); segment >= Segments.FIRST; segment--) {
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

  @Nullable
  private static Frame find(LogReader reader, String id, int segment, long from, long to) {
    reader.jump(segment, from);
    reader.stopAt(to);
    FileFrame frame;
    while ((frame = reader.next()) != null) {
      if (frame.id().equals(id)) {
        return frame;
      }
    }
    return null;
  }

  @Override
  public Optional<Frame> last(TopicFilter filter) {
    try (FrameCursor cursor = read(Query.of(filter).backward().limit(1))) {
      return Optional.ofNullable(cursor.next());
    }
  }

  @Override
  public SortedSet<Topic> topics(TopicFilter filter) {
    requireOpen();
    SortedSet<Topic> found = new TreeSet<>();
    try (LogReader reader = new LogReader(segments, contents, filter, 0)) {
      for (int segment = segments.last(); segment >= Segments.FIRST; segment--) {
        BlockIndex index = index(segment);
        for (Topic topic : index.topics()) {
          if (filter.matches(topic)) {
            found.add(topic);
          }
        }
        reader.jump(segment, index.end());
        FileFrame frame;
        while ((frame = reader.next()) != null) {
          found.add(frame.topic());
        }
      }
    }
    return found;
  }

  @Override
  public Optional<List<Frame>> findBatch(String batchId, Position since) {
    requireOpen();
    List<Frame> found = new ArrayList<>();
    try (LogReader reader = new LogReader(segments, contents, TopicFilter.all(), since.value())) {
      do {
        FileFrame frame;
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
  public List<Damage> verify() {
    requireOpen();
    List<Damage> damage = new ArrayList<>();
    try (LogReader reader = new LogReader(segments, contents, TopicFilter.all(), 0)) {
      do {
        FileFrame frame;
        while ((frame = reader.next()) != null) {
          if (frame.hasContentBeside()) {
            verifyContent(frame, damage);
          }
        }
      } while (reader.enterNextSegment());
      damage.addAll(0, reader.damage());
    }
    return damage;
  }

  private static void verifyContent(FileFrame frame, List<Damage> damage) {
    try {
      frame.content();
    } catch (RalphException e) {
      if (e.code() != RalphException.Code.DAMAGED) {
        throw e;
      }
      damage.add(new Damage("content", 0, 0, 1, "of frame " + frame.id() + ": " + e.getMessage()));
    }
  }

  @Override
  public SnapshotStore snapshots() {
    requireOpen();
    return snapshots;
  }

  // ---- what the appender asks

  @Override
  public boolean anyAfter(TopicFilter filter, long position) {
    try (FrameCursor cursor = read(Query.of(filter).after(Position.of(position)).limit(1))) {
      return cursor.next() != null || !cursor.damage().isEmpty();
    }
  }

  @Override
  public Set<String> held(Set<String> ids) {
    TreeSet<String> sorted = new TreeSet<>(ids);
    Set<String> found = new HashSet<>();
    try (LogReader reader = new LogReader(segments, contents, TopicFilter.all(), 0)) {
      for (int segment = segments.last(); segment >= Segments.FIRST; segment--) {
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
    return found;
  }

  private static void find(
      LogReader reader, Set<String> ids, int segment, long from, long to, Set<String> found) {
    reader.jump(segment, from);
    reader.stopAt(to);
    FileFrame frame;
    while ((frame = reader.next()) != null) {
      if (ids.contains(frame.id())) {
        found.add(frame.id());
      }
    }
  }

  @Override
  public String largestId() {
    String largest = "";
    try (LogReader reader = new LogReader(segments, contents, TopicFilter.all(), 0)) {
      for (int segment = segments.last(); segment >= Segments.FIRST; segment--) {
        BlockIndex index = index(segment);
        largest = index.largestId().compareTo(largest) > 0 ? index.largestId() : largest;
        reader.jump(segment, index.end());
        FileFrame frame;
        while ((frame = reader.next()) != null) {
          largest = frame.id().compareTo(largest) > 0 ? frame.id() : largest;
        }
      }
    }
    return largest;
  }

  // ---- closing

  private void requireOpen() {
    if (closed) {
      throw RalphException.closed("the store");
    }
  }

  @Override
  public void close() {
    closed = true;
    signal.close();
    readers.forEach(FileFrameStore::closeQuietly);
    usage.writeLock().lock();
    opening.lock();
    try {
      Writing used = writing;
      writing = null;
      if (used != null) {
        used.commits().close();
        used.appender().close();
        used.lock().close();
      }
    } finally {
      opening.unlock();
      usage.writeLock().unlock();
    }
  }

  private static void closeQuietly(AutoCloseable reader) {
    try {
      reader.close();
    } catch (Exception e) {
      System.getLogger(FileFrameStore.class.getName())
          .log(System.Logger.Level.WARNING, "cannot close a reader", e);
    }
  }
}
