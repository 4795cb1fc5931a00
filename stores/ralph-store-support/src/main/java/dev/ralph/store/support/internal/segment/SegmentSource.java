package dev.ralph.store.support.internal.segment;

import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.io.RandomAccessFile;

/**
 * The bytes of a segment, open for reading. Offsets count the bytes of the log, which a compressed
 * file contains in another form. Not thread-safe.
 */
public interface SegmentSource extends Closeable {

  /** Returns the source of a file that contains exactly the bytes of the log. */
  static SegmentSource of(RandomAccessFile file) {
    return new PlainSource(file);
  }

  /** Returns the number of bytes of the log in the segment. */
  long length() throws IOException;

  /**
   * Reads bytes.
   *
   * @param from the offset in the array
   * @param length the most bytes to read
   * @return the number of bytes read; 0 or -1 if the segment ends before the offset
   */
  int read(long offset, byte[] to, int from, int length) throws IOException;

  /**
   * Fills an array.
   *
   * @throws EOFException if the segment is too short
   */
  default void readFully(long offset, byte[] to) throws IOException {
    int count = 0;
    while (count < to.length) {
      int more = read(offset + count, to, count, to.length - count);
      if (more <= 0) {
        throw new EOFException("the segment ends before byte " + (offset + to.length));
      }
      count += more;
    }
  }
}
