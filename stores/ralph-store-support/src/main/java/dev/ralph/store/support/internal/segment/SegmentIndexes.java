package dev.ralph.store.support.internal.segment;

import dev.ralph.log.Frame;
import dev.ralph.log.RalphException;
import dev.ralph.store.support.BlockIndex;
import dev.ralph.store.support.StoreFiles;
import dev.ralph.store.support.StoreLock;
import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The topic indexes of all segments, in memory and in {@code derived/index}. The appender writes
 * them block by block. A reader builds a missing index for a long part of the log. The files may be
 * deleted at any time.
 */
public abstract class SegmentIndexes {

  private static final int BLOCK_BYTES = SegmentedLog.BLOCK_BYTES;

  /** The length of unindexed log, in bytes, from which a reader builds an index. */
  private static final long UNINDEXED_BYTES = 1024 * 1024;

  /** The most bytes indexed by an appender at a time, because other appenders wait meanwhile. */
  private static final long APPENDER_BYTES = 4 * UNINDEXED_BYTES;

  private static final int CHECKED_BYTES = 64;

  /** The largest index, in bytes. An index is never larger than its segment either. */
  private static final int LARGEST = 64 * 1024 * 1024;

  private final Path directory;
  private final SegmentedLog log;
  private final StoreFiles files;
  private final byte[] magic;
  private final ReentrantLock lock = new ReentrantLock();
  private final Map<Integer, Loaded> loaded = new HashMap<>();

  /**
   * The current block if this process wrote all of it; guarded by the store's lock. The next field
   * is the index that the block continues.
   */
  private BlockIndex.@Nullable Builder written;

  private BlockIndex writtenBehind = BlockIndex.empty(0);
  private int writtenIn;
  private long writtenTo;

  /** The offset in the current segment from which the appender examines its index again. */
  private long lookAgainAt;

  private int appendedTo;

  /** The known index of a segment, and the part of it in the file. */
  private record Loaded(BlockIndex index, Kept kept) {}

  /**
   * The number of blocks in a file and the file's length. If the length differs, another process
   * has written the file.
   */
  private record Kept(int blocks, long length) {}

  private static final Loaded UNKNOWN = new Loaded(BlockIndex.empty(0), new Kept(0, 0));

  /**
   * Creates the indexes of a log. Nothing is loaded, and the folder is created with the first
   * index.
   *
   * @param magic the beginning of each file, in ASCII
   */
  protected SegmentIndexes(SegmentedLog log, String magic) {
    this.log = log;
    this.files = log.files();
    this.directory = files.path("derived/index");
    this.magic = magic.getBytes(StandardCharsets.US_ASCII);
  }

  /** Returns a reader of all topics, whose frames need no content. */
  protected abstract SegmentReader reader();

  /**
   * Returns the index of a segment for a reader. Only a small part of the segment may follow the
   * end of the index.
   *
   * @param storeLock the lock under which a new index is saved, if the lock is free
   */
  public final BlockIndex forReading(int segment, StoreLockSupplier storeLock) {
    BlockIndex index = current(segment);
    long length = log.length(segment);
    if (length - index.end() < UNINDEXED_BYTES) {
      return index;
    }
    BlockIndex extended = extend(segment, index, segment < log.last());
    remember(segment, extended, kept(segment));
    StoreLock free = storeLock.ifAvailable();
    if (free != null && free.tryAcquire()) {
      try {
        keep(segment, extended);
      } finally {
        free.release();
      }
    }
    return extended;
  }

  /** Supplies the store's lock. */
  public interface StoreLockSupplier {
    /** Returns the lock, or null if the store is read-only. */
    @Nullable StoreLock ifAvailable();
  }

  /**
   * Adds a written batch to the current block. The index need not read the batch again. The caller
   * holds the store's lock.
   *
   * @param from the end of the preceding batch in the same segment, or 0
   * @param bytes the encoded batch, from start to end
   * @param length the number of valid bytes in the array
   */
  public final void wrote(PendingAppend append, long from, byte[] bytes, int length) {
    long position = append.outcome().position().value();
    int segment = SegmentPosition.segment(position);
    if (written == null || writtenIn != segment || writtenTo != from) {
      BlockIndex index = loaded(segment);
      written = index.end() == from ? new BlockIndex.Builder(index) : null;
      writtenBehind = index;
      writtenIn = segment;
    }
    writtenTo = SegmentPosition.offset(position);
    BlockIndex.Builder block = written;
    if (block == null) {
      return;
    }
    List<Frame> frames = append.outcome().frames();
    boolean imports = append.imports();
    for (int i = 0; i < frames.size(); i++) {
      if (imports || isRelevant(frames, i)) {
        block.frame(frames.get(i).topic(), frames.get(i).id(), from, writtenTo);
      }
    }
    if (writtenTo - writtenBehind.end() >= BLOCK_BYTES) {
      if (loaded(segment) != writtenBehind) {
        written = null; // a reader has built an index with different blocks
        return;
      }
      block.endBlock(writtenTo, check(bytes, length));
      writtenBehind = block.build();
      remember(segment, writtenBehind, kept(segment));
    }
  }

