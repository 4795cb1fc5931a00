package dev.ralph.store.file;

import dev.ralph.log.Appended;
import dev.ralph.log.Batch;
import dev.ralph.log.Damage;
import dev.ralph.log.RalphException;
import dev.ralph.log.StoreInfo;
import dev.ralph.log.TopicFilter;
import dev.ralph.store.support.BlockIndex;
import dev.ralph.store.support.PrivateFiles;
import dev.ralph.store.support.StoreLock;
import dev.ralph.store.support.internal.file.FolderWatch;
import dev.ralph.store.support.internal.folder.StoreRepository;
import dev.ralph.store.support.internal.segment.GroupCommit;
import dev.ralph.store.support.internal.segment.KnownLog;
import dev.ralph.store.support.internal.segment.LogWitness;
import dev.ralph.store.support.internal.segment.SegmentIndexes;
import dev.ralph.store.support.internal.segment.SegmentReader;
import dev.ralph.store.support.internal.segment.SegmentedFrameStore;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A store in a folder with the entries {@code log}, {@code content}, {@code derived}, {@code
 * damaged} and {@code lock}.
 */
final class FileFrameStore extends SegmentedFrameStore {

  private final Path directory;
  private final Segments segments;
  private final SegmentIndexes indexes;
  private final StoreInfo info;
  private final LogWitness witness;
  private final Clock clock;
  private final ReentrantLock opening = new ReentrantLock();
  private volatile @Nullable Writing writing;

  /** The objects needed only for writing. */
  private record Writing(
      StoreLock lock,
      LogAppender appender,
      LogCompactor compactor,
      GroupCommit<LogAppender.Request> commits) {}

  FileFrameStore(
      Path directory, Segments segments, String storeId, LogWitness witness, Clock clock) {
    super(directory, segments, new FolderWatch(segments.directory()), witness, clock);
    this.directory = directory;
    this.segments = segments;
    this.witness = witness;
    this.clock = clock;
    this.indexes =
        new SegmentIndexes(segments, "RIX3") {
          @Override
          protected SegmentReader reader() {
            return new LogReader(segments, TopicFilter.all(), 0, null);
          }
        };
    this.info =
        new StoreInfo(
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
    BatchLines lines = BatchLines.of(batch, segments.contents());
    return ready.commits().append(new LogAppender.Request(batch, lines));
  }

  @Override
  public int erase(Collection<String> ids) {
    return erase(ids, frames -> writing().appender().erase(frames));
  }

  @Override
  public long compact() {
    return compact(
        () -> {
          Writing ready = writing();
          return ready.compactor().compact(ready.appender());
        });
  }

  /**
   * Completes an interrupted erasure. Readers then see every frame of the erasure erased. Does
   * nothing in a read-only store. The next append handles a plan that does not fit this log.
   */
  void finishErasure() {
    try {
      if (ErasurePlan.isCompletable(segments, info.storeId())) {
        writing().appender().finishErasure();
      }
    } catch (IOException | RalphException e) {
      System.getLogger(FileFrameStore.class.getName())
          .log(Level.DEBUG, "cannot complete the erasure in " + directory, e);
    }
  }

  /** Completes an erasure whose process was killed while this store was open. */
  @Override
  protected void completeInterrupted() {
    Writing ready = writing;
    if (ready == null ? segments.erasing().toFile().exists() : ready.lock().isUnfinished()) {
      finishErasure();
    }
  }

  @Override
  protected void verifyOthers(List<Damage> damage) {
    try {
      ErasurePlan plan = ErasurePlan.read(segments);
      boolean fits = plan != null && plan.fits(segments, info.storeId());
      if (!fits && Files.exists(segments.erasing(), LinkOption.NOFOLLOW_LINKS)) {
        damage.add(ofErasing(LogWitness.ERASING, "; the next append moves the file to damaged"));
      }
    } catch (IOException e) {
      throw PrivateFiles.failure("cannot read " + segments.erasing(), e);
    }
    String[] aside = segments.damaged().toFile().list();
    for (String name : aside == null ? new String[0] : aside) {
      if (name.startsWith(ErasurePlan.ASIDE)) {
        damage.add(ofErasing(Segments.DAMAGED + "/" + name, "; examine and delete the file"));
      }
    }
  }

  private static Damage ofErasing(String file, String whatNext) {
    return new Damage(
        file,
        0,
        0,
        0,
        "lists frames to erase, but "
            + ErasurePlan.DOES_NOT_FIT
            + "; erase the frames again if necessary"
            + whatNext);
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
          throw segments.gone(); // before a lock file is created in a deleted store
        }
        witness.keep();
        StoreLock lock = StoreLock.open(directory.resolve(FileStoreProvider.LOCK));
        StoreRepository.keep(directory, lock);
        KnownLog known = new KnownLog(this, clock);
        LogTail end = new LogTail(segments, indexes, known, lock, witness, clock);
        FrameEraser eraser = new FrameEraser(segments, snapshotFiles(), info.storeId(), clock, end);
        LogAppender appender =
            new LogAppender(segments, indexes, known, end, eraser, witness, clock);
        LogCompactor compactor = new LogCompactor(segments, indexes, end, eraser, witness);
        ready = new Writing(lock, appender, compactor, new GroupCommit<>(appender));
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
    DuplicateFinder duplicates = new DuplicateFinder(segments, this::index);
    return new LogReader(segments, filter, position, duplicates);
  }

  @Override
  protected BlockIndex index(int segment) {
    return indexes.forReading(segment, this::lockToKeepAnIndex);
  }

  private @Nullable StoreLock lockToKeepAnIndex() {
    try {
      return writing().lock();
    } catch (RalphException e) {
      return null; // the store is read-only
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
