package dev.ralph.store.file;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32C;

/**
 * The form of a line of the log. It is JSON, but always in one form, so that reading one is a
 * matter of looking at known places:
 *
 * <pre>{@code
 * {"id":"<25>","topic":"<t>","time":"<24>","batch":"<b>"[,"part":1,"of":3][,"clock":"<25>"]
 *  [,"after":"<8>"],"meta":{...}[,"content":"..." | ,"content_ref":"<address>"],"crc":"<8>"}
 * }</pre>
 *
 * <p>Of an erased frame, {@code "x":"erased..."} stands in the place of meta and content, and takes
 * the same room; see {@link Tombstone}.
 *
 * <p>{@code crc} is the CRC-32C of all bytes before its comma. {@code part} and {@code of} stand in
 * batches of more than one frame. {@code clock} is the id last minted, where the frame's own id was
 * not minted here. {@code after} is the {@code crc} of the line before, as it stands there; earlier
 * versions did not write it. It stands before {@code meta} because they skip what they do not know
 * only there.
 */
final class Line {

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

  /** {@code ,"after":"01234567"}. */
  static final int AFTER_LENGTH = AFTER.length + 9; // digits, quote

  /** {@code ,"crc":"01234567"}}, without the line break. */
  static final int CRC_LENGTH = CRC.length + 10;

  /** {@code 01234567"}} and the line break: how each line ends. */
  static final int END_LENGTH = 11;

  /**
   * Stands for the checksum of a line that has none, or none that can be read. A checksum that is
   * only compared is left as its eight digits, in one number.
   */
  static final long NO_CHECKSUM = 0;

  static final int CHECKSUM_DIGITS = 8;

  /** No intact frame is shorter: without topic, batch, meta and content. */
  static final int SHORTEST =
      TOPIC_AT + TIME.length + TimeText.LENGTH + BATCH.length + 1 + META.length + 2 + CRC_LENGTH;

  /** No line is longer: meta has a million characters at most, content in the log 64 KiB. */
  static final int LONGEST = 8 * 1024 * 1024;

  /** The first eight bytes of these words, and the rest, to compare them at once. */
  private static final long AFTER_BEGIN = ByteBuffer.wrap(AFTER).getLong();

  private static final short AFTER_END = ByteBuffer.wrap(AFTER).getShort(Long.BYTES);

  private static final long LOWEST_BITS = 0x0101010101010101L;
  private static final long CRC_BEGIN = ByteBuffer.wrap(CRC).getLong();

  private Line() {}

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

  /** Writes the checksum that ends a line, for the bytes from {@code from} to {@code to}. */
  static void writeChecksum(byte[] buffer, int from, int to, CRC32C crc) {
    crc.reset();
    crc.update(buffer, from, to - from);
    System.arraycopy(CRC, 0, buffer, to, CRC.length);
    int at = to + CRC.length;
    writeDigits(buffer, at, digits(crc.getValue()));
    buffer[at + CHECKSUM_DIGITS] = '"';
    buffer[at + CHECKSUM_DIGITS + 1] = '}';
  }

  /** Returns the eight digits of a checksum: half of its bits go to each half, and so on. */
  private static long digits(long checksum) {
    long digits = (checksum << 16 | checksum) & 0x0000ffff0000ffffL;
    digits = (digits << 8 | digits) & 0x00ff00ff00ff00ffL;
    digits = (digits << 4 | digits) & 0x0f0f0f0f0f0f0f0fL;
    long letters = digits + 0x0606060606060606L >>> 4 & 0x0101010101010101L;
    return digits + 0x3030303030303030L + letters * ('a' - '9' - 1);
  }

  /** Writes the digits of a checksum; zeros for none. */
  static void writeDigits(byte[] buffer, int at, long checksum) {
    for (int i = 0; i < CHECKSUM_DIGITS; i++) {
      int digit = (int) (checksum >>> (56 - 8 * i)) & 0xff;
      buffer[at + i] = digit == 0 ? (byte) '0' : (byte) digit;
    }
  }

