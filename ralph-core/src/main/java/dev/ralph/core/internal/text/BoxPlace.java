package dev.ralph.core.internal.text;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
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
   * Ticks the box in a file, and forces the byte to the disk. Neither creates a missing file nor
   * follows a link. An interrupt of the calling thread is kept, and does not prevent the tick.
   *
   * <p>No lock is needed: concurrent ticks write other bytes or the same byte, and editors ignore
   * locks.
   *
   * @return false if the box has no byte to tick, or if the line has moved or changed because the
   *     file was edited
   * @throws IOException if the file is missing or a link, or can't be read or written
   */
  public boolean tick(Path file) throws IOException {
    if (mark < 0) {
      return false;
    }
    boolean isInterrupted = Thread.interrupted(); // an interrupt would close the channel
    try (FileChannel open =
        FileChannel.open(
            file, StandardOpenOption.READ, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS)) {
      if (!stands(open)) {
        return false;
      }
      open.write(ByteBuffer.wrap(new byte[] {'x'}), begin + mark);
      open.force(false);
      return true;
    } finally {
      if (isInterrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Ticks the box in the bytes from which the place was read. */
  public void tick(byte[] text) {
    text[Math.toIntExact(begin + mark)] = 'x';
  }

  /** Returns whether the line is unchanged and at the same place, as a whole. */
  private boolean stands(FileChannel open) throws IOException {
    if (begin > 0 && !Arrays.equals(read(open, begin - 1, 1), new byte[] {'\n'})) {
      return false;
    }
    byte[] next = read(open, begin + line.length, 1);
    return Arrays.equals(read(open, begin, line.length), line)
        && (next.length == 0 || next[0] == '\n');
  }

  /** Reads bytes at an offset; fewer at the end of the file. */
  private static byte[] read(FileChannel open, long from, int length) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(length);
    while (bytes.hasRemaining() && open.read(bytes, from + bytes.position()) > 0) {
      // A read may return fewer bytes.
    }
    return Arrays.copyOf(bytes.array(), bytes.position());
  }
}
