package dev.ralph.store.chronicle;

import dev.ralph.RalphException;
import dev.ralph.store.support.PrivateFiles;
import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.zip.CRC32C;
import javax.annotation.Nullable;

/**
 * Up to where the log reaches, in a page of memory that all processes share: {@code end}. Appenders
 * write it, under the store's lock, once a batch stands in its roll file as a whole; whatever lies
 * before it is final. Readers go by it, so that a place in front of it that can't be read is known
 * to be damage, and looking for news costs no call of the system.
 *
 * <p>The page is not synced. After the machine went down it may be older or newer than the log, so
 * it counts only since the system was started; the log is looked through otherwise.
 */
final class LogEnd {

  private static final int BYTES = 64;
  private static final int MAGIC_AT = 0;
  private static final int END_AT = 8;
  private static final int FRAMES_AT = 16;
  private static final int BOOT_AT = 24;
  private static final int ABANDONED_AT = 32;
  private static final int FOLLOWED_AT = 40;
  private static final long MAGIC = 0x5243_454e_4430_3031L;
  private static final Path BOOT_ID = Path.of("/proc/sys/kernel/random/boot_id");
  private static final VarHandle LONG =
      MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

  private final ByteBuffer page;
  private final long boot;

  private LogEnd(ByteBuffer page, long boot) {
    this.page = page;
    this.boot = boot;
  }

  /** Opens the page, which is made if it is missing. */
  static LogEnd open(Path file) {
    PrivateFiles.createFile(file);
    boolean interrupted = Thread.interrupted();
    try {
      while (true) {
        try (RandomAccessFile raf = new RandomAccessFile(file.toFile(), "rw")) {
          if (raf.length() < BYTES) {
            raf.seek(raf.length());
            raf.write(new byte[(int) (BYTES - raf.length())]); // so that it has a place on the disk
          }
          return new LogEnd(raf.getChannel().map(FileChannel.MapMode.READ_WRITE, 0, BYTES), boot());
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

  private static long boot() {
    String id = bootId();
    if (id == null) {
      return 1; // then a page is believed that may be from before the machine went down
    }
    CRC32C crc = new CRC32C();
    crc.update(id.getBytes(StandardCharsets.US_ASCII));
    return crc.getValue() << 1 | 1;
  }

  @Nullable
  private static String bootId() {
    try (RandomAccessFile in = new RandomAccessFile(new File(BOOT_ID.toString()), "r")) {
      return in.readLine();
    } catch (IOException elsewhereThanLinux) {
      return null;
    }
  }

  private long get(int at) {
    return (long) LONG.getVolatile(page, at);
  }

  private void set(int at, long value) {
    LONG.setVolatile(page, at, value);
  }

  /** Returns whether what stands here was written since the system was started. */
  boolean isValid() {
    return get(MAGIC_AT) == MAGIC && get(BOOT_AT) == boot;
  }

  /** Returns the position up to which the log reaches; 0 for an empty log. */
  long position() {
    return get(END_AT);
  }

  /** Returns how many frames were appended so far. */
  long frames() {
    return get(FRAMES_AT);
  }

  /** Says that the log reaches to there. Under the store's lock. */
  void set(long position, long frames) {
    set(FRAMES_AT, frames);
    set(END_AT, position);
  }

  /** Makes the page valid, for a log that reaches to there. Under the store's lock. */
  void reset(long position, long frames) {
    set(position, frames);
    set(FOLLOWED_AT, 0);
    set(ABANDONED_AT, 0);
    set(BOOT_AT, boot);
    set(MAGIC_AT, MAGIC);
  }

  /** Returns the last roll file that must not grow any more, after its sync failed; or 0. */
  int abandoned() {
    return (int) get(ABANDONED_AT);
  }

  /** Says that no process may append to that roll file any more. Under the store's lock. */
  void abandon(int cycle) {
    set(ABANDONED_AT, Math.max(cycle, get(ABANDONED_AT)));
  }

  /** Returns whether somebody may wait for notices of appends, in whatever process. */
  boolean isFollowed() {
    return get(FOLLOWED_AT) > 0;
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
