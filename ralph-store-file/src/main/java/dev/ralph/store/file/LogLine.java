package dev.ralph.store.file;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32C;

/**
 * The format of a log line. A line is JSON with a fixed order of fields and no optional spaces, so
 * that readers find fields at known offsets:
 *
 * <pre>{@code
 * {"id":"<25>","topic":"<t>","time":"<24>","batch":"<b>"[,"part":1,"of":3][,"clock":"<25>"]
 *  [,"after":"<8>"],"meta":{...}[,"content":"..." | ,"content_ref":"<address>"],"crc":"<8>"}
 * }</pre>
 *
 * <p>In an erased frame {@code "x":"erased..."} replaces meta and content, with the same length;
 * see {@link Tombstone}.
 *
 * <p>{@code crc} is the CRC-32C of all bytes before its comma. Batches of several frames have
 * {@code part} and {@code of}. An imported frame has {@code clock}, the last id generated for the
 * log. {@code after} is the {@code crc} of the preceding line as stored; earlier versions did not
 * write it. {@code after} precedes {@code meta}, because earlier versions skip unknown fields only
 * there.
 */
final class LogLine {

  static final byte[] ID = ascii("{\"id\":\"");
  static final byte[] TOPIC = ascii("\",\"topic\":\"");
  static final byte[] TIME = ascii("\",\"time\":\"");
  static final byte[] BATCH = ascii("\",\"batch\":\"");
  static final byte[] PART = ascii(",\"part\":");
  static final byte[] OF = ascii(",\"of\":");
  static final byte[] CLOCK = ascii(",\"clock\":\"");
  static final byte[] AFTER = ascii(",\"after\":\"");
  static final byte[] META = ascii(",\"meta\":");
  static final byte[] ERASED = ascii(",\"x\":\"");
  static final byte[] AFTER_META = ascii(",\"after\":\"00000000\",\"meta\":");
  static final byte[] CONTENT = ascii(",\"content\":\"");
  static final byte[] CONTENT_REF = ascii(",\"content_ref\":\"");
  static final byte[] CRC = ascii(",\"crc\":\"");

  static final int ID_LENGTH = 25;
  static final int ID_AT = ID.length;
  static final int TOPIC_AT = ID_AT + ID_LENGTH + TOPIC.length;

  /** The length of {@code ,"after":"01234567"}. */
  static final int AFTER_LENGTH = AFTER.length + 9; // digits and quote

  /** The length of {@code ,"crc":"01234567"}} without the line break. */
  static final int CRC_LENGTH = CRC.length + 10;

  /** The length of {@code 01234567"}} and the line break, which end each line. */
  static final int END_LENGTH = 11;

  /**
   * Represents a missing or unreadable checksum. Checksums that are only compared stay encoded, as
   * their eight ASCII digits in one number.
   */
  static final long NO_CHECKSUM = 0;

  static final int CHECKSUM_DIGITS = 8;

  /** The minimum length of a frame's line: empty topic, batch, meta and content. */
  static final int SHORTEST =
      TOPIC_AT + TIME.length + TimeText.LENGTH + BATCH.length + 1 + META.length + 2 + CRC_LENGTH;

  /** The maximum length of a line: meta has at most a million characters, inline content 64 KiB. */
  static final int LONGEST = 8 * 1024 * 1024;

  /** The words as numbers, for fast comparisons. */
  private static final long AFTER_BEGIN = ByteBuffer.wrap(AFTER).getLong();

  private static final short AFTER_END = ByteBuffer.wrap(AFTER).getShort(Long.BYTES);

  private static final long LOWEST_BITS = 0x0101010101010101L;
  private static final long CRC_BEGIN = ByteBuffer.wrap(CRC).getLong();

  private LogLine() {}

  static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  static boolean at(byte[] line, int at, byte[] word) {
    if (at + word.length > line.length) {
      return false;
    }
    for (int i = 0; i < word.length; i++) {
      if (line[at + i] != word[i]) {
        return false;
      }
    }
    return true;
  }