  /**
   * Returns true for the frames that an entry depends on. Generated ids in a batch ascend, and most
   * frames have the same topic.
   */
  private static boolean isRelevant(List<Frame> frames, int i) {
    return i == 0 || i == frames.size() - 1 || frames.get(i).topic() != frames.get(i - 1).topic();
  }

  /**
   * Adds the completed blocks to the index file. The caller holds the store's lock.
   *
   * @param position the end of the log
   */
  public final void appended(long position) {
    try {
      append(SegmentPosition.segment(position), SegmentPosition.offset(position));
    } catch (RalphException e) {
      System.getLogger(SegmentIndexes.class.getName())
          .log(System.Logger.Level.DEBUG, "cannot write an index; a reader will build it", e);
    }
  }

  private void append(int segment, long end) {
    if (segment != appendedTo) {
      appendedTo = segment;
      lookAgainAt = 0;
    }
    BlockIndex index = loaded(segment);
    if (index == writtenBehind && index.blocks() > kept(segment).blocks) {
      keep(segment, index);
    }
    long missing = end - index.end();
    if (missing < BLOCK_BYTES || end < lookAgainAt) {
      return;
    }
    index = withBlocksOfOthers(segment);
    missing = end - index.end();
    if (missing > APPENDER_BYTES) {
      lookAgainAt = end + APPENDER_BYTES; // a reader will build the index
    } else if (missing >= BLOCK_BYTES) {
      BlockIndex extended = extend(segment, index, true);
      remember(segment, extended, kept(segment));
      keep(segment, extended);
    }
  }

  private BlockIndex loaded(int segment) {
    lock.lock();
    try {
      return loaded.getOrDefault(segment, UNKNOWN).index;
    } finally {
      lock.unlock();
    }
  }

  private Kept kept(int segment) {
    lock.lock();
    try {
      return loaded.getOrDefault(segment, UNKNOWN).kept;
    } finally {
      lock.unlock();
    }
  }

  private void remember(int segment, BlockIndex index, Kept kept) {
    lock.lock();
    try {
      Loaded known = loaded.getOrDefault(segment, UNKNOWN);
      boolean newer = known.index.end() < index.end();
      boolean keptMore = known.kept.blocks < kept.blocks;
      loaded.put(segment, new Loaded(newer ? index : known.index, keptMore ? kept : known.kept));
    } finally {
      lock.unlock();
    }
  }

