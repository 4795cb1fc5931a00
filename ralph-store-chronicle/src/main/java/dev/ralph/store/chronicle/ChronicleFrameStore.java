package dev.ralph.store.chronicle;

import dev.ralph.log.Appended;
import dev.ralph.log.Batch;
import dev.ralph.log.StoreInfo;
import dev.ralph.log.TopicFilter;
import dev.ralph.store.support.BlockIndex;
import dev.ralph.store.support.StoreLock;
import dev.ralph.store.support.internal.segment.GroupCommit;
import dev.ralph.store.support.internal.segment.LogWitness;
import dev.ralph.store.support.internal.segment.SegmentIndexes;
import dev.ralph.store.support.internal.segment.SegmentReader;
import dev.ralph.store.support.internal.segment.SegmentedFrameStore;
import java.nio.file.Path;
import java.time.Clock;
import java.util.EnumSet;

/**
 * A store in a folder with the entries {@code queue}, {@code content}, {@code derived}, {@code
 * wake}, {@code store.json}, {@code end} and {@code lock}.
 */
final class ChronicleFrameStore extends SegmentedFrameStore {

  private final RollFiles files;
  private final SegmentIndexes indexes;
  private final StoreInfo info;
  private final StoreLock lock;
  private final WakeFile wake;
  private final ChronicleAppender appender;
  private final GroupCommit<ChronicleAppender.Request> commits;

  ChronicleFrameStore(
      Path directory,
      RollFiles files,
      String storeId,
      StoreLock lock,
      LogWitness witness,
      WakeFile wake,
      Clock clock) {
    super(directory, files, wake.others(), witness, clock);
    this.files = files;
    this.lock = lock;
    this.wake = wake;
    this.indexes =
        new SegmentIndexes(files, "RCI2") {
          @Override
          protected SegmentReader reader() {
            return ChronicleFrameStore.this.reader(TopicFilter.all(), 0);
          }
        };
    this.appender = new ChronicleAppender(files, indexes, this, lock, witness, clock);
    this.commits = new GroupCommit<>(appender);
    this.info =
        new StoreInfo(
            storeId,
            ChronicleStoreProvider.NAME,
            ChronicleStoreProvider.NAME + ":" + directory,
            EnumSet.complementOf(
                EnumSet.of(StoreInfo.Capability.ERASES, StoreInfo.Capability.COMPACTS)),
            BatchExcerpt.MAX_CONTENT_BYTES,
            BatchExcerpt.MAX_BATCH_FRAMES);
    appender.recover();
  }

  @Override
  public StoreInfo info() {
    requireOpen();
    return info;
  }

  @Override
  protected Appended carryOut(Batch batch) {
    appender.prepare();
    Appended appended = commits.append(new ChronicleAppender.Request(batch, files.contents()));
    wake.poke();
    return appended;
  }

  @Override
  protected StoreLock lock() {
    return lock;
  }

  @Override
  protected SegmentReader reader(TopicFilter filter, long position) {
    return new ExcerptReader(files, filter, position);
  }

  @Override
  protected BlockIndex index(int segment) {
    return indexes.forReading(segment, () -> lock);
  }

  @Override
  protected void closeWriting() {
    commits.close();
    appender.close();
    wake.close();
    lock.close();
  }
}
