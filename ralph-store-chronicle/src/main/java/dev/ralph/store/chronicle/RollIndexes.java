package dev.ralph.store.chronicle;

import dev.ralph.Frame;
import dev.ralph.TopicFilter;
import dev.ralph.spi.ContentStore;
import dev.ralph.store.support.BlockIndex;
import dev.ralph.store.support.BlockIndexFile;
import dev.ralph.store.support.SegmentPosition;
import dev.ralph.store.support.SegmentedLog;
import dev.ralph.store.support.StoreLock;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.zip.CRC32C;
import javax.annotation.Nullable;

/**
 * The indexes of topics, one for each roll file, in memory and in {@code derived/index}. The
 * appender adds what it writes; what is missing is made by whoever would gain by it.
 */
final class RollIndexes {

  /** How much log may lack an index before a reader makes one. */
  private static final long UNINDEXED_BYTES = 1024 * 1024;

  private static final byte[] MAGIC = "RCI1".getBytes(StandardCharsets.US_ASCII);
  private static final int CHECKED_BYTES = 64;

  private final Path directory;
  private final RollFiles files;
  private final ContentStore contents;
  private final ReentrantLock lock = new ReentrantLock();
  private final Map<Integer, BlockIndex> loaded = new HashMap<>();

  /** Under the store's lock. */
  private final Map<Integer, BlockIndexFile> kept = new HashMap<>();

  @Nullable private BlockIndex.Builder written;

  private BlockIndex writtenBehind = BlockIndex.empty(0);
  private int writtenIn;
  private long writtenTo;

  RollIndexes(Path directory, RollFiles files, ContentStore contents) {
    this.directory = directory;
    this.files = files;
    this.contents = contents;
  }

  /** Returns the index of a roll file for a reader, with at most a little behind its end. */
  BlockIndex forReading(int segment, @Nullable StoreLock storeLock) {
    BlockIndex index = known(segment);
    long length = files.length(segment);
    if (length - index.end() < UNINDEXED_BYTES) {
      return index;
    }
    BlockIndex stored = file(segment).load();
    if (stored.end() > index.end() && belongsToLog(segment, stored, length)) {
      index = stored;
    }
    if (length - index.end() >= UNINDEXED_BYTES) {
      index = extend(segment, index);
    }
    remember(segment, index);
    if (storeLock != null && storeLock.tryAcquire()) {
      try {
        keep(segment, index);
      } finally {
        storeLock.release();
      }
    }
    return index;
  }

  /**
   * Takes in a batch that the appender has written, so that it need not be read again for the
   * index. Under the store's lock.
   */
  void wrote(int segment, long from, long to, List<Frame> frames) {
    if (written == null || writtenIn != segment || writtenTo != from) {
      BlockIndex index = known(segment);
      written = index.end() == from ? new BlockIndex.Builder(index) : null;
      writtenBehind = index;
      writtenIn = segment;
    }
    writtenTo = to;
    BlockIndex.Builder block = written;
    if (block == null) {
      return;
    }
    for (Frame frame : frames) {
      block.frame(frame.topic(), frame.id(), from, to);
    }
    if (to - writtenBehind.end() >= SegmentedLog.BLOCK_BYTES) {
      if (known(segment) != writtenBehind || !endBlock(segment, block, to)) {
        written = null; // a reader has made an index meanwhile, with blocks of its own
        return;
      }
      writtenBehind = block.build();
      remember(segment, writtenBehind);
      keep(segment, writtenBehind);
    }
  }

  private boolean endBlock(int segment, BlockIndex.Builder block, long end) {
    try (RandomAccessFile in = new RandomAccessFile(files.file(segment), "r")) {
      block.endBlock(end, check(in, end));
      return true;
    } catch (IOException e) {
      return false; // then a reader makes it
    }
  }

  private BlockIndex known(int segment) {
    lock.lock();
    try {
      return loaded.getOrDefault(segment, BlockIndex.empty(0));
    } finally {
      lock.unlock();
    }
  }

  private void remember(int segment, BlockIndex index) {
    lock.lock();
    try {
      if (known(segment).end() < index.end()) {
        loaded.put(segment, index);
      }
    } finally {
      lock.unlock();
    }
  }

  private void keep(int segment, BlockIndex index) {
    kept.computeIfAbsent(segment, this::file).keep(index);
  }

  private BlockIndexFile file(int segment) {
    String name = RollFiles.name(segment).replace(".cq4", ".index");
    return new BlockIndexFile(directory, name, MAGIC);
  }

  /** An index can outlive the end of its log in a power cut; the log then goes on differently. */
  private boolean belongsToLog(int segment, BlockIndex index, long length) {
    try (RandomAccessFile in = new RandomAccessFile(files.file(segment), "r")) {
      return length >= index.end() && check(in, index.end()) == index.check(index.blocks() - 1);
    } catch (IOException e) {
      return false;
    }
  }

  private static int check(RandomAccessFile in, long end) throws IOException {
    byte[] bytes = new byte[(int) Math.min(CHECKED_BYTES, end)];
    in.seek(end - bytes.length);
    in.readFully(bytes);
    CRC32C crc = new CRC32C();
    crc.update(bytes, 0, bytes.length);
    return (int) crc.getValue();
  }

  private BlockIndex extend(int segment, BlockIndex index) {
    BlockIndex.Builder builder = new BlockIndex.Builder(index);
    try (ExcerptReader reader = new ExcerptReader(files, contents, TopicFilter.all(), 0);
        RandomAccessFile in = new RandomAccessFile(files.file(segment), "r")) {
      reader.jump(segment, index.end());
      long blockStart = index.end();
      long batchStart = blockStart;
      int damages = 0;
      boolean more = true;
      while (more) {
        boolean inNextBatch = !reader.hasReady();
        long before = SegmentPosition.offset(reader.position());
        ChronicleFrame frame = reader.next();
        more = frame != null;
        if (reader.damage().size() > damages) {
          damages = reader.damage().size();
          builder.damage();
        }
        long end = SegmentPosition.offset(reader.position());
        batchStart = inNextBatch ? before : batchStart;
        if (frame != null) {
          builder.frame(frame.topic(), frame.id(), batchStart, end);
        }
        boolean isEnough = end - blockStart >= SegmentedLog.BLOCK_BYTES;
        if (!reader.hasReady() && end > blockStart && (isEnough || !more)) {
          builder.endBlock(end, check(in, end));
          blockStart = end;
        }
      }
    } catch (IOException e) {
      return index; // the roll file is missing: there is nothing to pass over
    }
    return builder.build();
  }
}
