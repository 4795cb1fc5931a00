package dev.ralph.store.file;

import dev.ralph.store.support.internal.segment.SegmentInput;
import java.nio.ByteBuffer;
import java.util.Arrays;

/** Finds the lines of a segment with a buffer, without interpreting them. Not thread-safe. */
final class LineScanner {

  /** The result of a search for a line. */
  enum Found {
    LINE,
    /**
     * The segment ends without a further line break; the current line is the rest of the segment.
     */
    END,
    /** The bytes without a line break are longer than any line. */
    TOO_LONG
  }

  private static final int BUFFER_BYTES = 256 * 1024;
  private static final int SMALL_BUFFER_BYTES = 8 * 1024;

  /**
   * The factor by which a full buffer grows. A reader that follows a busy log often reads little
   * more than the small buffer.
   */
  private static final int GROWTH = 4;

  /** The bytes at the end of a known range of zeros checked before the range is skipped. */
  private static final int CHECKED_BYTES = 4 * 1024;

  private final SegmentInput input;
  private final ZeroRanges zeros;
  private int segment;
  private long stopOffset = Long.MAX_VALUE;

  private byte[] buffer = new byte[SMALL_BUFFER_BYTES];

  /** The buffer, for reading eight bytes at a time. */
  private ByteBuffer words = ByteBuffer.wrap(buffer);

  private long bufferOffset;
  private int limit;

  /** The start of the next line in the buffer. */
  private int at;

  private int from;
  private int to;

  /**
   * Creates a scanner without reading.
   *
   * @param zeros ranges of zeros read before; the scanner adds new ranges
   */
  LineScanner(SegmentInput input, ZeroRanges zeros) {
    this.input = input;
    this.zeros = zeros;
  }

  /** Clears the buffer and moves to an offset at which a line begins. */
  void moveTo(int toSegment, long offset) {
    segment = toSegment;
    bufferOffset = offset;
    limit = 0;
    at = 0;
    from = 0;
    to = 0;
  }

  /** Skips to a buffered offset; returns false if the offset is not in the buffer. */
  boolean skip(long offset) {
    if (offset < next() || offset > bufferOffset + limit) {
      return false;
    }
    at = (int) (offset - bufferOffset);
    return true;
  }

  /** Sets an offset after which no bytes are read if possible. */
  void stopAt(long offset) {
    stopOffset = offset;
  }

  /** Returns true if the next line begins at or after the offset to stop at. */
  boolean isAtStop() {
    return next() >= stopOffset;
  }

  // ---- the current line

  /** Returns the buffer that contains the current line, valid until the next search. */
  byte[] buffer() {
    return buffer;
  }

  /** Returns the buffer, for reading eight bytes at a time. */
  ByteBuffer words() {
    return words;
  }

  /** Returns the start of the line in the buffer. */
  int from() {
    return from;
  }

  /** Returns the end of the line in the buffer, without the line break. */
  int to() {
    return to;
  }

  /** Returns the start of the line in the segment. */
  long start() {
    return bufferOffset + from;
  }

  /** Returns the end of the line in the segment, after the line break. */
  long end() {
    return bufferOffset + to + 1;
  }

  /** Returns the offset in the segment of an offset in the buffer. */
  long offset(int inBuffer) {
    return bufferOffset + inBuffer;
  }

  /** Returns the start of the next line in the segment. */
  long next() {
    return bufferOffset + at;
  }

  /** Returns true if the buffer contains a byte after the line. */
  boolean isFollowed() {
    return to < limit;
  }

  /** Removes the last byte from the line. */
  void shorten() {
    to--;
  }

  /**
   * Ends the line at its first line break, if there is one within {@link LogLine#SHORTEST} bytes.
   */
  boolean endEarlier() {
    int end = Math.min(to, from + LogLine.SHORTEST);
    for (int i = from; i < end; i++) {
      if (buffer[i] == '\n') {
        to = i;
        at = i + 1;
        return true;
      }
    }
    return false;
  }

  /**
   * Applies an erasure plan to the current line, and moves back to the start of the line.
   *
   * @return false if the plan does not contain the line
   */
  boolean take(ErasurePlan plan) {
    boolean taken = plan.putInto(segment, start(), buffer, from, to);
    if (taken) {
      at = from;
    }
    return taken;
  }

  // ---- searching lines

  /**
   * Searches the next complete line.
   *
   * @param shortest the minimum length of the line; earlier line breaks are not found
   */
  Found advance(int shortest) {
    int begin = at;
    int scan = at + shortest;
    while (true) {
      int end = limit;
      scan = LogLine.find((byte) '\n', words, scan, end);
      if (scan < end) {
        from = begin;
        to = scan;
        at = scan + 1;
        return Found.LINE;
      }
      int scanned = scan - begin;
      if (limit - begin >= LogLine.LONGEST
          || scanned >= SMALL_BUFFER_BYTES && isInLongZeros(begin)) {
        return Found.TOO_LONG;
      }
      if (!fill(begin)) {
        from = at;
        to = limit;
        return Found.END;
      }
      begin = at;
      scan = at + scanned;
    }
  }

