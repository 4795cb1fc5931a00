package dev.ralph.store.chronicle;

import dev.ralph.log.RalphException;
import dev.ralph.store.support.PrivateFiles;
import dev.ralph.store.support.internal.segment.SegmentFile;
import java.io.IOException;
import java.util.Arrays;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The roll file that receives appends. Opens, allocates and syncs the file besides Chronicle, which
 * guarantees neither disk space nor durability. All methods require the store's lock.
 */
final class OpenRollFile {

  /** The number of bytes to allocate on the disk at a time. */
  private static final int ALLOCATED_BYTES = 256 * 1024;

  /** The size of tables that Chronicle may write besides an excerpt. A table has 32 KiB. */
  private static final int OWN_TABLES_BYTES = 128 * 1024;

  /** The maximum size of the rest that a killed writer leaves. */
  private static final int MAX_UNFINISHED_BYTES = BatchExcerpt.MAX_BYTES + OWN_TABLES_BYTES;

  private static final int HEADER_BYTES = 4;

  private static final byte[] ZEROS = new byte[ALLOCATED_BYTES];

  /** The state of the bytes at the place of the next excerpt. */
  enum Place {
    /** The place is free. */
    FREE,
    /** The place contains an intact excerpt that is not part of the log yet. */
    TAKEN,
    /** The place contains damage, which must not be overwritten. */
    DAMAGED
  }

  private final RollFiles files;
  private final IntSupplier lastCycle;

  private @Nullable SegmentFile file;
  private int openCycle;

  /** The newest roll file whose failed sync was reported. */
  private int unsyncedCycle;

  private long allocated;
  private long endOfBytes;

  /**
   * Creates an object without an open file.
   *
   * @param lastCycle returns the cycle of the last roll file of the log
   */
  OpenRollFile(RollFiles files, IntSupplier lastCycle) {
    this.files = files;
    this.lastCycle = lastCycle;
  }

  /** Returns whether the roll file of a cycle is open. */
  boolean isOf(int cycle) {
    return cycle == openCycle;
  }

  /** Opens the roll file of a cycle; syncs and closes another open file before. */
  SegmentFile of(int cycle) {
    SegmentFile open = file;
    if (open != null && cycle == openCycle) {
      return open;
    }
    syncAndClose();
    open = openFile(cycle);
    try {
      // The file's creator may have been killed before a sync of the folder.
      PrivateFiles.syncDirectory(files.directory());
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
   * Syncs and closes the open roll file, to make the file durable before appends to the next file.
   *
   * @throws RalphException IO if the sync fails; the next append then uses a new roll file
   */
  void syncAndClose() {
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
    boolean wasReported = open.hasFailed();
    try {
      open.sync();
    } catch (IOException e) {
      unsyncedCycle = cycle;
      files.end().abandon(cycle);
      if (!wasReported) {
        throw RalphException.io(
            "cannot sync "
                + files.file(cycle)
                + ": "
                + e.getMessage()
                + "; its content may not survive a power cut. The batch was not appended; try again to"
                + " append to a new roll file",
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

  /** Forgets the allocated space, because another process may have begun to use the space. */
  void forgetAllocated() {
    allocated = 0;
  }

  /**
   * Allocates disk space for an excerpt. Chronicle writes to mapped memory, and fails within an
   * excerpt if the disk is full. Writes zeros, but only over zeros.
   *
   * @param begun true if a process has begun an append and not finished it
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
          Place place = clearRest(out, cycle, from, begun);
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
   * Classifies the bytes after the end of the log. An intact excerpt is to be adopted. The rest of
   * an append that a process has begun and not finished is overwritten with zeros. All other bytes
   * are damage: they stay, and the log continues in another roll file.
   */
  private Place clearRest(SegmentFile out, int cycle, long from, boolean begun) throws IOException {
    try (ExcerptReader reader = ExcerptReader.ignoringLogEnd(files, cycle, from)) {
      if (reader.next() != null) {
        return Place.TAKEN;
      }
      endOfBytes = reader.endOfBytes();
    }
    long at = tablesEnd(out, from, Long.MAX_VALUE - 3);
    if (begun && endOfBytes <= at + MAX_UNFINISHED_BYTES) {
      for (; at < endOfBytes; at += ZEROS.length) {
        if (!isZero(out, at)) {
          out.write(at, ZEROS, ZEROS.length);
        }
      }
      return Place.FREE;
    }
    return Place.DAMAGED;
  }

  /** Returns the end of the damage at the place of the next excerpt. */
  long damageEnd() {
    return endOfBytes;
  }

  /** Returns whether only Chronicle's own tables are between the log's end and a header. */
  boolean followsLog(int cycle, long from, long header) {
    if (from > 0 && header == (from + 3 & ~3L)) {
      return true;
    }
    return tablesEnd(of(cycle), from, header) == header;
  }

  /**
   * Writes an excerpt after the log in Chronicle's format. The header is written last, because it
   * marks the excerpt as complete.
   *
   * @return the offset of the header, or -1 if the place is not free
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

  /** Returns the end of Chronicle's own tables that start at an offset. */
  private static long tablesEnd(SegmentFile in, long from, long limit) {
    long at = from + 3 & ~3L;
    try {
      while (at < limit) {
        int header = headerAt(in, at);
        if (!ExcerptReader.isMetaData(header)) {
          return at;
        }
        at = ExcerptReader.nextHeader(at, header);
      }
      return at;
    } catch (IOException e) {
      return at;
    }
  }

  private static int headerAt(SegmentFile in, long offset) throws IOException {
    return Integer.reverseBytes(BatchExcerpt.intAt(in.read(offset, HEADER_BYTES), 0));
  }

  /** Returns whether the next {@link #ALLOCATED_BYTES} bytes are zeros or past the file's end. */
  private static boolean isZero(SegmentFile in, long from) throws IOException {
    int length = (int) Math.min(ZEROS.length, in.length() - from);
    return length <= 0 || Arrays.equals(in.read(from, length), 0, length, ZEROS, 0, length);
  }

  /** Forbids further appends to the open roll file if its sync has failed. */
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
