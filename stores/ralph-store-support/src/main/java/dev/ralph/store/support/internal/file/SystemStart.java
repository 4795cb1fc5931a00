package dev.ralph.store.support.internal.file;

import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.util.zip.CRC32C;

/**
 * Identifies the current start of the machine. Memory that was not synced is valid only until the
 * next start.
 */
public final class SystemStart {

  /** The value of {@link #number()} if the platform does not identify its starts. */
  public static final long UNKNOWN = 0;

  private static final File BOOT_ID = new File("/proc/sys/kernel/random/boot_id");
  private static final int ID_LENGTH = 36;
  private static final long NUMBER = find();

  private SystemStart() {}

  /**
   * Returns a number that stays the same until the machine restarts, and very probably differs for
   * different starts; or {@link #UNKNOWN}.
   */
  public static long number() {
    return NUMBER;
  }

  private static long find() {
    try (RandomAccessFile in = new RandomAccessFile(BOOT_ID, "r")) {
      // in one piece, because a system call for each byte is slower
      byte[] id = new byte[ID_LENGTH];
      in.readFully(id);
      CRC32C crc = new CRC32C();
      crc.update(id, 0, id.length);
      return crc.getValue() << 1 | 1;
    } catch (IOException elsewhereThanLinux) {
      return UNKNOWN;
    }
  }
}
