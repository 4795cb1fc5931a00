package dev.ralph.store.file;

import com.fasterxml.jackson.core.io.JsonStringEncoder;
import dev.ralph.Draft;
import dev.ralph.RalphException;
import dev.ralph.spi.Batch;
import dev.ralph.spi.ContentStore;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32C;
import javax.annotation.Nullable;

/** Writes the lines of batches into one buffer. For one thread at a time. */
final class LineWriter {

  /** Content larger than this lies beside the log. */
  static final int INLINE_BYTES = 64 * 1024;

  static final int MAX_CONTENT_BYTES = 64 * 1024 * 1024;
  static final int MAX_BATCH_FRAMES = 10_000;
  private static final int MAX_META_CHARACTERS = 1024 * 1024;
  private static final int MAX_BATCH_BYTES = 256 * 1024 * 1024;
  private static final int KEPT_BYTES = 1024 * 1024;

  private final CRC32C crc = new CRC32C();

  /** The time written last, which the frames of a batch share. */
  private final byte[] writtenTime = new byte[TimeText.LENGTH];

  private long writtenMillis = Long.MIN_VALUE;
  private byte[] buffer = new byte[8 * 1024];
  private int length;

  /**
   * Encodes what is known of a batch before it has its place: everything that costs time. Large
   * content is put beside the log, durably.
   */
  static byte[][] encode(Batch batch, ContentStore contents) {
    List<Draft> drafts = batch.drafts();
    if (drafts.size() > MAX_BATCH_FRAMES) {
      throw RalphException.invalid(
          "a batch may have " + MAX_BATCH_FRAMES + " frames at most, not " + drafts.size());
    }
    byte[][] bodies = new byte[drafts.size()][];
    long total = 0;
    for (int i = 0; i < bodies.length; i++) {
      bodies[i] = body(drafts.get(i), contents);
      total += bodies[i].length;
    }
    if (total > MAX_BATCH_BYTES) {
      throw RalphException.invalid(
          "a batch may have " + MAX_BATCH_BYTES + " bytes at most, not " + total);
    }
    return bodies;
  }

  private static byte[] body(Draft draft, ContentStore contents) {
    Instant time = draft.time();
    if (time != null) {
      TimeText.check(time);
    }
    String meta = draft.meta().json();
    if (meta.length() > MAX_META_CHARACTERS) {
      throw RalphException.invalid(
          "meta may have " + MAX_META_CHARACTERS + " characters at most, not " + meta.length());
    }
    byte[] metaBytes = meta.getBytes(StandardCharsets.UTF_8);
    byte[] field = {};
    byte[] value = {};
    String content = draft.content();
    if (!content.isEmpty()) {
      byte[] bytes = content.getBytes(StandardCharsets.UTF_8);
      if (bytes.length > MAX_CONTENT_BYTES) {
        throw RalphException.invalid(
            "content may have " + MAX_CONTENT_BYTES + " bytes at most, not " + bytes.length);
      }
      if (bytes.length > INLINE_BYTES) {
        field = Line.CONTENT_REF;
        value = Line.ascii(contents.put(bytes));
      } else {
        field = Line.CONTENT;
        value = isPlain(bytes) ? bytes : JsonStringEncoder.getInstance().quoteAsUTF8(content);
      }
    }
    int contentLength = field.length == 0 ? 0 : field.length + value.length + 1;
    byte[] body = new byte[Line.META.length + metaBytes.length + contentLength];
    int at = put(body, 0, Line.META);
    at = put(body, at, metaBytes);
    if (contentLength > 0) {
      at = put(body, at, field);
      at = put(body, at, value);
      body[at] = '"';
    }
    return body;
  }

  /**
   * Returns whether JSON has the text as it is: most have nothing to escape, and this is faster.
   */
  private static boolean isPlain(byte[] text) {
    for (byte b : text) {
      if (b >= 0 && b < ' ' || b == '"' || b == '\\') {
        return false;
      }
    }
    return true;
  }

  private static int put(byte[] to, int at, byte[] bytes) {
    System.arraycopy(bytes, 0, to, at, bytes.length);
    return at + bytes.length;
  }

  /** Begins anew. */
  void reset() {
    length = 0;
    if (buffer.length > KEPT_BYTES) {
      buffer = new byte[8 * 1024];
    }
  }

  /** Takes back what was written behind that length. */
  void truncate(int to) {
    length = to;
  }

  int length() {
    return length;
  }

  byte[] buffer() {
    return buffer;
  }

  /**
   * Writes one line.
   *
   * @param part from 1, of {@code of} in the batch
   * @param clock the id last minted, where this frame's id was not minted here
   * @return the line without its line break, on its own
   */
  byte[] line(
      String id,
      byte[] topic,
      long timeMillis,
      byte[] batch,
      int part,
      int of,
      @Nullable String clock,
      byte[] body) {
    int from = length;
    reserve(body.length + topic.length + batch.length + 256);
    add(Line.ID);
    addAscii(id);
    add(Line.TOPIC);
    add(topic);
    add(Line.TIME);
    addTime(timeMillis);
    add(Line.BATCH);
    add(batch);
    buffer[length++] = '"';
    if (of > 1) {
      add(Line.PART);
      addAscii(Integer.toString(part));
      add(Line.OF);
      addAscii(Integer.toString(of));
    }
    if (clock != null) {
      add(Line.CLOCK);
      addAscii(clock);
      buffer[length++] = '"';
    }
    add(body);
    Line.writeChecksum(buffer, from, length, crc);
    length += Line.CRC_LENGTH;
    byte[] line = Arrays.copyOfRange(buffer, from, length);
    buffer[length++] = '\n';
    return line;
  }

  private void addTime(long millis) {
    if (millis != writtenMillis) {
      writtenMillis = millis;
      TimeText.write(millis, writtenTime, 0);
    }
    add(writtenTime);
  }

  private void reserve(int more) {
    if (length + more > buffer.length) {
      buffer = Arrays.copyOf(buffer, Math.max(buffer.length * 2, length + more));
    }
  }

  private void add(byte[] bytes) {
    System.arraycopy(bytes, 0, buffer, length, bytes.length);
    length += bytes.length;
  }

  private void addAscii(String text) {
    add(text.getBytes(StandardCharsets.ISO_8859_1));
  }
}
