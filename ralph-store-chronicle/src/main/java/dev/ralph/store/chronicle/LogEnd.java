package dev.ralph.store.chronicle;

import dev.ralph.log.RalphException;
import dev.ralph.store.support.PrivateFiles;
import dev.ralph.store.support.internal.file.SystemStart;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;

/**
 * The end of the log, in the file {@code end} that all processes map into memory. An appender holds
 * the store's lock and updates the end after a batch is completely written. All bytes before the
 * end are final, so unreadable bytes before the end are damage. Readers check for new batches
 * without a system call.
 *
 * <p>The file contains two records with checksums. An update overwrites the older record, so
 * readers always find a valid record. Records with a wrong checksum are ignored.
 *
 * <p>The file is not synced, and may differ from the log after a crash of the system. The file is
 * valid only until the system restarts; then the store reads the log to find the end.
 */
final class LogEnd {

  private static final int BYTES = 128;
  private static final int FOLLOWED_AT = 0;
  private static final int BOOT_AT = 24;

  /** The offsets of the two records: position, frames, abandoned roll file, checksum. */
  private static final int FIRST_AT = 32;

  private static final int SECOND_AT = 64;
  private static final int FRAMES = 8;
  private static final int ABANDONED = 16;
  private static final int CHECKSUM = 24;
  private static final long FORMAT = 0x5243_454e_4430_3032L;
  private static final int SPINS = 16;
  private static final VarHandle LONG =
      MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

  private final Path path;
  private final ByteBuffer page;
  private final long boot;

  private LogEnd(Path path, ByteBuffer page, long boot) {
    this.path = path;
    this.page = page;
    this.boot = boot;
  }

  /** Opens the file; creates a missing file. */
  static LogEnd open(Path file) {
    PrivateFiles.createFile(file);
    boolean interrupted = Thread.interrupted();
    try {
      while (true) {
        try (RandomAccessFile raf = PrivateFiles.openInPlace(file)) {
          if (raf.length() < BYTES) {
            raf.seek(raf.length());
            raf.write(new byte[(int) (BYTES - raf.length())]); // allocates disk space
          }
          ByteBuffer page = raf.getChannel().map(FileChannel.MapMode.READ_WRITE, 0, BYTES);
          return new LogEnd(file, page, SystemStart.number());
        } catch (ClosedByInterruptException e) {
          interrupted |= Thread.interrupted();
        }
      }
    } catch (IOException e) {
      throw PrivateFiles.failure("cannot open " + file, e);
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private long get(int at) {
    return (long) LONG.getVolatile(page, at);
  }

  private void set(int at, long value) {
    LONG.setRelease(page, at, value);
  }

  // ---- record

  /** Returns the position of a record, or -1 if its checksum is wrong. */
  private long positionAt(int at) {
    long position = get(at);
    boolean whole = get(at + CHECKSUM) == checksum(position, get(at + FRAMES), get(at + ABANDONED));
    return whole ? position : -1;
  }

  /** Returns a checksum to detect each change of a single value, and almost all other changes. */
  private static long checksum(long position, long frames, long abandoned) {
    return mixed(mixed(mixed(position ^ FORMAT) + frames) + abandoned);
  }

  /** Applies the final step of MurmurHash3, which is a bijection. */
  private static long mixed(long number) {
    long mixed = (number ^ number >>> 33) * 0xff51afd7ed558ccdL;
    mixed = (mixed ^ mixed >>> 33) * 0xc4ceb9fe1a85ec53L;
    return mixed ^ mixed >>> 33;
  }

  private void write(int at, long position, long frames, long abandoned) {
    set(at, position);
    set(at + FRAMES, frames);
    set(at + ABANDONED, abandoned);
    LONG.setVolatile(page, at + CHECKSUM, checksum(position, frames, abandoned));
  }

  private int older() {
    return positionAt(FIRST_AT) <= positionAt(SECOND_AT) ? FIRST_AT : SECOND_AT;
  }

  private static int otherRecord(int at) {
    return at == FIRST_AT ? SECOND_AT : FIRST_AT;
  }

  // ---- both records

  /**
   * Returns whether both records are intact and were written since the system started. Without the
   * store's lock the result may be false while a record is being written.
   */
  boolean isValid() {
    return boot != SystemStart.UNKNOWN
        && get(BOOT_AT) == boot
        && positionAt(FIRST_AT) >= 0
        && positionAt(SECOND_AT) >= 0;
  }

  /**
   * Returns the position at which the log ends; 0 for an empty log.
   *
   * @throws RalphException DAMAGED if neither record is intact
   */
  long position() {
    long highest = highest();
    if (highest < 0) {
      throw RalphException.damaged(
          path + " is damaged; open the store again to find the end of the log");
    }
    return highest;
  }

  /** Returns the highest position of the records, which may be outdated; -1 if none is intact. */
  long highest() {
    long one = -1;
    long other = -1;
    for (int spin = 0; spin < SPINS && (one < 0 || other < 0); spin++) {
      if (spin > 0) {
        Thread.onSpinWait(); // a record is being written
      }
      one = positionAt(FIRST_AT);
      other = positionAt(SECOND_AT);
    }
    return Math.max(one, other);
  }

  /** Returns the number of frames in the log. */
  long frames() {
    return get(otherRecord(older()) + FRAMES);
  }

  /** Sets the end of the log. Requires the store's lock. */
  void set(long position, long frames) {
    int older = older();
    write(older, position, frames, get(otherRecord(older) + ABANDONED));
  }

  /**
   * Writes both records for the current start of the system. Requires the store's lock.
   *
   * @param abandoned the last roll file to which no process may append; 0 for none
   */
  void reset(long position, long frames, int abandoned) {
    int older = older();
    write(older, position, frames, abandoned);
    write(otherRecord(older), position, frames, abandoned);
    if (get(BOOT_AT) != boot) {
      set(FOLLOWED_AT, 0);
      LONG.setVolatile(page, BOOT_AT, boot);
    }
  }

  /** Returns the last roll file to which no process may append; 0 for none. */
  int abandoned() {
    long one = positionAt(FIRST_AT) < 0 ? 0 : get(FIRST_AT + ABANDONED);
    long other = positionAt(SECOND_AT) < 0 ? 0 : get(SECOND_AT + ABANDONED);
    return (int) Math.max(one, other);
  }

  /** Forbids appends to a roll file for all processes. Requires the store's lock. */
  void abandon(int cycle) {
    reset(position(), frames(), Math.max(cycle, abandoned()));
  }

  // ---- followers

  /** Returns whether a process may wait for notifications of appends. */
  boolean isFollowed() {
    return get(FOLLOWED_AT) != 0;
  }

  /**
   * Changes the number of processes that wait for notifications. A killed process stays in the
   * count until the system restarts, which costs little.
   *
   * @param more 1 or -1
   */
  void follow(int more) {
    LONG.getAndAdd(page, FOLLOWED_AT, (long) more);
  }

  /** Returns the failure for a log without its roll file. */
  static RalphException gone(Path directory) {
    return RalphException.notFound(
        "the store's log is missing in " + directory + "; restore the log from a backup");
  }
}
