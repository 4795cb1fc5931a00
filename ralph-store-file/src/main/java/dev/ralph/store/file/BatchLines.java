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
 * The lines of one batch, side by side as they will stand in the log. They are laid out before the
 * store's lock is taken, with everything that costs time; what is known only under the lock, ids,
 * times and checksums, has its places left open, to be stamped in. The frames that an append
 * returns are views of the same bytes.
 */
final class BatchLines {

  /** Content larger than this lies beside the log. */
  static final int INLINE_BYTES = 64 * 1024;

  static final int MAX_CONTENT_BYTES = 64 * 1024 * 1024;
  static final int MAX_BATCH_FRAMES = 10_000;
  private static final int MAX_META_CHARACTERS = 1024 * 1024;
  private static final int MAX_BATCH_BYTES = 256 * 1024 * 1024;

  /** About what a line has besides topic, batch id, meta and content. */
  private static final int OTHER_BYTES = 180;

  private final HashedContentStore contents;
  private final BatchContents beside;
  private final List<Draft> drafts;
  private final byte[] batchId;

  /** Where the line break of each line stands, plus one. */
  private final int[] ends;

  /** Where the digits of each line's {@code after} field stand. */
  private final int[] links;

  private byte[] bytes;
  private int length;

  private BatchLines(String batchId, List<Draft> drafts, HashedContentStore contents) {
    this.contents = contents;
    this.beside = new BatchContents(contents);
    this.drafts = drafts;
    this.batchId = Line.ascii(batchId);
    this.ends = new int[drafts.size()];
    this.links = new int[drafts.size()];
    this.bytes = new byte[roughLength()];
  }

  /**
   * Lays out the lines of a batch. Large content is put beside the log, durably.
   *
   * @throws RalphException INVALID if the batch is larger than the store allows
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

  /** Returns the lines of this batch without some of its frames. */
  BatchLines without(boolean[] left) {
    List<Draft> kept = new ArrayList<>();
    for (int i = 0; i < left.length; i++) {
      if (!left[i]) {
        kept.add(drafts.get(i));
      }
    }
    return of(new String(batchId, StandardCharsets.US_ASCII), kept, contents);
  }

  /** Returns how many of {@link #bytes()} are the lines, line breaks included. */
  int length() {
    return length;
  }

  byte[] bytes() {
    return bytes;
  }

  Topic topic(int line) {
    return drafts.get(line).topic();
  }

  /** Returns whether a frame brings its id with it. */
  boolean isImported(int line) {
    return drafts.get(line).id() != null;
  }

  // ---- before the lock

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
        add(Line.PART);
        addNumber(i + 1);
        add(Line.OF);
        addNumber(ends.length);
      }
      if (isImported(i)) {
        add(Line.CLOCK);
        leave(Line.ID_LENGTH);
        add('"');
      }
      links[i] = length + Line.AFTER.length;
      addMeta(draft);
      addContent(draft.content());
      leave(Line.CRC_LENGTH);
      add('\n');
      ends[i] = length;
      if (length > MAX_BATCH_BYTES) {
        throw RalphException.invalid(
            "a batch may have " + MAX_BATCH_BYTES + " bytes at most, not " + length + " and more");
      }
    }
  }

  /** Returns what a line begins with, up to its batch id; the places of id and time are open. */
  private byte[] head(Topic topic) {
    byte[] name = Line.ascii(topic.name());
    byte[] head = new byte[Line.batchAt(Line.TOPIC_AT + name.length) + batchId.length + 1];
    put(Line.ID, head, 0);
    put(Line.TOPIC, head, Line.ID_AT + Line.ID_LENGTH);
    int at = put(name, head, Line.TOPIC_AT);
    at = put(Line.TIME, head, at);
    at = put(Line.BATCH, head, at + TimeText.LENGTH);
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
          "meta may have " + MAX_META_CHARACTERS + " characters at most, not " + meta.length());
    }
    add(Line.AFTER_META);
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
      add(Line.CONTENT_REF);
      add(Line.ascii(beside.put(content, text)));
    } else {
      add(Line.CONTENT);
      add(isPlain(text) ? text : JsonStringEncoder.getInstance().quoteAsUTF8(content));
    }
    add('"');
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
   * Puts in what was left open. May be done again.
   *
   * @param nowMillis the time of frames that bring none with them
   * @param known mints ids for frames that bring none
   * @param link the checksum of the line before the first one; any will do where it has none
   * @return the checksum of the last line, or the link if there is none
   * @throws RalphException FULL or IO if content can't be put beside the log again
   */
  long stamp(long nowMillis, KnownLog known, long link) {
    beside.putAgainIfRemoved();
    CRC32C crc = new CRC32C();
    byte[] now = new byte[TimeText.LENGTH];
    TimeText.write(nowMillis, now, 0);
    for (int i = 0, from = 0; i < ends.length; from = ends[i++]) {
      Draft draft = drafts.get(i);
      int topicEnd = from + Line.TOPIC_AT + draft.topic().name().length();
      String id = draft.id();
      if (id == null) {
        known.mint(bytes, from + Line.ID_AT);
      } else {
        put(Line.ascii(id), bytes, from + Line.ID_AT);
        put(Line.ascii(known.lastMinted()), bytes, Line.clockAt(bytes, from));
      }
      Instant time = draft.time();
      if (time == null) {
        put(now, bytes, topicEnd + Line.TIME.length);
      } else {
        TimeText.write(time.toEpochMilli(), bytes, topicEnd + Line.TIME.length);
      }
      if (i == 0) {
        Line.writeDigits(bytes, links[i], link);
      } else {
        System.arraycopy(bytes, from - Line.END_LENGTH, bytes, links[i], Line.CHECKSUM_DIGITS);
      }
      Line.writeChecksum(bytes, from, ends[i] - 1 - Line.CRC_LENGTH, crc);
    }
    return length == 0 ? link : Line.readDigits(bytes, length - Line.END_LENGTH);
  }

  /**
   * Returns the frames of the lines.
   *
   * @param position where the first line begins
   * @param segments where the lines stand now
   */
  List<FileFrame> frames(long position, Segments segments) {
    FileFrame[] frames = new FileFrame[ends.length];
    for (int i = 0, from = 0; i < frames.length; from = ends[i++]) {
      Topic topic = topic(i);
      int batchEnd = Line.batchAt(from + Line.TOPIC_AT + topic.name().length()) + batchId.length;
      frames[i] =
          new FileFrame(
              bytes,
              from,
              ends[i] - 1,
              topic,
              batchEnd,
              links[i] + Line.CHECKSUM_DIGITS + 1,
              0,
              position + ends[i],
              segments);
    }
    return List.of(frames);
  }
}
