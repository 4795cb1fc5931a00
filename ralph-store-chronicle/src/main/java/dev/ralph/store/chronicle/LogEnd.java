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
 * Up to where the log reaches, in a page of memory that all processes share: {@code end}. Appenders
 * write it, under the store's lock, once a batch stands in its roll file as a whole; whatever lies
 * before it is final. Readers go by it, so that a place in front of it that can't be read is known
 * to be damage, and looking for news costs no call of the system.
 *
 * <p>It stands there twice, each with a checksum, and the older one is written each time: a reader
 * always finds a whole one, and one that was changed by anybody else is not believed.
 *
 * <p>The page is not synced. After the machine went down it may be older or newer than the log, so
 * it counts only since the system was started; the log is looked through otherwise.
 */
final class LogEnd {

  private static final int BYTES = 128;
  private static final int FOLLOWED_AT = 0;
  private static final int BOOT_AT = 24;

  /** Where the two stand: position, frames, abandoned roll file, checksum. */
  private static final int ONE_AT = 32;

  private static final int OTHER_AT = 64;
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

  /** Opens the page, which is made if it is missing. */
  static LogEnd open(Path file) {
    PrivateFiles.createFile(file);
    boolean interrupted = Thread.interrupted();
    try {
      while (true) {
        try (RandomAccessFile raf = PrivateFiles.openInPlace(file)) {
          if (raf.length() < BYTES) {
            raf.seek(raf.length());
            raf.write(new byte[(int) (BYTES - raf.length())]); // so that it has a place on the disk
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

  // ---- one of the two

  /** Returns the position that stands there, or -1 if what stands there does not check out. */
  private long positionAt(int at) {
    long position = get(at);
    boolean whole = get(at + CHECKSUM) == checksum(position, get(at + FRAMES), get(at + ABANDONED));
    return whole ? position : -1;
  }

  /** Tells any change to one of the three for certain, and to more of them as good as that. */
  private static long checksum(long position, long frames, long abandoned) {
    return mixed(mixed(mixed(position ^ FORMAT) + frames) + abandoned);
  }

  /** Murmur's last step, which no two numbers have in common. */
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
    return positionAt(ONE_AT) <= positionAt(OTHER_AT) ? ONE_AT : OTHER_AT;
  }

  private static int otherThan(int at) {
    return at == ONE_AT ? OTHER_AT : ONE_AT;
  }

  // ---- both

  /**
   * Returns whether both were written since the system was started, and by nobody else. One that is
   * being written right now is not taken for damage under the store's lock only.
   */
  boolean isSound() {
    return boot != SystemStart.UNKNOWN
        && get(BOOT_AT) == boot
        && positionAt(ONE_AT) >= 0
        && positionAt(OTHER_AT) >= 0;
  }

  /** Returns the position up to which the log reaches, or reached once; 0 for an empty log. */
  long position() {
    long highest = highest();
    if (highest < 0) {
      throw RalphException.damaged(
          path + " is not what was written; open the store again, and the log is looked through");
    }
    return highest;
  }

  /** Returns the position up to which the log is said to reach, be it long ago; -1 if it isn't. */
  long highest() {
    long one = -1;
    long other = -1;
    for (int spin = 0; spin < SPINS && (one < 0 || other < 0); spin++) {
      if (spin > 0) {
        Thread.onSpinWait(); // it is being written
      }
      one = positionAt(ONE_AT);
      other = positionAt(OTHER_AT);
    }
    return Math.max(one, other);
  }

  /** Returns how many frames were appended so far. */
  long frames() {
    return get(otherThan(older()) + FRAMES);
  }

  /** Says that the log reaches to there. Under the store's lock. */
  void set(long position, long frames) {
    int older = older();
    write(older, position, frames, get(otherThan(older) + ABANDONED));
  }

  /**
   * Makes the page valid, for a log that reaches to there. Under the store's lock.
   *
   * @param abandoned the last roll file that must not grow any more; or 0
   */
  void reset(long position, long frames, int abandoned) {
    int older = older();
    write(older, position, frames, abandoned);
    write(otherThan(older), position, frames, abandoned);
    if (get(BOOT_AT) != boot) {
      set(FOLLOWED_AT, 0);
      LONG.setVolatile(page, BOOT_AT, boot);
    }
  }

  /** Returns the last roll file that must not grow any more; or 0. */
  int abandoned() {
    long one = positionAt(ONE_AT) < 0 ? 0 : get(ONE_AT + ABANDONED);
    long other = positionAt(OTHER_AT) < 0 ? 0 : get(OTHER_AT + ABANDONED);
    return (int) Math.max(one, other);
  }

  /** Says that no process may append to that roll file any more. Under the store's lock. */
  void abandon(int cycle) {
    reset(position(), frames(), Math.max(cycle, abandoned()));
  }

  // ---- followers

  /** Returns whether somebody may wait for notices of appends, in whatever process. */
  boolean isFollowed() {
    return get(FOLLOWED_AT) != 0;
  }

  /** Counts those who wait for notices. One that is killed counts for ever; that costs little. */
  void follow(int more) {
    LONG.getAndAdd(page, FOLLOWED_AT, (long) more);
  }

  /** Returns the failure to report where the log is not as far as it should be. */
  static RalphException gone(Path directory) {
    return RalphException.notFound(
        "the store's log is gone from " + directory + "; restore it from a copy");
  }
}
