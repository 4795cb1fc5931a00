package dev.ralph.store.file;

import dev.ralph.store.support.internal.segment.SegmentInput;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Finds the lines of a segment, by way of a buffer: the present line, and where the next one
 * begins. It does not know what a line means. For one thread.
 */
final class LineScanner {

  /** What became of looking for a line. */
  enum Found {
    LINE,
    /** The segment ends without a further line break; the present line is what stands there. */
    END,
    /** There is more than a line can have, without a line break. */
    TOO_LONG
  }

  private static final int BUFFER_BYTES = 256 * 1024;
  private static final int SMALL_BUFFER_BYTES = 8 * 1024;

  private final SegmentInput input;
  private int segment;
  private long stopOffset = Long.MAX_VALUE;

  private byte[] buffer = new byte[SMALL_BUFFER_BYTES];

  /** The buffer, to look at eight bytes at a time. */
  private ByteBuffer words = ByteBuffer.wrap(buffer);

  private long bufferOffset;
  private int limit;

  /** Where the next line begins. */
  private int at;

  private int from;
  private int to;

  LineScanner(SegmentInput input) {
    this.input = input;
  }

  /** Forgets what was read, and goes to a place where a line begins. */
  void go(int toSegment, long offset) {
    segment = toSegment;
    bufferOffset = offset;
    limit = 0;
    at = 0;
    from = 0;
    to = 0;
  }

  /** Goes ahead to a place of what was read; returns false if it does not reach there. */
  boolean skip(long offset) {
    if (offset < next() || offset > bufferOffset + limit) {
      return false;
    }
    at = (int) (offset - bufferOffset);
    return true;
  }

  /** Reads nothing that stands behind that offset, where that can be avoided. */
  void stopAt(long offset) {
    stopOffset = offset;
  }

  /** Returns whether the next line begins where to stop, or behind. */
  boolean isAtStop() {
    return next() >= stopOffset;
  }

  // ---- the present line

  /** The bytes read, among them the present line; the same until a line is looked for again. */
  byte[] buffer() {
    return buffer;
  }

  /** Returns the same bytes, to look at eight at a time. */
  ByteBuffer words() {
    return words;
  }

  /** Returns where in the buffer the line begins. */
  int from() {
    return from;
  }

  /** Returns where in the buffer the line ends, without its line break. */
  int to() {
    return to;
  }

  /** Returns where in the segment the line begins. */
  long start() {
    return bufferOffset + from;
  }

  /** Returns where in the segment the line ends, with its line break. */
  long end() {
    return bufferOffset + to + 1;
  }

  /** Returns where in the segment that place of the buffer is. */
  long offset(int inBuffer) {
    return bufferOffset + inBuffer;
  }

  /** Returns where in the segment the next line begins. */
  long next() {
    return bufferOffset + at;
  }

  /** Returns whether something was read behind the line, be it a line break or another byte. */
  boolean isFollowed() {
    return to < limit;
  }

  /** Takes the last byte off the line. */
  void shorten() {
    to--;
  }

  /** Ends the line at its first line break, if there is one among what no line is shorter than. */
  boolean endEarlier() {
    int end = Math.min(to, from + Line.SHORTEST);
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
   * Puts what is being erased into the present line, and goes back to its beginning.
   *
   * @return false if nothing of the line is being erased
   */
  boolean take(Erasing erasing) {
    boolean taken = erasing.putInto(segment, start(), buffer, from, to);
    if (taken) {
      at = from;
    }
    return taken;
  }

  // ---- looking for lines

  /**
   * Looks for the next complete line.
   *
   * @param shortest how long it is at the least, not looked at for a line break
   */
  Found advance(int shortest) {
    int begin = at;
    int scan = at + shortest;
    while (true) {
      int end = limit;
      scan = Line.find((byte) '\n', words, scan, end);
      if (scan < end) {
        from = begin;
        to = scan;
        at = scan + 1;
        return Found.LINE;
      }
      int scanned = scan - begin;
      if (limit - begin >= Line.LONGEST) {
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
   * Goes behind the next line break behind all that was read, or to the end of the segment. What
   * lies between may be larger than the memory.
   *
   * @return whether there is a line break
   */
  boolean skipBehindLineBreak() {
    long offset = bufferOffset + limit;
    while (true) {
      int count = input.read(segment, offset, buffer, 0, buffer.length);
      int lineBreak = count <= 0 ? 0 : Line.find((byte) '\n', words, 0, count);
      if (count <= 0 || lineBreak < count) {
        go(segment, count <= 0 ? offset : offset + lineBreak + 1);
        return count > 0;
      }
      offset += count;
    }
  }

  /** Reads more behind what is left from {@code begin} on; returns false at the segment's end. */
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
        target = new byte[BUFFER_BYTES]; // there is much to read, so read it in large pieces
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

  /** Fills an empty buffer, with the checksum that the first line is to follow in front of that. */
  private boolean fillFromTheLineBefore() {
    int before = (int) Math.min(Line.END_LENGTH, bufferOffset);
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

  /** Returns how much to read from that offset into the buffer. */
  private int room(long offset, int bufferAt) {
    int room = buffer.length - bufferAt;
    return stopOffset > offset && stopOffset - offset < room ? (int) (stopOffset - offset) : room;
  }

  // ---- looking back

  /** Returns the checksum of the line that ends at that offset of the segment, if one does. */
  long checksumBefore(long offset) {
    if (offset < Line.END_LENGTH) {
      return Line.NO_CHECKSUM;
    }
    return Line.checksumBefore(bytes(offset - Line.END_LENGTH, Line.END_LENGTH), Line.END_LENGTH);
  }

  /** Returns what stands there in the segment; zeros where it ends earlier. */
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
