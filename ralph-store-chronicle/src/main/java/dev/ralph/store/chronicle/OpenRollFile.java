package dev.ralph.store.chronicle;

import dev.ralph.log.RalphException;
import dev.ralph.store.support.PrivateFiles;
import dev.ralph.store.support.internal.segment.SegmentFile;
import java.io.IOException;
import java.util.Arrays;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The roll file that is appended to: opened and synced here beside Chronicle, which does neither as
 * a store needs it, and given its place on the disk. Everything happens under the store's lock.
 */
final class OpenRollFile {

  /** How much of a roll file is given its place on the disk at a time. */
  private static final int ALLOCATED_BYTES = 256 * 1024;

  /** What Chronicle may write besides an excerpt: tables of its own, of 32 KiB each. */
  private static final int OWN_TABLES_BYTES = 128 * 1024;

  /** How much a killed writer leaves at most. */
  private static final int MOST_UNFINISHED_BYTES = BatchExcerpt.MAX_BYTES + OWN_TABLES_BYTES;

  private static final int HEADER_BYTES = 4;

  private static final byte[] ZEROS = new byte[ALLOCATED_BYTES];

  /** What there is where an excerpt is to stand. */
  enum Place {
    /** Room. */
    FREE,
    /** An intact excerpt that the log does not have yet. */
    TAKEN,
    /** What can neither be read nor overwritten. */
    DAMAGED
  }

  private final RollFiles files;
  private final IntSupplier lastCycle;

  private @Nullable SegmentFile file;
  private int openCycle;

  /** The newest roll file that could not be synced, which was told. */
  private int unsyncedCycle;

  private long allocated;
  private long endOfBytes;

  /**
   * Makes it; nothing is opened yet.
   *
   * @param lastCycle tells the one that the log ends in
   */
  OpenRollFile(RollFiles files, IntSupplier lastCycle) {
    this.files = files;
    this.lastCycle = lastCycle;
  }

  /** Returns whether it is the one of that cycle. */
  boolean isOf(int cycle) {
    return cycle == openCycle;
  }

  /** Returns the one of that cycle; another one is left for it. */
  SegmentFile of(int cycle) {
    SegmentFile open = file;
    if (open != null && cycle == openCycle) {
      return open;
    }
    leave();
    open = openFile(cycle);
    try {
      PrivateFiles.syncDirectory(files.directory()); // its maker may not have got to this
    } catch (IOException e) {
      open.close();
      throw PrivateFiles.failure("cannot sync " + files.directory(), e);
    }
    file = open;
    openCycle = cycle;
    allocated = 0;
    return open;
  }

  /**
   * Closes the roll file that is open. What stands in one is durable before anything in the next;
   * where that can't be had, the append at hand fails, and the next one goes on elsewhere.
   */
  void leave() {
    int cycle = file == null ? lastCycle.getAsInt() : openCycle;
    SegmentFile open = file;
    file = null;
    openCycle = 0;
    if (open == null && cycle > 0 && cycle != unsyncedCycle && files.exists(cycle)) {
      open = openFile(cycle);
    }
    if (open == null) {
      return;
    }
    boolean wasTold = open.hasFailed();
    try {
      open.sync();
    } catch (IOException e) {
      unsyncedCycle = cycle;
      files.end().abandon(cycle);
      if (!wasTold) {
        throw RalphException.io(
            "cannot sync "
                + files.file(cycle)
                + ": "
                + e.getMessage()
                + "; what it holds may not survive a power cut. Nothing was appended; try again,"
                + " and the log goes on in a new roll file",
            e);
      }
    } finally {
      open.close();
    }
  }

  private SegmentFile openFile(int cycle) {
    try {
      return new SegmentFile(files.files(), files.file(cycle));
    } catch (IOException e) {
      throw PrivateFiles.failure("cannot open " + files.file(cycle), e);
    }
  }

  /** Forgets which room it has: somebody may have begun to write there. */
  void forgetRoom() {
    allocated = 0;
  }