  /** Forgets all indexes, after the log was found to be different. */
  public final void forget() {
    lock.lock();
    try {
      loaded.clear();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Deletes the index of a segment whose frames were removed. The caller holds the store's lock.
   */
  public final void forget(int segment) throws IOException {
    lock.lock();
    try {
      loaded.remove(segment);
    } finally {
      lock.unlock();
    }
    files.deleteIfExists(file(segment).toPath());
  }

  /** Returns the longest known index, from memory or from its file. */
  private BlockIndex current(int segment) {
    BlockIndex known = loaded(segment);
    File file = file(segment);
    if (known.blocks() > 0 && log.length(segment) - known.end() < UNINDEXED_BYTES) {
      return known;
    }
    byte @Nullable [] bytes;
    try {
      int most = (int) Math.min(LARGEST, log.length(segment));
      bytes = file.exists() ? files.read(file.toPath(), most) : null;
    } catch (IOException e) {
      return known; // deleted or unreadable derived data
    }
    if (bytes == null || !startsWith(bytes, magic)) {
      return known;
    }
    BlockIndex stored = BlockIndex.decode(0, bytes, magic.length);
    if (stored.end() <= known.end() || !belongsToLog(segment, stored)) {
      return known;
    }
    int length = magic.length + stored.encodedLength();
    remember(segment, stored, new Kept(stored.blocks(), length));
    return stored;
  }

  /**
   * Returns the index with the blocks added to the file by appenders of other processes. Thus each
   * block is read by a single process. The caller holds the store's lock.
   */
  private BlockIndex withBlocksOfOthers(int segment) {
    BlockIndex known = loaded(segment);
    Kept kept = kept(segment);
    if (kept.blocks == 0 || kept.blocks != known.blocks()) {
      return current(segment);
    }
    byte[] last = known.encode(kept.blocks - 1);
    try (RandomAccessFile in = files.openToRead(file(segment))) {
      long more = Math.max(0, in.length() - kept.length + last.length);
      byte[] bytes = new byte[(int) Math.min(LARGEST, more)];
      in.seek(kept.length - last.length);
      in.readFully(bytes);
      if (bytes.length > last.length && startsWith(bytes, last)) {
        BlockIndex longer = known.plus(Arrays.copyOfRange(bytes, last.length, bytes.length));
        if (longer.blocks() > known.blocks() && belongsToLog(segment, longer)) {
          long length = kept.length + longer.encodedLength() - known.encodedLength();
          remember(segment, longer, new Kept(longer.blocks(), length));
          return longer;
        }
      }
    } catch (IOException gone) {
      return known; // derived data
    }
    return known;
  }

  private static boolean startsWith(byte[] bytes, byte[] begin) {
    return Arrays.equals(bytes, 0, Math.min(begin.length, bytes.length), begin, 0, begin.length);
  }

  /**
   * Returns false if the index does not match the log. After a power cut an index may be longer
   * than its log, which then continues differently.
   */
  private boolean belongsToLog(int segment, BlockIndex index) {
    int last = index.blocks() - 1;
    try (SegmentSource in = log.open(segment)) {
      return log.length(segment) >= index.end() && check(in, index.end()) == index.check(last);
    } catch (IOException e) {
      return false;
    }
  }

  private static int check(SegmentSource in, long end) throws IOException {
    byte[] bytes = new byte[(int) Math.min(CHECKED_BYTES, end)];
    in.readFully(end - bytes.length, bytes);
    return check(bytes, bytes.length);
  }

  private static int check(byte[] bytes, int end) {
    int length = Math.min(CHECKED_BYTES, end);
    CRC32C crc = new CRC32C();
    crc.update(bytes, end - length, length);
    return (int) crc.getValue();
  }

  /**
   * Returns the index with blocks for the rest of the segment.
   *
   * @param toTheEnd whether the last block may be smaller than {@link #BLOCK_BYTES}
   */
  private BlockIndex extend(int segment, BlockIndex index, boolean toTheEnd) {
    BlockIndex.Builder builder = new BlockIndex.Builder(index);
    try (SegmentReader reader = reader();
        SegmentSource in = log.open(segment)) {
      reader.jump(segment, index.end());
      long blockStart = index.end();
      long batchStart = blockStart;
      long settled = blockStart;
      int damages = 0;
      StoredFrame frame;
      while ((frame = reader.next()) != null) {
        boolean inNextBatch = SegmentPosition.offset(frame.position().value()) > settled;
        if (inNextBatch && settled - blockStart >= BLOCK_BYTES) {
          builder.endBlock(settled, check(in, settled));
          blockStart = settled;
        }
        batchStart = inNextBatch ? settled : batchStart;
        damages = noteDamage(builder, reader, damages);
        settled = SegmentPosition.offset(reader.position());
        builder.frame(frame.topic(), frame.id(), batchStart, settled);
      }
      long end = SegmentPosition.offset(reader.position());
      if (damages < reader.damage().size()) {
        noteDamage(builder, reader, damages);
        settled = end;
      } else if (toTheEnd) {
        settled = Math.max(settled, end); // after the last frame there may be removed frames
      }
      if (settled - blockStart >= BLOCK_BYTES || toTheEnd && settled > blockStart) {
        builder.endBlock(settled, check(in, settled));
      }
      return builder.build();
    } catch (IOException e) {
      return index; // the segment is missing
    }
  }

  private static int noteDamage(BlockIndex.Builder builder, SegmentReader reader, int known) {
    int found = reader.damage().size();
    if (found > known) {
      builder.damage();
    }
    return found;
  }

  /**
   * Writes the new entries to the file after the existing ones. Writes all entries if the file has
   * changed. The caller holds the store's lock.
   */
  private void keep(int segment, BlockIndex extended) {
    Kept kept = kept(segment);
    if (extended.blocks() <= kept.blocks) {
      return;
    }
    File file = file(segment);
    try {
      long length = magic.length;
      if (kept.blocks > 0 && file.length() == kept.length) {
        byte[] more = extended.encode(kept.blocks);
        try (RandomAccessFile out = files.openInPlace(file.toPath())) {
          out.seek(kept.length);
          out.write(more);
        }
        length = kept.length + more.length;
      } else {
        byte[] all = extended.encode(0);
        byte[] bytes = Arrays.copyOf(magic, magic.length + all.length);
        System.arraycopy(all, 0, bytes, magic.length, all.length);
        files.createDirectories(directory);
        files.writeAtomically(file.toPath(), bytes, false);
        length = bytes.length;
      }
      remember(segment, extended, new Kept(extended.blocks(), length));
    } catch (IOException | RalphException e) {
      System.getLogger(SegmentIndexes.class.getName())
          .log(System.Logger.Level.DEBUG, "the index of segment " + segment + " is not saved", e);
    }
  }

  private File file(int segment) {
    String name = log.file(segment).getName();
    return new File(directory.toFile(), name.substring(0, name.lastIndexOf('.')) + ".index");
  }
}