  /** Writes the checksum of the bytes from {@code from} to {@code to}, and the end of the line. */
  static void writeChecksum(byte[] buffer, int from, int to, CRC32C crc) {
    crc.reset();
    crc.update(buffer, from, to - from);
    System.arraycopy(CRC, 0, buffer, to, CRC.length);
    int at = to + CRC.length;
    writeDigits(buffer, at, digits(crc.getValue()));
    buffer[at + CHECKSUM_DIGITS] = '"';
    buffer[at + CHECKSUM_DIGITS + 1] = '}';
  }

  /**
   * Returns the eight hexadecimal digits of a checksum as ASCII. Spreads the bits over eight bytes
   * by halves.
   */
  private static long digits(long checksum) {
    long digits = (checksum << 16 | checksum) & 0x0000ffff0000ffffL;
    digits = (digits << 8 | digits) & 0x00ff00ff00ff00ffL;
    digits = (digits << 4 | digits) & 0x0f0f0f0f0f0f0f0fL;
    long letters = digits + 0x0606060606060606L >>> 4 & 0x0101010101010101L;
    return digits + 0x3030303030303030L + letters * ('a' - '9' - 1);
  }

  /** Writes the digits of a checksum; zeros for {@link #NO_CHECKSUM}. */
  static void writeDigits(byte[] buffer, int at, long checksum) {
    for (int i = 0; i < CHECKSUM_DIGITS; i++) {
      int digit = (int) (checksum >>> (56 - 8 * i)) & 0xff;
      buffer[at + i] = digit == 0 ? (byte) '0' : (byte) digit;
    }
  }

  /** Returns the checksum at an offset, or {@link #NO_CHECKSUM} if the bytes are not digits. */
  static long readDigits(byte[] buffer, int at) {
    long digits = 0;
    for (int i = at; i < at + CHECKSUM_DIGITS; i++) {
      byte b = buffer[i];
      if ((b < '0' || b > '9') && (b < 'a' || b > 'f')) {
        return NO_CHECKSUM;
      }
      digits = digits << 8 | b;
    }
    return digits;
  }

  /**
   * Returns the stored checksum of the line that ends at an offset, without verifying it.
   *
   * @param to the offset after the line break
   * @return {@link #NO_CHECKSUM} if no line ends there
   */
  static long checksumBefore(byte[] buffer, int to) {
    int at = to - END_LENGTH;
    boolean ends =
        at >= 0 && buffer[to - 3] == '"' && buffer[to - 2] == '}' && buffer[to - 1] == '\n';
    return ends ? readDigits(buffer, at) : NO_CHECKSUM;
  }

  /**
   * Returns true if the line ends with its correct checksum.
   *
   * @param to the end of the line, without the line break
   */
  static boolean isIntact(byte[] buffer, int from, int to, CRC32C crc) {
    return isIntact(buffer, ByteBuffer.wrap(buffer), from, to, crc);
  }

  /**
   * Returns true if the line ends with its correct checksum. Faster for many lines in one buffer.
   *
   * @param words the buffer, wrapped
   */
  static boolean isIntact(byte[] buffer, ByteBuffer words, int from, int to, CRC32C crc) {
    int end = to - CRC_LENGTH;
    if (end <= from
        || words.getLong(end) != CRC_BEGIN
        || buffer[to - 2] != '"'
        || buffer[to - 1] != '}') {
      return false;
    }
    crc.reset();
    crc.update(buffer, from, end - from);
    return words.getLong(end + CRC.length) == digits(crc.getValue());
  }

  /**
   * Returns the digits in the {@code after} field of an intact line, or {@link #NO_CHECKSUM}.
   *
   * @param words the buffer, wrapped
   * @param at the offset of the field, if the line has one
   */
  static long after(ByteBuffer words, int at) {
    return words.getLong(at) == AFTER_BEGIN && words.getShort(at + Long.BYTES) == AFTER_END
        ? words.getLong(at + AFTER.length)
        : NO_CHECKSUM;
  }

