package dev.ralph.store.chronicle;

import dev.ralph.log.Batch;
import dev.ralph.log.Draft;
import dev.ralph.log.RalphException;
import dev.ralph.store.support.internal.segment.BatchContents;
import dev.ralph.store.support.internal.segment.FrameTime;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * The format of an excerpt, which contains a batch. Numbers are big-endian; offsets count from the
 * start of the excerpt:
 *
 * <pre>
 *   0  4  RCX1
 *   4  4  checksum (CRC-32C) of the store's id and of all bytes from 8 on
 *   8  8  position at which the previous excerpt ends, 0 for the first excerpt
 *  16  8  number of frames in the log before this excerpt
 *  24  4  number of frames in this excerpt
 *  28  1+ length and text of the batch's id
 *      1+ length and text of the id minted last; length 0 if the last frame has this id
 *  for each frame:
 *      4  length of the rest of the frame
 *     25  id
 *      8  time in milliseconds since 1970
 *      1+ length and name of the topic
 *      1  content: 0 empty, 1 in the excerpt, 2 in a file of its own
 *      4+ length and text of the meta
 *         content, or the address of its file
 *      4  end of this frame, counted from the start of the excerpt
 * </pre>
 *
 * <p>A frame's position is the end of the frame. Its last four bytes lead to the start of the
 * excerpt.
 */
final class BatchExcerpt {

  static final int MAGIC = 0x5243_5831;
  static final int PREVIOUS_AT = 8;
  static final int FRAMES_BEFORE_AT = 16;
  static final int COUNT_AT = 24;
  static final int BATCH_AT = 28;
  static final int ID_LENGTH = 25;
  static final int EMPTY = 0;
  static final int INLINE = 1;
  static final int EXTERNAL = 2;

  /** The size of a frame without topic, meta and content. */
  private static final int MIN_FRAME_BYTES = 4 + ID_LENGTH + 8 + 1 + 1 + 4 + 4;

  /** The minimum size: a frame with a single-character topic and without content. */
  static final int MIN_BYTES = BATCH_AT + 2 + 1 + 4 + ID_LENGTH + 8 + 2 + 1 + 4 + 2 + 4;

  /** The size in bytes above which content is stored in a separate file. */
  static final int INLINE_BYTES = 64 * 1024;

  /**
   * The size of a batch in bytes above which content over {@link #SMALL_BYTES} is stored in
   * separate files.
   */
  private static final int LARGE_BATCH_BYTES = 1024 * 1024;

  private static final int SMALL_BYTES = 1024;

  static final int MAX_CONTENT_BYTES = 64 * 1024 * 1024;
  static final int MAX_BATCH_FRAMES = 10_000;
  private static final int MAX_META_CHARACTERS = 1024 * 1024;

  /** The maximum size of an excerpt. Chronicle's limit is a quarter of its block size. */
  static final int MAX_BYTES = 15 * 1024 * 1024;

  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

  private BatchExcerpt() {}

  static int intAt(byte[] bytes, int at) {
    return (int) INT.get(bytes, at);
  }

  static long longAt(byte[] bytes, int at) {
    return (long) LONG.get(bytes, at);
  }

  /**
   * The checksums of a store. They include the store's id, to reject an excerpt of another store.
   */
  static final class Format {
    private final byte[] storeId;

    Format(String storeId) {
      this.storeId = storeId.getBytes(StandardCharsets.US_ASCII);
    }

    int checksum(byte[] bytes, int from, int to, CRC32C crc) {
      crc.reset();
      crc.update(storeId, 0, storeId.length);
      crc.update(bytes, from + PREVIOUS_AT, to - from - PREVIOUS_AT);
      return (int) crc.getValue();
    }

    boolean isIntact(byte[] bytes, int from, int to, CRC32C crc) {
      return to - from >= MIN_BYTES
          && intAt(bytes, from) == MAGIC
          && intAt(bytes, from + 4) == checksum(bytes, from, to, crc)
          && hasValidLengths(bytes, from, to);
    }

    /** Checks the lengths, because a forged excerpt can have a valid checksum. */
    private static boolean hasValidLengths(byte[] bytes, int from, int to) {
      int count = intAt(bytes, from + COUNT_AT);
      int batch = bytes[from + BATCH_AT];
      boolean isInside = batch >= 0 && from + BATCH_AT + 1 + batch < to;
      int clock = isInside ? bytes[from + BATCH_AT + 1 + batch] : -1;
      if (count < 1 || count > MAX_BATCH_FRAMES || clock != 0 && clock != ID_LENGTH) {
        return false;
      }
      int frame = from + BATCH_AT + 2 + batch + clock;
      for (int i = 0; i < count; i++) {
        int length = to - frame < MIN_FRAME_BYTES ? -1 : intAt(bytes, frame);
        if (length < MIN_FRAME_BYTES - 4 || length > to - frame - 4) {
          return false;
        }
        int end = frame + length; // four bytes with the frame's end follow
        int kind = frame + 4 + ID_LENGTH + 8 + 1 + (bytes[frame + 4 + ID_LENGTH + 8] & 0xff);
        int meta = kind > end - 5 ? -1 : intAt(bytes, kind + 1);
        if (meta < 0 || meta > end - kind - 5) {
          return false;
        }
        frame = end + 4;
      }
      return true;
    }
  }