  /**
   * Gives the excerpt its place on the disk: Chronicle writes to memory, and a page for which there
   * is no room would end in an error in the middle of it. Zeros are written for that, and only
   * where there are zeros.
   *
   * @param begun whether somebody began an append there and did not end it
   */
  Place allocate(int cycle, long from, int length, boolean begun) {
    SegmentFile out = of(cycle);
    long need = (from + 3 & ~3L) + length + OWN_TABLES_BYTES;
    if (allocated >= need) {
      return Place.FREE;
    }
    long at = Math.max(allocated, tablesEnd(out, from, Long.MAX_VALUE - 3));
    try {
      while (at < need) {
        if (!isZero(out, at)) {
          Place place = makeWay(out, cycle, from, begun);
          if (place != Place.FREE) {
            return place;
          }
        }
        out.write(at, ZEROS, ZEROS.length);
        at += ZEROS.length;
      }
      allocated = at;
      return Place.FREE;
    } catch (IOException e) {
      throw PrivateFiles.failure("cannot append to " + files.directory(), e);
    }
  }

  /**
   * Decides about what stands behind the end of the log, which nobody was told about since the
   * system was started. An intact excerpt is adopted. Anything else makes way where somebody began
   * an append and did not end it, as one who was killed; Chronicle itself leaves no sign of that.
   * Else it is damage and stays, and the log goes on elsewhere.
   */
  private Place makeWay(SegmentFile out, int cycle, long from, boolean begun) throws IOException {
    try (ExcerptReader reader = ExcerptReader.beyondTheEnd(files, cycle, from)) {
      if (reader.next() != null) {
        return Place.TAKEN;
      }
      endOfBytes = reader.endOfBytes();
    }
    long at = tablesEnd(out, from, Long.MAX_VALUE - 3);
    if (begun && endOfBytes <= at + MOST_UNFINISHED_BYTES) {
      for (; at < endOfBytes; at += ZEROS.length) {
        if (!isZero(out, at)) {
          out.write(at, ZEROS, ZEROS.length);
        }
      }
      return Place.FREE;
    }
    return Place.DAMAGED;
  }

  /** Returns where the damage ends that is in the way. */
  long damageEnd() {
    return endOfBytes;
  }

  /** Returns whether nothing but Chronicle's own tables stand between the two. */
  boolean isBehind(int cycle, long from, long header) {
    if (from > 0 && header == (from + 3 & ~3L)) {
      return true;
    }
    return tablesEnd(of(cycle), from, header) == header;
  }

  /**
   * Writes an excerpt behind the log by Chronicle's form, and in its order: the header last,
   * because it says that all the rest is there.
   *
   * @return where the header stands, or -1 if something stands there already
   */
  long append(int cycle, long from, byte[] excerpt, int length) throws IOException {
    SegmentFile out = of(cycle);
    long at = tablesEnd(out, from, Long.MAX_VALUE - 3);
    if (headerAt(out, at) != 0) {
      return -1;
    }
    byte[] header = new byte[HEADER_BYTES];
    for (int i = 0; i < header.length; i++) {
      header[i] = (byte) (length >>> Byte.SIZE * i);
    }
    out.write(at + HEADER_BYTES, excerpt, length);
    out.write(at, header, HEADER_BYTES);
    return at;
  }

  /** Returns where Chronicle's own tables end that stand there. */
  private static long tablesEnd(SegmentFile in, long from, long limit) {
    long at = from + 3 & ~3L;
    try {
      while (at < limit) {
        int header = headerAt(in, at);
        if (!ExcerptReader.isMetaData(header)) {
          return at;
        }
        at = ExcerptReader.behind(at, header);
      }
      return at;
    } catch (IOException e) {
      return at;
    }
  }

  private static int headerAt(SegmentFile in, long offset) throws IOException {
    return Integer.reverseBytes(BatchExcerpt.intAt(in.read(offset, HEADER_BYTES), 0));
  }

  /** Returns whether nothing stands in as many bytes as are allocated at a time. */
  private static boolean isZero(SegmentFile in, long from) throws IOException {
    int length = (int) Math.min(ZEROS.length, in.length() - from);
    return length <= 0 || Arrays.equals(in.read(from, length), 0, length, ZEROS, 0, length);
  }

  /** Sees to it that nobody goes on in a roll file that could not be synced. */
  void abandonIfUnsynced() {
    SegmentFile open = file;
    if (open != null && open.hasFailed() && files.end().abandoned() < openCycle) {
      files.end().abandon(openCycle);
    }
  }

  void close() {
    SegmentFile open = file;
    file = null;
    openCycle = 0;
    if (open != null) {
      open.close();
    }
  }
}
