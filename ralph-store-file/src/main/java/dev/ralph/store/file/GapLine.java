package dev.ralph.store.file;

import dev.ralph.store.support.internal.segment.SegmentSource;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The line that replaces a run of erased frames in a compacted segment:
 *
 * <pre>{@code
 * {"gap":12[,"batch":"<b>","part":2,"last":4,"of":9],"after":"<8>","x":"erased---<letters>","crc":"<8>"}
 * }</pre>
 *
 * <p>The line has exactly the length of the removed lines, and the checksum of the last removed
 * line, as a {@link Tombstone} keeps the checksum of its line. Therefore no position changes, and
 * the {@code after} field of the next line stays valid. Several lines replace a run that is longer
 * than {@link #LONGEST}; all but the last of them have the number 0.
 *
 * <p>A gap consists of whole batches, or of consecutive frames of one batch, which the fields
 * {@code batch} to {@code of} name.
 *
 * @param frames the number of removed frames, or 0
 * @param batch the id of the batch that is only partly removed, or null
 * @param part the number of the first removed frame within that batch
 * @param last the number of the last removed frame within that batch
 * @param of the number of frames of that batch
 */
record GapLine(int frames, @Nullable String batch, int part, int last, int of) {

  /** The most bytes of a gap line. A reader that starts within a gap reads back at most so far. */
  static final int LONGEST = 32 * 1024;

  private static final byte[] GAP = LogLine.ascii("{\"gap\":");
  private static final byte[] BATCH = LogLine.ascii(",\"batch\":\"");
  private static final byte[] LAST = LogLine.ascii(",\"last\":");
  private static final int MOST_DIGITS = 9;
  private static final byte LETTER = '@';

  /** Returns the gap of whole batches. */
  static GapLine ofBatches(int frames) {
    return new GapLine(frames, null, 0, 0, 0);
  }

  // ---- writing

  /**
   * Returns the lines of a gap.
   *
   * @param length the number of removed bytes
   * @param after the checksum of the line before the gap
   * @param checksum the checksum of the last removed line
   */
  List<byte[]> lines(long length, long after, long checksum) {
    int count = (int) ((length + LONGEST - 1) / LONGEST);
    byte[][] lines = new byte[count][];
    long before = after;
    long done = 0;
    for (int i = 0; i < count; i++) {
      boolean isLast = i == count - 1;
      long end = length * (i + 1) / count;
      lines[i] = line(isLast ? head() : "{\"gap\":0", (int) (end - done), before);
      if (isLast) {
        finish(lines[i], checksum);
      }
      before = LogLine.checksumBefore(lines[i], lines[i].length);
      done = end;
    }
    return Arrays.asList(lines);
  }

  private String head() {
    return "{\"gap\":"
        + frames
        + (batch == null
            ? ""
            : ",\"batch\":\""
                + batch
                + "\",\"part\":"
                + part
                + ",\"last\":"
                + last
                + ",\"of\":"
                + of);
  }

  /** Returns a line with its own checksum. */
  private static byte[] line(String head, int length, long after) {
    byte[] line = new byte[length];
    byte[] begin = LogLine.ascii(head);
    System.arraycopy(begin, 0, line, 0, begin.length);
    int at = begin.length;
    System.arraycopy(LogLine.AFTER, 0, line, at, LogLine.AFTER.length);
    LogLine.writeDigits(line, at + LogLine.AFTER.length, after);
    at += LogLine.AFTER_LENGTH;
    line[at - 1] = '"';
    byte[] letters = new byte[Tombstone.LETTERS];
    Arrays.fill(letters, LETTER);
    int to = length - 1 - LogLine.CRC_LENGTH;
    Tombstone.write(line, at, to, letters);
    LogLine.writeChecksum(line, 0, to, new CRC32C());
    line[length - 1] = '\n';
    return line;
  }

  /** Gives a line another checksum, and the letters that make this checksum correct. */
  private static void finish(byte[] line, long checksum) {
    int length = line.length - 1;
    LogLine.writeDigits(line, length - LogLine.CRC_LENGTH + LogLine.CRC.length, checksum);
    byte[] withoutBreak = Arrays.copyOf(line, length);
    int body = bodyAt(line, 0, length);
    Tombstone.write(withoutBreak, body);
    System.arraycopy(withoutBreak, 0, line, 0, length);
  }

  // ---- reading

  /**
   * Returns the gap in an intact line, or null if the line is not a gap line.
   *
   * @param to the end of the line, without the line break
   */
  static @Nullable GapLine of(byte[] buffer, int from, int to) {
    if (!LogLine.at(buffer, from, GAP)) {
      return null;
    }
    int body = bodyAt(buffer, from, to);
    if (body < 0) {
      return null;
    }
    Fields fields = new Fields(buffer, from + GAP.length, body - LogLine.AFTER_LENGTH);
    int frames = fields.number();
    if (fields.isAtEnd()) {
      return frames < 0 ? null : ofBatches(frames);
    }
    String batch = fields.text(BATCH);
    int part = fields.number(LogLine.PART);
    int last = fields.number(LAST);
    int of = fields.number(LogLine.OF);
    boolean isValid =
        batch != null
            && fields.isAtEnd()
            && part > 0
            && last >= part
            && of >= last
            && frames == last - part + 1
            && frames < of;
    return isValid ? new GapLine(frames, batch, part, last, of) : null;
  }

  /** Returns the offset of the {@code x} field, or -1 if the line has none. */
  private static int bodyAt(byte[] buffer, int from, int to) {
    int end = to - LogLine.CRC_LENGTH - Tombstone.SHORTEST;
    int at = from + GAP.length;
    while (at < end && !LogLine.at(buffer, at, LogLine.AFTER)) {
      at++;
    }
    at += LogLine.AFTER_LENGTH;
    return at <= end && LogLine.at(buffer, at, LogLine.ERASED) ? at : -1;
  }

  /** Returns the offset of the {@code after} field of a gap line. */
  static int linkAt(byte[] buffer, int from, int to) {
    return bodyAt(buffer, from, to) - LogLine.AFTER_LENGTH;
  }

  /** Parses the fields before {@code after}. Any of them may be invalid. */
  private static final class Fields {
    private final byte[] buffer;
    private final int to;
    private int at;

    Fields(byte[] buffer, int from, int to) {
      this.buffer = buffer;
      this.at = from;
      this.to = to;
    }

    boolean isAtEnd() {
      return at == to;
    }

    /** Returns the next number, or -1. */
    int number() {
      int begin = at;
      int number = 0;
      while (at < to && buffer[at] >= '0' && buffer[at] <= '9' && at - begin < MOST_DIGITS) {
        number = number * 10 + buffer[at++] - '0';
      }
      return at == begin ? -1 : number;
    }

    int number(byte[] name) {
      return take(name) ? number() : -1;
    }

    @Nullable String text(byte[] name) {
      if (!take(name)) {
        return null;
      }
      int end = LogLine.indexOf(buffer, at, to, (byte) '"');
      String text = new String(buffer, at, end - at, StandardCharsets.US_ASCII);
      at = Math.min(to, end + 1);
      return end < to ? text : null;
    }

    private boolean take(byte[] name) {
      boolean found = LogLine.at(buffer, at, name) && at + name.length <= to;
      at += found ? name.length : 0;
      return found;
    }
  }

  /**
   * Returns true if an offset lies after the start of a gap line, and not after its end.
   *
   * @param offset the offset, at least 1
   */
  static boolean covers(SegmentSource in, long offset) throws IOException {
    long begin = Math.max(0, offset - LONGEST);
    byte[] bytes = new byte[(int) Math.min(2L * LONGEST, Math.max(0, in.length() - begin))];
    in.readFully(begin, bytes);
    int at = (int) (offset - begin);
    if (at > bytes.length || at < 1) {
      return false;
    }
    int from = at - 1;
    while (from > 0 && bytes[from - 1] != '\n') {
      from--;
    }
    int to = LogLine.indexOf(bytes, at - 1, bytes.length, (byte) '\n');
    return to < bytes.length
        && LogLine.isIntact(bytes, from, to, new CRC32C())
        && of(bytes, from, to) != null;
  }
}
