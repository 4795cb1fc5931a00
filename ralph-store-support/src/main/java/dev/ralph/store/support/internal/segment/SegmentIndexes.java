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
 * The indexes of topics, one for each segment, in memory and in {@code derived/index}. The appender
 * writes them block by block. Where they are missing, a reader that would gain by one makes it;
 * they can vanish at any time.
 */
public abstract class SegmentIndexes {

  private static final int BLOCK_BYTES = SegmentedLog.BLOCK_BYTES;

  /** How much log may lack an index before a reader makes one. */
  private static final long UNINDEXED_BYTES = 1024 * 1024;

  /** How much an appender adds to an index at a time; it has others waiting behind it. */
  private static final long APPENDER_BYTES = 4 * UNINDEXED_BYTES;

  private static final int CHECKED_BYTES = 64;

  /** No index is larger; nor is it larger than its segment. */
  private static final int LARGEST = 64 * 1024 * 1024;

  private final Path directory;
  private final SegmentedLog log;
  private final StoreFiles files;
  private final byte[] magic;
  private final ReentrantLock lock = new ReentrantLock();
  private final Map<Integer, Loaded> loaded = new HashMap<>();

  /**
   * The block under way, if all of it was written here, and the index that it continues; guarded by
   * the store's lock.
   */
  private BlockIndex.@Nullable Builder written;

  private BlockIndex writtenBehind = BlockIndex.empty(0);
  private int writtenIn;
  private long writtenTo;

  /** Up to where in the present segment the appender does not look at its index. */
  private long lookAgainAt;

  private int appendedTo;

  /** What is known of a segment's index, and how much of it stands in its file. */
  private record Loaded(BlockIndex index, Kept kept) {}

  /** So many blocks stand in a file of so many bytes; a file of another size is somebody else's. */
  private record Kept(int blocks, long length) {}

  private static final Loaded UNKNOWN = new Loaded(BlockIndex.empty(0), new Kept(0, 0));

  /**
   * Makes the indexes of a log. Nothing of them is loaded yet; their folder is made when first
   * needed.
   *
   * @param magic what every file begins with, in ASCII
   */
  protected SegmentIndexes(SegmentedLog log, String magic) {
    this.log = log;
    this.files = log.files();
    this.directory = files.path("derived/index");
    this.magic = magic.getBytes(StandardCharsets.US_ASCII);
  }

  /** Returns a reader of all topics, which can't return content. */
  protected abstract SegmentReader reader();

  /**
   * Returns the index of a segment for a reader, with at most a little of the segment behind its
   * end.
   *
   * @param storeLock taken, if it is free, to keep what had to be made
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

  /** Gives the store's lock, or null where the store can't be written to. */
  public interface StoreLockSupplier {
    /** Returns the lock, or null. */
    @Nullable StoreLock ifAvailable();
  }

  /**
   * Takes in a batch that the appender has written, so that it need not be read again for the
   * index. Under the store's lock.
   *
   * @param from where the batch before it ends, in the same segment; 0 if there is none
   * @param bytes the batch as it stands in the log, up to its end
   * @param length how many of them there are
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
      if (imports || tellsMore(frames, i)) {
        block.frame(frames.get(i).topic(), frames.get(i).id(), from, writtenTo);
      }
    }
    if (writtenTo - writtenBehind.end() >= BLOCK_BYTES) {
      if (loaded(segment) != writtenBehind) {
        written = null; // a reader has made an index meanwhile, with blocks of its own
        return;
      }
      block.endBlock(writtenTo, check(bytes, length));
      writtenBehind = block.build();
      remember(segment, writtenBehind, kept(segment));
    }
  }

  /** Of a batch whose ids are all minted for it, they increase, and most are of one topic. */
  private static boolean tellsMore(List<Frame> frames, int i) {
    return i == 0 || i == frames.size() - 1 || frames.get(i).topic() != frames.get(i - 1).topic();
  }

  /**
   * Adds what the appender has completed. Under the store's lock.
   *
   * @param position where the log ends
   */
  public final void appended(long position) {
    try {
      append(SegmentPosition.segment(position), SegmentPosition.offset(position));
    } catch (RalphException e) {
      System.getLogger(SegmentIndexes.class.getName())
          .log(System.Logger.Level.DEBUG, "the index is left to a reader", e);
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
      lookAgainAt = end + APPENDER_BYTES; // left to a reader
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

  /** Forgets everything, after the log turned out not to be what it was. */
  public final void forget() {
    lock.lock();
    try {
      loaded.clear();
    } finally {
      lock.unlock();
    }
  }

  /** Returns the index as far as it is known here or in its file. */
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
      return known; // it vanished, or may not be read: derived data
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
   * Returns the index with what the appenders of other processes have added to its file, so that
   * each block is read by one of them only. Under the store's lock.
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

  /** An index can outlive the end of its log in a power cut; the log then goes on differently. */
  private boolean belongsToLog(int segment, BlockIndex index) {
    int last = index.blocks() - 1;
    try (RandomAccessFile in = files.openToRead(log.file(segment))) {
      return log.length(segment) >= index.end() && check(in, index.end()) == index.check(last);
    } catch (IOException e) {
      return false;
    }
  }

  private static int check(RandomAccessFile in, long end) throws IOException {
    byte[] bytes = new byte[(int) Math.min(CHECKED_BYTES, end)];
    in.seek(end - bytes.length);
    in.readFully(bytes);
    return check(bytes, bytes.length);
  }

  private static int check(byte[] bytes, int end) {
    int length = Math.min(CHECKED_BYTES, end);
    CRC32C crc = new CRC32C();
    crc.update(bytes, end - length, length);
    return (int) crc.getValue();
  }

  /**
   * Returns the index with blocks for what lies behind it.
   *
   * @param toTheEnd whether the last block may be small
   */
  private BlockIndex extend(int segment, BlockIndex index, boolean toTheEnd) {
    BlockIndex.Builder builder = new BlockIndex.Builder(index);
    try (SegmentReader reader = reader();
        RandomAccessFile in = files.openToRead(log.file(segment))) {
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
      }
      if (settled - blockStart >= BLOCK_BYTES || toTheEnd && settled > blockStart) {
        builder.endBlock(settled, check(in, settled));
      }
      return builder.build();
    } catch (IOException e) {
      return index; // the segment is missing: there is nothing to pass over
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
   * Writes the new entries behind those in the file, or all of them again if the file is not the
   * one that they continue. Under the store's lock.
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
          .log(System.Logger.Level.DEBUG, "the index of segment " + segment + " is not kept", e);
    }
  }

  private File file(int segment) {
    String name = log.file(segment).getName();
    return new File(directory.toFile(), name.substring(0, name.lastIndexOf('.')) + ".index");
  }
}