  /** Returns the checksum whose digits stand there, or {@link #NO_CHECKSUM} if they are none. */
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
   * Returns the checksum of the line that ends right before a place, as it stands there, whether it
   * is right or not.
   *
   * @param to behind the line break
   * @return {@link #NO_CHECKSUM} if no line ends there
   */
  static long checksumBefore(byte[] buffer, int to) {
    int at = to - END_LENGTH;
    boolean ends =
        at >= 0 && buffer[to - 3] == '"' && buffer[to - 2] == '}' && buffer[to - 1] == '\n';
    return ends ? readDigits(buffer, at) : NO_CHECKSUM;
  }

  /**
   * Returns whether the line ends with the right checksum.
   *
   * @param to where the line ends, without the line break
   */
  static boolean isIntact(byte[] buffer, int from, int to, CRC32C crc) {
    return isIntact(buffer, ByteBuffer.wrap(buffer), from, to, crc);
  }

  /**
   * The same for many lines in one buffer.
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
   * @param at where the field begins if there is one
   */
  static long after(ByteBuffer words, int at) {
    return words.getLong(at) == AFTER_BEGIN && words.getShort(at + Long.BYTES) == AFTER_END
        ? words.getLong(at + AFTER.length)
        : NO_CHECKSUM;
  }

  /** Returns whether an intact line holds a frame, rather than being a header. */
  static boolean isFrame(byte[] buffer, int from) {
    return at(buffer, from, ID) && at(buffer, from + ID_AT + ID_LENGTH, TOPIC);
  }

  static int endOfTopic(byte[] buffer, int from) {
    return indexOf(buffer, from + TOPIC_AT, (byte) '"');
  }

  /**
   * Returns where the first such byte stands; {@code to} if there is none before that. Looks at
   * eight at a time, which is better where many are to be passed over.
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

  /** Returns where the first such byte stands; {@code to} if there is none before that. */
  static int indexOf(byte[] buffer, int from, int to, byte wanted) {
    int at = from;
    while (at < to && buffer[at] != wanted) {
      at++;
    }
    return Math.min(at, to);
  }

  /** Returns where the batch id of a frame begins, given where its topic ends. */
  static int batchAt(int topicEnd) {
    return topicEnd + TIME.length + TimeText.LENGTH + BATCH.length;
  }

  /** Returns the whole number that stands there. */
  static int number(byte[] buffer, int from) {
    int number = 0;
    for (int at = from; buffer[at] >= '0' && buffer[at] <= '9'; at++) {
      number = number * 10 + buffer[at] - '0';
    }
    return number;
  }

  /** Returns where the JSON object that begins there ends; -1 if that is not before {@code to}. */
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
   * Returns where the closing quote of the string is whose inner part begins there; {@code to} or
   * behind if that is not before.
   */
  static int endOfString(byte[] buffer, int from, int to) {
    int at = from;
    while (at < to && buffer[at] != '"') {
      at += buffer[at] == '\\' ? 2 : 1;
    }
    return at;
  }

  /** Returns the id that was last minted when a frame was appended: its own, unless imported. */
  static String mintingClock(byte[] buffer, int from) {
    int at = clockAt(buffer, from);
    return id(buffer, at < 0 ? from + ID_AT : at);
  }

  /** Returns the id that stands there. */
  static String id(byte[] buffer, int at) {
    return new String(buffer, at, ID_LENGTH, StandardCharsets.ISO_8859_1);
  }

  /** Returns where the id in the {@code clock} field begins, or -1 where there is none. */
  static int clockAt(byte[] buffer, int from) {
    int batchEnd = indexOf(buffer, batchAt(endOfTopic(buffer, from)), (byte) '"');
    int at = behindPart(buffer, batchEnd + 1);
    return at(buffer, at, CLOCK) ? at + CLOCK.length : -1;
  }

  /** Returns where the fields go on behind {@code part} and {@code of}, if those stand there. */
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
