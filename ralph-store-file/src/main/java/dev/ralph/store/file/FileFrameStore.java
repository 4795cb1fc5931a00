package dev.ralph.store.file;

import dev.ralph.RalphException;
import dev.ralph.log.Appended;
import dev.ralph.log.Batch;
import dev.ralph.log.StoreInfo;
import dev.ralph.log.TopicFilter;
import dev.ralph.store.support.BlockIndex;
import dev.ralph.store.support.FolderWatch;
import dev.ralph.store.support.GroupCommit;
import dev.ralph.store.support.HashedContentStore;
import dev.ralph.store.support.LogWitness;
import dev.ralph.store.support.SegmentIndexes;
import dev.ralph.store.support.SegmentReader;
import dev.ralph.store.support.SegmentedFrameStore;
import dev.ralph.store.support.StoreFolder;
import dev.ralph.store.support.StoreLock;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Collection;
import java.util.EnumSet;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The store in one folder: {@code log}, {@code content}, {@code derived}, {@code damaged}, {@code
 * lock}.
 */
final class FileFrameStore extends SegmentedFrameStore {

  private final Path directory;
  private final Segments segments;
  private final HashedContentStore contents;
  private final SegmentIndexes indexes;
  private final StoreInfo info;
  private final LogWitness witness;
  private final Clock clock;
  private final ReentrantLock opening = new ReentrantLock();
  private volatile @Nullable Writing writing;

  /** What only a store that is written to needs. */
  private record Writing(
      StoreLock lock, Appender appender, GroupCommit<Appender.Request> commits) {}

  FileFrameStore(
      Path directory, Segments segments, String storeId, LogWitness witness, Clock clock) {
    super(directory, segments, new FolderWatch(segments.directory()), witness, clock);
    this.directory = directory;
    this.segments = segments;
    this.witness = witness;
    this.clock = clock;
    this.contents = new HashedContentStore(directory.resolve("content"));
    this.indexes =
        new SegmentIndexes(directory.resolve("derived/index"), segments, "RIX3") {
          @Override
          protected SegmentReader reader() {
            return new LogReader(segments, contents, TopicFilter.all(), 0, null);
          }
        };
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
  protected Appended carryOut(Batch batch) {
    Writing ready = writing();
    BatchLines lines = BatchLines.of(batch, contents);
    return ready.commits().append(new Appender.Request(batch, lines));
  }

  @Override
  public int erase(Collection<String> ids) {
    return erase(ids, frames -> writing().appender().erase(frames));
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
        StoreFolder.hideFromGit(directory);
        witness.keep();
        StoreLock lock = StoreLock.open(directory.resolve(FileStoreProvider.LOCK));
        Appender appender =
            new Appender(
                segments,
                indexes,
                contents,
                snapshotFiles(),
                this,
                directory.resolve("damaged"),
                lock,
                witness,
                clock);
        ready = new Writing(lock, appender, new GroupCommit<>(appender));
        writing = ready;
      }
      return ready;
    } finally {
      opening.unlock();
    }
  }

  @Override
  protected StoreLock lock() {
    return writing().lock();
  }

  @Override
  protected SegmentReader reader(TopicFilter filter, long position) {
    Earlier earlier = new Earlier(segments, contents, this::index);
    return new LogReader(segments, contents, filter, position, earlier);
  }

  @Override
  protected BlockIndex index(int segment) {
    return indexes.forReading(segment, this::lockToKeepAnIndex);
  }

  private @Nullable StoreLock lockToKeepAnIndex() {
    try {
      return writing().lock();
    } catch (RalphException e) {
      return null; // a store that may only be read
    }
  }

  @Override
  protected void closeWriting() {
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
    }
  }
}
