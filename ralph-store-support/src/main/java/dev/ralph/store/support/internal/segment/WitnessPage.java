package dev.ralph.store.support.internal.segment;

import dev.ralph.store.support.StoreFiles;
import dev.ralph.store.support.internal.file.FileIdentity;
import dev.ralph.store.support.internal.file.SystemStart;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The page of memory behind {@link LogWitness}, which all processes share: up to where the log was
 * acknowledged, and a checksum of the bytes before that place.
 *
 * <p>The page is not synced, so it says who wrote it and when: what it holds counts only in this
 * very file, not in a copy of it, and since the system was started. After a power cut the log may
 * lack what need not survive one; only what was synced counts then.
 *
 * <p>It is read and written without a {@code VarHandle} for the page: making one would cost a short
 * command more than all the rest of this.
 *
 * <p>One that was being written when its writer was killed does not check out, and says nothing.
 */
final class WitnessPage {

  private static final int BYTES = 64;

  /** How often losses were recorded; grows only. */
  private static final int LOSSES_AT = 0;

  /** Up to where the log was synced, by whatever process; grows only, without the store's lock. */
  private static final int SYNCED_AT = 8;

  // one entry, written under the store's lock
  private static final int POSITION_AT = 16;
  private static final int CHECK_AT = 24;
  private static final int FILE_AT = 32;
  private static final int BOOT_AT = 40;
  private static final int CHECKSUM_AT = 48;

  private static final long FORMAT = 0x5257_4954_3031L;
  private static final int SPINS = 16;

  private final ByteBuffer page;
  private final boolean writable;
  private final long file;
  private final long boot;

  /**
   * Up to where the log was acknowledged.
   *
   * @param position the end of the last batch that counts; 0 if nothing is known
   * @param check the checksum of the bytes before it, or {@link #NO_CHECK}
   */
  record Entry(long position, long check) {}

  /** In place of a checksum, where only the place is known. */
  static final long NO_CHECK = -1;

  private static final Entry NOTHING = new Entry(0, NO_CHECK);

  private WitnessPage(ByteBuffer page, boolean writable, long file) {
    this.page = page;
    this.writable = writable;
    this.file = file;
    this.boot = SystemStart.number();
  }

  /**
   * Opens the page of an existing file.
   *
   * @param identity which file it is
   */
  static WitnessPage open(StoreFiles files, Path path, FileIdentity identity, boolean writable)
      throws IOException {
    boolean interrupted = Thread.interrupted(); // it would close the channel
    try {
      while (true) {
        try (RandomAccessFile raf =
            writable ? files.openInPlace(path) : files.openToRead(path.toFile())) {
          if (writable && raf.length() < BYTES) {
            raf.seek(raf.length());
            raf.write(new byte[(int) (BYTES - raf.length())]); // so that it has a place on the disk
          }
          FileChannel.MapMode mode =
              writable ? FileChannel.MapMode.READ_WRITE : FileChannel.MapMode.READ_ONLY;
          if (raf.length() < BYTES) {
            throw new IOException(path + " is too short");
          }
          return new WitnessPage(raf.getChannel().map(mode, 0, BYTES), writable, identity.number());
        } catch (ClosedByInterruptException e) {
          interrupted |= Thread.interrupted();
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private long get(int at) {
    return page.getLong(at);
  }

  /** Returns whether something can be noted here; where not, nothing is, without a failure. */
  boolean isWritable() {
    return writable;
  }

  /** Returns how often losses were recorded. */
  long losses() {
    return get(LOSSES_AT);
  }

  /** Returns what must be in the log. */
  Entry entry() {
    Entry whole = null;
    for (int spin = 0; spin < SPINS && whole == null; spin++) {
      if (spin > 0) {
        Thread.onSpinWait(); // it is being written
        VarHandle.fullFence();
      }
      whole = wholeEntry();
    }
    VarHandle.acquireFence(); // what is looked at in the log is looked at afterwards
    return whole == null ? NOTHING : whole;
  }

  private @Nullable Entry wholeEntry() {
    long position = get(POSITION_AT);
    long check = get(CHECK_AT);
    long in = get(FILE_AT);
    long since = get(BOOT_AT);
    if (get(CHECKSUM_AT) != checksum(position, check, in, since)) {
      return null;
    }
    if (in != file) {
      return NOTHING; // a copy; the log that it was copied with may be a little older
    }
    long synced = get(SYNCED_AT);
    if (boot != SystemStart.UNKNOWN && since == boot || position <= synced) {
      return new Entry(position, check);
    }
    return new Entry(synced, NO_CHECK);
  }

  /** Takes note that the log reaches to there. Under the store's lock. */
  void acknowledge(long position, long check) {
    if (!writable) {
      return;
    }
    VarHandle.releaseFence(); // the log may be memory, too, and comes first
    if (get(FILE_AT) != file) {
      page.putLong(SYNCED_AT, 0L);
    }
    page.putLong(POSITION_AT, position);
    page.putLong(CHECK_AT, check);
    page.putLong(FILE_AT, file);
    page.putLong(BOOT_AT, boot);
    page.putLong(CHECKSUM_AT, checksum(position, check, file, boot));
  }

  /** Takes note that the log is durable up to there. */
  void synced(long position) {
    if (!writable) {
      return;
    }
    if (get(SYNCED_AT) < position) {
      page.putLong(SYNCED_AT, position); // one that comes in between and is lost costs little
    }
  }

  /** Counts one more recorded loss, and forgets what was acknowledged. Under the store's lock. */
  void countLoss() {
    page.putLong(SYNCED_AT, 0L);
    acknowledge(0, NO_CHECK);
    page.putLong(LOSSES_AT, losses() + 1);
  }

  private static long checksum(long position, long check, long file, long boot) {
    return mixed(mixed(mixed(mixed(position ^ FORMAT) + check) + file) + boot);
  }

  /** Murmur's last step, which no two numbers have in common. */
  private static long mixed(long number) {
    long mixed = (number ^ number >>> 33) * 0xff51afd7ed558ccdL;
    mixed = (mixed ^ mixed >>> 33) * 0xc4ceb9fe1a85ec53L;
    return mixed ^ mixed >>> 33;
  }
}
