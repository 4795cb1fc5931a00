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
 * The memory page of {@link LogWitness}, which all processes share. The page contains the
 * acknowledged end of the log and a checksum of the bytes before this end.
 *
 * <p>The page is not synced. Therefore the page also identifies the file and the start of the
 * machine: an entry is valid only in the same file, not in a copy, and until the next start. After
 * a power cut the log may lack frames appended without a sync, and only the synced end is valid.
 *
 * <p>The page is accessed without a {@code VarHandle}, whose creation would cost a short command
 * more than all other work of this class.
 *
 * <p>An entry whose writer was killed during the write fails its checksum and is ignored.
 */
final class WitnessPage {

  private static final int BYTES = 64;

  /** The number of recorded losses; never decreases. */
  private static final int LOSSES_AT = 0;

  /** The end of the synced log; only increases. All processes write it without the store's lock. */
  private static final int SYNCED_AT = 8;

  // the entry, written under the store's lock
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
   * The acknowledged end of the log.
   *
   * @param position the end of the last acknowledged batch; 0 if unknown
   * @param check the checksum of the bytes before the position, or {@link #NO_CHECK}
   */
  record Entry(long position, long check) {}

  /** The checksum if only the position is known. */
  static final long NO_CHECK = -1;

  private static final Entry NOTHING = new Entry(0, NO_CHECK);

  private WitnessPage(ByteBuffer page, boolean writable, long file) {
    this.page = page;
    this.writable = writable;
    this.file = file;
    this.boot = SystemStart.number();
  }

  /**
   * Maps the page of an existing file.
   *
   * @param identity the identity of the file
   */
  static WitnessPage open(StoreFiles files, Path path, FileIdentity identity, boolean writable)
      throws IOException {
    boolean interrupted = Thread.interrupted(); // an interrupt would close the channel
    try {
      while (true) {
        try (RandomAccessFile raf =
            writable ? files.openInPlace(path) : files.openToRead(path.toFile())) {
          if (writable && raf.length() < BYTES) {
            raf.seek(raf.length());
            raf.write(new byte[(int) (BYTES - raf.length())]); // allocates disk space for the page
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

  /** Returns false if the page is read-only. Writes are then ignored. */
  boolean isWritable() {
    return writable;
  }

  /** Returns the number of recorded losses. */
  long losses() {
    return get(LOSSES_AT);
  }

  /** Returns the end of the log that every reader must find. */
  Entry entry() {
    Entry whole = null;
    for (int spin = 0; spin < SPINS && whole == null; spin++) {
      if (spin > 0) {
        Thread.onSpinWait(); // another process is writing the entry
        VarHandle.fullFence();
      }
      whole = wholeEntry();
    }
    VarHandle.acquireFence(); // read the log after the entry
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
      return NOTHING; // a copied file; the copied log may be slightly older
    }
    long synced = get(SYNCED_AT);
    if (boot != SystemStart.UNKNOWN && since == boot || position <= synced) {
      return new Entry(position, check);
    }
    return new Entry(synced, NO_CHECK);
  }

  /** Records the end of the log. The caller holds the store's lock. */
  void acknowledge(long position, long check) {
    if (!writable) {
      return;
    }
    VarHandle.releaseFence(); // the log may be mapped memory too, and must be written first
    if (get(FILE_AT) != file) {
      page.putLong(SYNCED_AT, 0L);
    }
    page.putLong(POSITION_AT, position);
    page.putLong(CHECK_AT, check);
    page.putLong(FILE_AT, file);
    page.putLong(BOOT_AT, boot);
    page.putLong(CHECKSUM_AT, checksum(position, check, file, boot));
  }

  /** Records the durable end of the log. */
  void synced(long position) {
    if (!writable) {
      return;
    }
    if (get(SYNCED_AT) < position) {
      page.putLong(SYNCED_AT, position); // losing a concurrent update costs little
    }
  }

  /** Counts a recorded loss, and clears the acknowledged end. The caller holds the store's lock. */
  void countLoss() {
    page.putLong(SYNCED_AT, 0L);
    acknowledge(0, NO_CHECK);
    page.putLong(LOSSES_AT, losses() + 1);
  }

  private static long checksum(long position, long check, long file, long boot) {
    return mixed(mixed(mixed(mixed(position ^ FORMAT) + check) + file) + boot);
  }

  /** The finalizer of MurmurHash3, which maps distinct numbers to distinct numbers. */
  private static long mixed(long number) {
    long mixed = (number ^ number >>> 33) * 0xff51afd7ed558ccdL;
    mixed = (mixed ^ mixed >>> 33) * 0xc4ceb9fe1a85ec53L;
    return mixed ^ mixed >>> 33;
  }
}