  /** Returns true if an intact line contains a frame, false if it is a header. */
  static boolean isFrame(byte[] buffer, int from) {
    return at(buffer, from, ID) && at(buffer, from + ID_AT + ID_LENGTH, TOPIC);
  }

  static int endOfTopic(byte[] buffer, int from) {
    return indexOf(buffer, from + TOPIC_AT, (byte) '"');
  }

  /**
   * Returns the offset of the first such byte, or {@code to} if none exists. Compares eight bytes
   * at a time, which is faster for distant bytes.
   */
  static int find(byte wanted, ByteBuffer in, int from, int to) {
    long eight = LOWEST_BITS * wanted;
    int at = from;
    while (at + Long.BYTES <= to && !hasZero(in.getLong(at) ^ eight)) {
      at += Long.BYTES;
    }
    while (at < to && in.get(at) != wanted) {
      at++;
    }
    return at;
  }

  private static boolean hasZero(long bytes) {
    return (bytes - LOWEST_BITS & ~bytes & LOWEST_BITS << 7) != 0;
  }

  static int indexOf(byte[] buffer, int from, byte wanted) {
    return indexOf(buffer, from, buffer.length, wanted);
  }

  /** Returns the offset of the first such byte, or {@code to} if none exists. */
  static int indexOf(byte[] buffer, int from, int to, byte wanted) {
    int at = from;
    while (at < to && buffer[at] != wanted) {
      at++;
    }
    return Math.min(at, to);
  }

  /** Returns the start of the batch id of a frame. */
  static int batchAt(int topicEnd) {
    return topicEnd + TIME.length + TimeText.LENGTH + BATCH.length;
  }

  /** Returns the decimal number at an offset. */
  static int number(byte[] buffer, int from) {
    int number = 0;
    for (int at = from; buffer[at] >= '0' && buffer[at] <= '9'; at++) {
      number = number * 10 + buffer[at] - '0';
    }
    return number;
  }

  /** Returns the end of a JSON object, or -1 if the object does not end before {@code to}. */
  static int endOfObject(byte[] buffer, int from, int to) {
    int depth = 0;
    int at = from;
    while (at < to) {
      byte b = buffer[at];
      if (b == '"') {
        at = endOfString(buffer, at + 1, to);
      } else if (b == '{' || b == '[') {
        depth++;
      } else if (b == '}' || b == ']') {
        depth--;
        if (depth == 0) {
          return at + 1;
        }
      }
      at++;
    }
    return -1;
  }

  /**
   * Returns the offset of the closing quote of a string, or {@code to} or more if none exists
   * before {@code to}.
   *
   * @param from the offset after the opening quote
   */
  static int endOfString(byte[] buffer, int from, int to) {
    int at = from;
    while (at < to && buffer[at] != '"') {
      at += buffer[at] == '\\' ? 2 : 1;
    }
    return at;
  }

  /**
   * Returns the last id that had been generated when a frame was appended. Only for an imported
   * frame, this differs from its own id.
   */
  static String mintingClock(byte[] buffer, int from) {
    int at = clockAt(buffer, from);
    return id(buffer, at < 0 ? from + ID_AT : at);
  }

  /** Returns the id at an offset. */
  static String id(byte[] buffer, int at) {
    return new String(buffer, at, ID_LENGTH, StandardCharsets.ISO_8859_1);
  }

  /** Returns the start of the id in the {@code clock} field, or -1 if none exists. */
  static int clockAt(byte[] buffer, int from) {
    int batchEnd = indexOf(buffer, batchAt(endOfTopic(buffer, from)), (byte) '"');
    int at = behindPart(buffer, batchEnd + 1);
    return at(buffer, at, CLOCK) ? at + CLOCK.length : -1;
  }

  /** Returns the offset after the fields {@code part} and {@code of}, if they are present. */
  static int behindPart(byte[] buffer, int fields) {
    if (!at(buffer, fields, PART)) {
      return fields;
    }
    int at = indexOf(buffer, fields + PART.length, (byte) ',') + OF.length;
    while (buffer[at] >= '0' && buffer[at] <= '9') {
      at++;
    }
    return at;
  }
}
