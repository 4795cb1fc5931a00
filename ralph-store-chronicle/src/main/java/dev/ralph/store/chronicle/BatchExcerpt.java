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
 * The form of an excerpt, which holds one batch. Numbers are big-endian; offsets count from the
 * excerpt's start:
 *
 * <pre>
 *   0  4  RCX1
 *   4  4  checksum (CRC-32C) of the store's id and of everything from 8 on
 *   8  8  position at which the excerpt before this one ends, 0 for the first
 *  16  8  how many frames stand before this one
 *  24  4  how many frames follow
 *  28  1+ the batch's id, behind its length
 *      1+ the id last minted, behind its length: 0 where the last frame's id is that
 *  each frame:
 *      4  length of what follows
 *     25  id
 *      8  time in milliseconds since 1970
 *      1+ topic, behind its length
 *      1  content: 0 empty, 1 here, 2 beside the log
 *      4+ meta, behind its length
 *         content, or its address
 *      4  where this frame ends
 * </pre>
 *
 * <p>A frame's position is where it ends, so that the excerpt is found from any position in it.
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
  static final int BESIDE = 2;

  /** What a frame has around its topic, meta and content. */
  private static final int FRAME_AT_LEAST = 4 + ID_LENGTH + 8 + 1 + 1 + 4 + 4;

  /** No excerpt is shorter: of one frame, with ids of one character, and nothing in it. */
  static final int SHORTEST = BATCH_AT + 2 + 1 + 4 + ID_LENGTH + 8 + 2 + 1 + 4 + 2 + 4;

  /** Content larger than this lies beside the log. */
  static final int INLINE_BYTES = 64 * 1024;

  /** In a batch larger than this, smaller content does as well. */
  private static final int ROOMY_BYTES = 1024 * 1024;

  private static final int SMALL_BYTES = 1024;

  static final int MAX_CONTENT_BYTES = 64 * 1024 * 1024;
  static final int MAX_BATCH_FRAMES = 10_000;
  private static final int MAX_META_CHARACTERS = 1024 * 1024;

  /** Chronicle takes a quarter of its block at most. */
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
   * The checksums of one store. They cover its id: what belongs to another store is not taken for
   * this one's.
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
      return to - from >= SHORTEST
          && intAt(bytes, from) == MAGIC
          && intAt(bytes, from + 4) == checksum(bytes, from, to, crc)
          && isWhole(bytes, from, to);
    }

    /** A right checksum is no proof that the lengths are: who makes a store makes both. */
    private static boolean isWhole(byte[] bytes, int from, int to) {
      int count = intAt(bytes, from + COUNT_AT);
      int batch = bytes[from + BATCH_AT];
      boolean isInside = batch >= 0 && from + BATCH_AT + 1 + batch < to;
      int clock = isInside ? bytes[from + BATCH_AT + 1 + batch] : -1;
      if (count < 1 || count > MAX_BATCH_FRAMES || clock != 0 && clock != ID_LENGTH) {
        return false;
      }
      int frame = from + BATCH_AT + 2 + batch + clock;
      for (int i = 0; i < count; i++) {
        int length = to - frame < FRAME_AT_LEAST ? -1 : intAt(bytes, frame);
        if (length < FRAME_AT_LEAST - 4 || length > to - frame - 4) {
          return false;
        }
        int end = frame + length; // and four more bytes, which say so
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

  // ---- before the batch has its place

  /**
   * Encodes of each frame what is known before the append: the part from its topic to its content.
   */
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
    int inline = total <= ROOMY_BYTES ? INLINE_BYTES : SMALL_BYTES;
    byte[][] bodies = new byte[texts.length][];
    long size = 0;
    for (int i = 0; i < bodies.length; i++) {
      Draft draft = drafts.get(i);
      boolean beside = texts[i].length > inline;
      byte[] value =
          beside
              ? contents.put(draft.content(), texts[i]).getBytes(StandardCharsets.US_ASCII)
              : texts[i];
      bodies[i] = body(draft, beside, value);
      size += bodies[i].length + ID_LENGTH + 16;
      if (size > MAX_BYTES - 1024) {
        throw RalphException.invalid(
            "a batch may have " + MAX_BYTES + " bytes of meta and small content at most");
      }
    }
    return bodies;
  }

  private static byte[] content(Draft draft) {
    if (draft.meta().json().length() > MAX_META_CHARACTERS) {
      throw RalphException.invalid(
          "meta may have "
              + MAX_META_CHARACTERS
              + " characters at most, not "
              + draft.meta().json().length());
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

  private static byte[] body(Draft draft, boolean beside, byte[] value) {
    byte[] topic = draft.topic().name().getBytes(StandardCharsets.US_ASCII);
    byte[] meta = draft.meta().json().getBytes(StandardCharsets.UTF_8);
    byte[] body = new byte[1 + topic.length + 1 + 4 + meta.length + value.length];
    body[0] = (byte) topic.length;
    System.arraycopy(topic, 0, body, 1, topic.length);
    int at = 1 + topic.length;
    body[at] = (byte) (beside ? BESIDE : value.length == 0 ? EMPTY : INLINE);
    INT.set(body, at + 1, meta.length);
    System.arraycopy(meta, 0, body, at + 5, meta.length);
    System.arraycopy(value, 0, body, at + 5 + meta.length, value.length);
    return body;
  }

  // ---- with its place

  /** Writes one excerpt. For one thread. */
  static final class Writer {
    private static final int KEPT_BYTES = 1024 * 1024;

    private final CRC32C crc = new CRC32C();
    private byte[] buffer = new byte[8 * 1024];
    private int length;

    /** Begins an excerpt of that many frames. */
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

    /** Adds a frame; returns where it begins. */
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

    /** Ends it; returns its length. */
    int end(Format format) {
      INT.set(buffer, 4, format.checksum(buffer, 0, length, crc));
      return length;
    }

    byte[] buffer() {
      return buffer;
    }
  }

  /** Returns how many bytes a frame takes, besides its body. */
  static int frameOverhead() {
    return 4 + ID_LENGTH + 8 + 4;
  }
}
