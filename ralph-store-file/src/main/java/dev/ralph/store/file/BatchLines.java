package dev.ralph.store.file;

import com.fasterxml.jackson.core.io.JsonStringEncoder;
import dev.ralph.log.Batch;
import dev.ralph.log.Draft;
import dev.ralph.log.RalphException;
import dev.ralph.log.Topic;
import dev.ralph.store.support.HashedContentStore;
import dev.ralph.store.support.internal.segment.BatchContents;
import dev.ralph.store.support.internal.segment.FrameTime;
import dev.ralph.store.support.internal.segment.KnownLog;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * The encoded lines of one batch. Most of the encoding is done before the store's lock is acquired.
 * Ids, times and checksums are known only under the lock; space is reserved for them, and {@link
 * #stamp} fills it. The frames that an append returns are views of these bytes.
 */
final class BatchLines {

  /** The largest content in the log, in bytes. Larger contents become content files. */
  static final int INLINE_BYTES = 64 * 1024;

  static final int MAX_CONTENT_BYTES = 64 * 1024 * 1024;
  static final int MAX_BATCH_FRAMES = 10_000;
  private static final int MAX_META_CHARACTERS = 1024 * 1024;
  private static final int MAX_BATCH_BYTES = 256 * 1024 * 1024;

  /** The approximate length of all fields except topic, batch id, meta and content. */
  private static final int OTHER_BYTES = 180;

  private final HashedContentStore contents;
  private final BatchContents beside;
  private final List<Draft> drafts;
  private final byte[] batchId;

  /** The end of each line, after its line break. */
  private final int[] ends;

  /** The offset of the digits in each line's {@code after} field. */
  private final int[] links;

  private byte[] bytes;
  private int length;

  private BatchLines(String batchId, List<Draft> drafts, HashedContentStore contents) {
    this.contents = contents;
    this.beside = new BatchContents(contents);
    this.drafts = drafts;
    this.batchId = LogLine.ascii(batchId);
    this.ends = new int[drafts.size()];
    this.links = new int[drafts.size()];
    this.bytes = new byte[roughLength()];
  }

  /**
   * Encodes the lines of a batch. Stores large contents durably in content files.
   *
   * @throws RalphException INVALID if the batch exceeds the limits of the store
   */
  static BatchLines of(Batch batch, HashedContentStore contents) {
    return of(batch.id(), batch.drafts(), contents);
  }

  private static BatchLines of(String batchId, List<Draft> drafts, HashedContentStore contents) {
    if (drafts.size() > MAX_BATCH_FRAMES) {
      throw RalphException.tooManyFrames(drafts.size(), MAX_BATCH_FRAMES);
    }
    BatchLines lines = new BatchLines(batchId, drafts, contents);
    lines.layOut();
    return lines;
  }

  /**
   * Returns the lines of this batch without some frames.
   *
   * @param left true for each frame to leave out
   */
  BatchLines without(boolean[] left) {
    List<Draft> kept = new ArrayList<>();
    for (int i = 0; i < left.length; i++) {
      if (!left[i]) {
        kept.add(drafts.get(i));
      }
    }
    return of(new String(batchId, StandardCharsets.US_ASCII), kept, contents);
  }

  /** Returns the number of valid bytes in {@link #bytes()}, including line breaks. */
  int length() {
    return length;
  }

  byte[] bytes() {
    return bytes;
  }

  /** Returns the start of a line in {@link #bytes()}. */
  int start(int line) {
    return line == 0 ? 0 : ends[line - 1];
  }

  /** Returns the end of a line in {@link #bytes()}, after its line break. */
  int end(int line) {
    return ends[line];
  }

  /** Returns the start of the part of a line that erasing overwrites. */
  int bodyAt(int line) {
    return links[line] + LogLine.CHECKSUM_DIGITS + 1;
  }

  int batchIdLength() {
    return batchId.length;
  }

  Topic topic(int line) {
    return drafts.get(line).topic();
  }

  /** Returns true if the draft of a line has an id. */
  boolean isImported(int line) {
    return drafts.get(line).id() != null;
  }

  // ---- before the lock is acquired

  private int roughLength() {
    long rough = 0;
    for (Draft draft : drafts) {
      int content = draft.content().length();
      rough += draft.topic().name().length() + batchId.length + OTHER_BYTES;
      rough += draft.meta().json().length() + (content > INLINE_BYTES ? 0 : content);
    }
    return (int) Math.min(rough, MAX_BATCH_BYTES);
  }

  private void layOut() {
    byte[] head = {};
    Topic headTopic = null;
    for (int i = 0; i < ends.length; i++) {
      Draft draft = drafts.get(i);
      Topic topic = draft.topic();
      if (topic != headTopic) {
        head = head(topic);
        headTopic = topic;
      }
      add(head);
      if (ends.length > 1) {
        add(LogLine.PART);
        addNumber(i + 1);
        add(LogLine.OF);
        addNumber(ends.length);
      }
      if (isImported(i)) {
        add(LogLine.CLOCK);
        leave(LogLine.ID_LENGTH);
        add('"');
      }
      links[i] = length + LogLine.AFTER.length;
      addMeta(draft);
      addContent(draft.content());
      leave(LogLine.CRC_LENGTH);
      add('\n');
      ends[i] = length;
      if (length > MAX_BATCH_BYTES) {
        throw RalphException.invalid(
            "a batch may have at most " + MAX_BATCH_BYTES + " bytes, not " + length + " or more");
      }
    }
  }

  /** Returns the beginning of a line, up to its batch id, with space for the id and the time. */
  private byte[] head(Topic topic) {
    byte[] name = LogLine.ascii(topic.name());
    byte[] head = new byte[LogLine.batchAt(LogLine.TOPIC_AT + name.length) + batchId.length + 1];
    put(LogLine.ID, head, 0);
    put(LogLine.TOPIC, head, LogLine.ID_AT + LogLine.ID_LENGTH);
    int at = put(name, head, LogLine.TOPIC_AT);
    at = put(LogLine.TIME, head, at);
    at = put(LogLine.BATCH, head, at + TimeText.LENGTH);
    at = put(batchId, head, at);
    head[at] = '"';
    return head;
  }

  private static int put(byte[] word, byte[] to, int at) {
    System.arraycopy(word, 0, to, at, word.length);
    return at + word.length;
  }

  private void addMeta(Draft draft) {
    Instant time = draft.time();
    if (time != null) {
      FrameTime.check(time);
    }
    String meta = draft.meta().json();
    if (meta.length() > MAX_META_CHARACTERS) {
      throw RalphException.invalid(
          "meta may have at most " + MAX_META_CHARACTERS + " characters, not " + meta.length());
    }
    add(LogLine.AFTER_META);
    add(meta.getBytes(StandardCharsets.UTF_8));
  }

  private void addContent(String content) {
    if (content.isEmpty()) {
      return;
    }
    byte[] text = content.getBytes(StandardCharsets.UTF_8);
    if (text.length > MAX_CONTENT_BYTES) {
      throw RalphException.tooLongContent(text.length, MAX_CONTENT_BYTES);
    }
    if (text.length > INLINE_BYTES) {
      add(LogLine.CONTENT_REF);
      add(LogLine.ascii(beside.put(content, text)));
    } else {
      add(LogLine.CONTENT);
      add(isPlain(text) ? text : JsonStringEncoder.getInstance().quoteAsUTF8(content));
    }
    add('"');
  }

  /**
   * Returns true if the text needs no escaping in JSON. Most texts need none, and this check is
   * faster than the encoder.
   */
  private static boolean isPlain(byte[] text) {
    for (byte b : text) {
      if (b >= 0 && b < ' ' || b == '"' || b == '\\') {
        return false;
      }
    }
    return true;
  }

  private void add(byte[] word) {
    reserve(word.length);
    length = put(word, bytes, length);
  }

  private void add(char ascii) {
    reserve(1);
    bytes[length++] = (byte) ascii;
  }

  private void addNumber(int number) {
    if (number >= 10) {
      addNumber(number / 10);
    }
    add((char) ('0' + number % 10));
  }

  private void leave(int open) {
    reserve(open);
    length += open;
  }

  private void reserve(int more) {
    if (length + more > bytes.length) {
      bytes = Arrays.copyOf(bytes, Math.max(bytes.length * 2, length + more));
    }
  }

  // ---- under the lock

  /**
   * Fills in ids, times and checksums. May be repeated.
   *
   * @param nowMillis the time of frames without a time, in milliseconds since 1970
   * @param known generates ids for frames without an id
   * @param link the checksum of the preceding line, or {@link LogLine#NO_CHECKSUM}
   * @return the checksum of the last line, or {@code link} if there are no lines
   * @throws RalphException FULL or IO if a removed content file can't be written again
   */
  long stamp(long nowMillis, KnownLog known, long link) {
    beside.putAgainIfRemoved();
    CRC32C crc = new CRC32C();
    byte[] now = new byte[TimeText.LENGTH];
    TimeText.write(nowMillis, now, 0);
    for (int i = 0, from = 0; i < ends.length; from = ends[i++]) {
      Draft draft = drafts.get(i);
      int topicEnd = from + LogLine.TOPIC_AT + draft.topic().name().length();
      String id = draft.id();
      if (id == null) {
        known.mint(bytes, from + LogLine.ID_AT);
      } else {
        put(LogLine.ascii(id), bytes, from + LogLine.ID_AT);
        put(LogLine.ascii(known.lastMinted()), bytes, LogLine.clockAt(bytes, from));
      }
      Instant time = draft.time();
      if (time == null) {
        put(now, bytes, topicEnd + LogLine.TIME.length);
      } else {
        TimeText.write(time.toEpochMilli(), bytes, topicEnd + LogLine.TIME.length);
      }
      if (i == 0) {
        LogLine.writeDigits(bytes, links[i], link);
      } else {
        System.arraycopy(
            bytes, from - LogLine.END_LENGTH, bytes, links[i], LogLine.CHECKSUM_DIGITS);
      }
      LogLine.writeChecksum(bytes, from, ends[i] - 1 - LogLine.CRC_LENGTH, crc);
    }
    return length == 0 ? link : LogLine.readDigits(bytes, length - LogLine.END_LENGTH);
  }

  /**
   * Returns the frames of the lines.
   *
   * @param position the start of the first line
   * @param segments the segments with the lines
   */
  List<FileFrame> frames(long position, Segments segments) {
    FileFrame[] frames = new FileFrame[ends.length];
    for (int i = 0; i < frames.length; i++) {
      frames[i] = new FileFrame(this, i, position + ends[i], segments);
    }
    return List.of(frames);
  }
}
