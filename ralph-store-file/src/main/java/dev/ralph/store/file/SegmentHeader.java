package dev.ralph.store.file;

import dev.ralph.log.RalphException;
import dev.ralph.log.Topic;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The first line of a segment:
 *
 * <pre>{@code
 * {"ralph":"log","format":1,"store":"<id>","segment":1,"created":"<24>"[,"after":"<8>"],"crc":"<8>"}
 * }</pre>
 *
 * @param format {@link #PLAIN}, {@link #ERASED} or {@link #COMPACTED}
 * @param store the id of the store
 * @param segment the number of the segment
 * @param link the checksum of the last line of the preceding segment, or {@link
 *     LogLine#NO_CHECKSUM}
 */
record SegmentHeader(int format, String store, int segment, long link) {

  /** The format of a log without tombstones. */
  static final int PLAIN = 1;

  /**
   * The format of a log with {@linkplain Tombstone tombstones}, which earlier versions report as
   * damage.
   */
  static final int ERASED = 2;

  /** The format of a log with {@linkplain PackedWriter compressed} segments. */
  static final int COMPACTED = 3;

  private static final byte[] FORMAT = LogLine.ascii("{\"ralph\":\"log\",\"format\":");
  private static final byte[] STORE = LogLine.ascii(",\"store\":\"");
  private static final byte[] SEGMENT = LogLine.ascii("\",\"segment\":");
  private static final byte[] CREATED = LogLine.ascii(",\"created\":\"");

  /** Returns the encoded line, including its line break. */
  static byte[] line(int format, String store, int segment, long nowMillis, long link) {
    byte[] time = new byte[TimeText.LENGTH];
    TimeText.write(nowMillis, time, 0);
    String text =
        text(FORMAT)
            + format
            + text(STORE)
            + store
            + text(SEGMENT)
            + segment
            + text(CREATED)
            + text(time)
            + "\""
            + (link == LogLine.NO_CHECKSUM ? "" : after(link));
    byte[] line = new byte[text.length() + LogLine.CRC_LENGTH + 1];
    System.arraycopy(LogLine.ascii(text), 0, line, 0, text.length());
    LogLine.writeChecksum(line, 0, text.length(), new CRC32C());
    line[line.length - 1] = '\n';
    return line;
  }

  private static String after(long link) {
    byte[] digits = new byte[LogLine.CHECKSUM_DIGITS];
    LogLine.writeDigits(digits, 0, link);
    return text(LogLine.AFTER) + text(digits) + "\"";
  }

  private static String text(byte[] ascii) {
    return new String(ascii, StandardCharsets.US_ASCII);
  }

  /**
   * Returns the header in a line, or null if the line is not an intact header.
   *
   * @param to the end of the line, without the line break
   * @param where the path of the segment, for the message
   * @throws RalphException UNSUPPORTED if the header is intact and has a newer format
   */
  static @Nullable SegmentHeader of(byte[] buffer, int from, int to, String where) {
    if (!LogLine.isIntact(buffer, from, to, new CRC32C()) || !LogLine.at(buffer, from, FORMAT)) {
      return null;
    }
    int end = to - LogLine.CRC_LENGTH;
    int formatAt = from + FORMAT.length;
    int store = LogLine.indexOf(buffer, formatAt, end, (byte) ',');
    int format = number(buffer, formatAt, store);
    if (format > COMPACTED) {
      throw RalphException.unsupported(
          where
              + " has format "
              + format
              + ", which this version does not support; use a newer version");
    }
    int idAt = store + STORE.length;
    int idEnd = LogLine.indexOf(buffer, idAt, end, (byte) '"');
    int segmentAt = idEnd + SEGMENT.length;
    if (format < PLAIN
        || !LogLine.at(buffer, store, STORE)
        || !LogLine.at(buffer, idEnd, SEGMENT)
        || segmentAt >= end) {
      return null;
    }
    String id = new String(buffer, idAt, idEnd - idAt, StandardCharsets.US_ASCII);
    int segment = number(buffer, segmentAt, LogLine.indexOf(buffer, segmentAt, end, (byte) ','));
    return Topic.isSegment(id) && segment >= 0
        ? new SegmentHeader(format, id, segment, link(buffer, from, to))
        : null;
  }

  /** Returns the number in this range, or -1 if the range is not a number. */
  private static int number(byte[] buffer, int from, int to) {
    int number = 0;
    for (int at = from; at < to; at++) {
      int digit = buffer[at] - '0';
      if (digit < 0 || digit > 9 || at - from == Segments.DIGITS) {
        return -1;
      }
      number = number * 10 + digit;
    }
    return to > from ? number : -1;
  }

  private static long link(byte[] buffer, int from, int to) {
    int field = to - LogLine.CRC_LENGTH - 1 - LogLine.CHECKSUM_DIGITS - LogLine.AFTER.length;
    return field >= from && LogLine.at(buffer, field, LogLine.AFTER)
        ? LogLine.readDigits(buffer, field + LogLine.AFTER.length)
        : LogLine.NO_CHECKSUM;
  }
}