  /**
   * Skips to the next line break after the buffer, or to the end of the segment. The skipped bytes
   * may exceed the memory. Zeros, as in the hole of a sparse file, are compared in large blocks,
   * because {@link LogLine#find} is slow before it is compiled.
   *
   * @return whether there is a line break
   */
  boolean skipBehindLineBreak() {
    long offset = bufferOffset + limit;
    long zerosFrom = offset - zerosAtEnd(buffer, limit);
    byte[] block = new byte[Math.min(buffer.length, BUFFER_BYTES)];
    while (true) {
      int count = input.read(segment, offset, buffer, 0, block.length);
      if (count > 0 && Arrays.equals(buffer, 0, count, block, 0, count)) {
        offset = endOfZeros(offset + count);
        continue;
      }
      zeros.add(segment, zerosFrom, offset);
      int lineBreak = count <= 0 ? 0 : LogLine.find((byte) '\n', words, 0, count);
      if (count <= 0 || lineBreak < count) {
        moveTo(segment, count <= 0 ? offset : offset + lineBreak + 1);
        return count > 0;
      }
      offset += count;
      zerosFrom = offset;
    }
  }

  /** Returns the number of zeros at the end of the first bytes of an array. */
  static int zerosAtEnd(byte[] bytes, int length) {
    int at = length;
    while (at > 0 && bytes[at - 1] == 0) {
      at--;
    }
    return length - at;
  }

  /** Returns true if a known range of zeros around a buffered byte is too long for a line. */
  private boolean isInLongZeros(int inBuffer) {
    long offset = offset(inBuffer);
    return buffer[inBuffer] == 0 && endOfZeros(offset) - offset >= LogLine.LONGEST;
  }

  /**
   * Returns the end of a known range of zeros, or the offset if none exists. Reads the last bytes
   * of the range, because lines may have replaced them.
   */
  private long endOfZeros(long offset) {
    long end = zeros.end(segment, offset);
    if (end - offset <= CHECKED_BYTES) {
      return offset;
    }
    byte[] last = new byte[CHECKED_BYTES];
    int count = input.read(segment, end - last.length, last, 0, last.length);
    return count == last.length && zerosAtEnd(last, count) == count ? end : offset;
  }

  /**
   * Reads more bytes, and keeps the buffered bytes from {@code begin} on; returns false at the end
   * of the segment.
   */
  private boolean fill(int begin) {
    if (limit == 0) {
      return fillFromTheLineBefore();
    }
    int left = limit - begin;
    if (left == buffer.length) {
      buffer = Arrays.copyOf(buffer, Math.max(buffer.length * 2, BUFFER_BYTES));
      words = ByteBuffer.wrap(buffer);
    } else {
      byte[] target = buffer;
      if (limit == buffer.length && buffer.length < BUFFER_BYTES) {
        target = new byte[Math.min(buffer.length * GROWTH, BUFFER_BYTES)];
        words = ByteBuffer.wrap(target);
      }
      System.arraycopy(buffer, begin, target, 0, left);
      buffer = target;
    }
    if (left < limit || begin > 0) {
      bufferOffset += begin;
      at = 0;
      limit = left;
    }
    long offset = bufferOffset + limit;
    int count = input.read(segment, offset, buffer, limit, room(offset, limit));
    if (count <= 0) {
      return false;
    }
    limit += count;
    return true;
  }

  /** Fills the empty buffer, beginning with the checksum of the preceding line. */
  private boolean fillFromTheLineBefore() {
    int before = (int) Math.min(LogLine.END_LENGTH, bufferOffset);
    long offset = bufferOffset - before;
    int count = input.read(segment, offset, buffer, 0, room(offset, 0));
    if (count <= before) {
      return false;
    }
    bufferOffset = offset;
    at = before;
    limit = count;
    return true;
  }

  /** Returns the number of bytes to read from an offset into the buffer. */
  private int room(long offset, int bufferAt) {
    int room = buffer.length - bufferAt;
    return stopOffset > offset && stopOffset - offset < room ? (int) (stopOffset - offset) : room;
  }

  // ---- reading earlier bytes

  /** Returns the checksum of the line that ends at an offset, or {@link LogLine#NO_CHECKSUM}. */
  long checksumBefore(long offset) {
    if (offset < LogLine.END_LENGTH) {
      return LogLine.NO_CHECKSUM;
    }
    return LogLine.checksumBefore(
        bytes(offset - LogLine.END_LENGTH, LogLine.END_LENGTH), LogLine.END_LENGTH);
  }

  /** Returns bytes of the segment, padded with zeros after its end. */
  byte[] bytes(long offset, int length) {
    if (offset >= bufferOffset && offset + length <= bufferOffset + limit) {
      int begin = (int) (offset - bufferOffset);
      return Arrays.copyOfRange(buffer, begin, begin + length);
    }
    byte[] bytes = new byte[length];
    int count = 0;
    int more;
    do {
      more = input.read(segment, offset + count, bytes, count, length - count);
      count += Math.max(more, 0);
    } while (more > 0 && count < length);
    return bytes;
  }
}