  // ---- before the position is known

  /** Encodes topic, meta and content of each frame, known before the append. */
  static byte[][] encode(Batch batch, BatchContents contents) {
    List<Draft> drafts = batch.drafts();
    if (drafts.size() > MAX_BATCH_FRAMES) {
      throw RalphException.tooManyFrames(drafts.size(), MAX_BATCH_FRAMES);
    }
    byte[][] texts = new byte[drafts.size()][];
    long total = 0;
    for (int i = 0; i < texts.length; i++) {
      texts[i] = content(drafts.get(i));
      total += texts[i].length <= INLINE_BYTES ? texts[i].length : 0;
    }
    int inline = total <= LARGE_BATCH_BYTES ? INLINE_BYTES : SMALL_BYTES;
    byte[][] bodies = new byte[texts.length][];
    long size = 0;
    for (int i = 0; i < bodies.length; i++) {
      Draft draft = drafts.get(i);
      boolean isExternal = texts[i].length > inline;
      byte[] value =
          isExternal
              ? contents.put(draft.content(), texts[i]).getBytes(StandardCharsets.US_ASCII)
              : texts[i];
      bodies[i] = body(draft, isExternal, value);
      size += bodies[i].length + ID_LENGTH + 16;
      if (size > MAX_BYTES - 1024) {
        throw RalphException.invalid(
            "the batch has more than "
                + MAX_BYTES
                + " bytes of meta and small content; append smaller batches");
      }
    }
    return bodies;
  }

  private static byte[] content(Draft draft) {
    if (draft.meta().json().length() > MAX_META_CHARACTERS) {
      throw RalphException.invalid(
          "meta has "
              + draft.meta().json().length()
              + " characters, more than the limit of "
              + MAX_META_CHARACTERS
              + "; put long text into the content");
    }
    Instant time = draft.time();
    if (time != null) {
      FrameTime.check(time);
    }
    byte[] content = draft.content().getBytes(StandardCharsets.UTF_8);
    if (content.length > MAX_CONTENT_BYTES) {
      throw RalphException.tooLongContent(content.length, MAX_CONTENT_BYTES);
    }
    return content;
  }

  private static byte[] body(Draft draft, boolean isExternal, byte[] value) {
    byte[] topic = draft.topic().name().getBytes(StandardCharsets.US_ASCII);
    byte[] meta = draft.meta().json().getBytes(StandardCharsets.UTF_8);
    byte[] body = new byte[1 + topic.length + 1 + 4 + meta.length + value.length];
    body[0] = (byte) topic.length;
    System.arraycopy(topic, 0, body, 1, topic.length);
    int at = 1 + topic.length;
    body[at] = (byte) (isExternal ? EXTERNAL : value.length == 0 ? EMPTY : INLINE);
    INT.set(body, at + 1, meta.length);
    System.arraycopy(meta, 0, body, at + 5, meta.length);
    System.arraycopy(value, 0, body, at + 5 + meta.length, value.length);
    return body;
  }

  // ---- with the position

  /** Writes excerpts. Not safe for use by several threads. */
  static final class Writer {
    private static final int KEPT_BYTES = 1024 * 1024;

    private final CRC32C crc = new CRC32C();
    private byte[] buffer = new byte[8 * 1024];
    private int length;

    /** Begins an excerpt. */
    void begin(
        String batchId, String clock, long previous, long framesBefore, int count, int size) {
      int most = size + BATCH_AT + 256;
      if (buffer.length < most || buffer.length > KEPT_BYTES) {
        buffer = new byte[Math.max(most, 8 * 1024)];
      }
      INT.set(buffer, 0, MAGIC);
      LONG.set(buffer, PREVIOUS_AT, previous);
      LONG.set(buffer, FRAMES_BEFORE_AT, framesBefore);
      INT.set(buffer, COUNT_AT, count);
      length = BATCH_AT;
      shortText(batchId);
      shortText(clock);
    }

    private void shortText(String ascii) {
      buffer[length++] = (byte) ascii.length();
      ascii(ascii);
    }

    private void ascii(String text) {
      byte[] bytes = text.getBytes(StandardCharsets.ISO_8859_1);
      System.arraycopy(bytes, 0, buffer, length, bytes.length);
      length += bytes.length;
    }

    /** Adds a frame; returns its index in the excerpt. */
    int frame(String id, long timeMillis, byte[] body) {
      int from = length;
      length += 4;
      ascii(id);
      LONG.set(buffer, length, timeMillis);
      length += 8;
      System.arraycopy(body, 0, buffer, length, body.length);
      length += body.length + 4;
      INT.set(buffer, from, length - from - 4);
      INT.set(buffer, length - 4, length);
      return from;
    }

    /** Writes the checksum; returns the length of the excerpt. */
    int end(Format format) {
      INT.set(buffer, 4, format.checksum(buffer, 0, length, crc));
      return length;
    }

    byte[] buffer() {
      return buffer;
    }
  }

  /** Returns the size of a frame without its body, in bytes. */
  static int frameOverhead() {
    return 4 + ID_LENGTH + 8 + 4;
  }
}
