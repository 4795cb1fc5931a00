package dev.ralph.store.support.internal.file;

import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.util.zip.CRC32C;

/**
 * Tells one start of the machine from another: what a page of memory holds without a sync counts
 * only since then.
 */
public final class SystemStart {

  /** The {@link #number()} where the platform does not tell. */
  public static final long UNKNOWN = 0;

  private static final File BOOT_ID = new File("/proc/sys/kernel/random/boot_id");
  private static final int ID_LENGTH = 36;
  private static final long NUMBER = find();

  private SystemStart() {}

  /**
   * Returns a number that is the same from one start of the machine to the next, and differs for
   * different starts, as good as surely; or {@link #UNKNOWN}.
   */
  public static long number() {
    return NUMBER;
  }

  private static long find() {
    try (RandomAccessFile in = new RandomAccessFile(BOOT_ID, "r")) {
      byte[] id = new byte[ID_LENGTH]; // at once: a call of the system for each byte takes longer
      in.readFully(id);
      CRC32C crc = new CRC32C();
      crc.update(id, 0, id.length);
      return crc.getValue() << 1 | 1;
    } catch (IOException elsewhereThanLinux) {
      return UNKNOWN;
    }
  }
}
