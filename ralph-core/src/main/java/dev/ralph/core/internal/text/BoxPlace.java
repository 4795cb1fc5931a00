package dev.ralph.core.internal.text;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * The place of a check box in a text file. A tick changes a single byte of the file to an x.
 *
 * @param begin the offset of the line's first byte
 * @param line the bytes of the line, without the line feed
 * @param mark the offset within the line of the byte that becomes an x, or -1 if none exists
 */
public record BoxPlace(long begin, byte[] line, int mark) {

  /**
   * Ticks the box in a file, and forces the byte to the disk.
   *
   * <p>No lock is needed: concurrent ticks write other bytes or the same byte, and editors ignore
   * locks.
   *
   * @return false if the box has no byte to tick, or if the line has moved or changed because the
   *     file was edited
   * @throws IOException if the file can't be read or written
   */
  public boolean tick(Path file) throws IOException {
    if (mark < 0) {
      return false;
    }
    try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "rw")) {
      if (!stands(open)) {
        return false;
      }
      open.seek(begin + mark);
      open.write('x');
      open.getFD().sync();
      return true;
    }
  }

  /** Ticks the box in the bytes from which the place was read. */
  public void tick(byte[] text) {
    text[Math.toIntExact(begin + mark)] = 'x';
  }

  /** Returns whether the line is unchanged and at the same place, as a whole. */
  private boolean stands(RandomAccessFile open) throws IOException {
    if (open.length() < begin + line.length) {
      return false;
    }
    if (begin > 0) {
      open.seek(begin - 1);
      if (open.read() != '\n') {
        return false;
      }
    }
    open.seek(begin);
    byte[] now = new byte[line.length];
    open.readFully(now);
    int behind = open.read();
    return Arrays.equals(line, now) && (behind == '\n' || behind < 0);
  }
}
