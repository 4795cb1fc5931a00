package dev.ralph.store.chronicle;

import dev.ralph.log.Damage;
import dev.ralph.log.TopicFilter;
import dev.ralph.store.support.internal.segment.SegmentInput;
import dev.ralph.store.support.internal.segment.SegmentPosition;
import dev.ralph.store.support.internal.segment.SegmentReader;
import dev.ralph.store.support.internal.segment.TopicTable;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Reads excerpts from roll files up to the end of the log in {@link LogEnd}. In Chronicle's
 * documented format, a header of four bytes precedes each excerpt. Each excerpt contains the end of
 * the previous excerpt, so the reader detects lost excerpts. After damage, the reader continues at
 * the next intact excerpt.
 */
final class ExcerptReader implements SegmentReader {

  private static final int NOT_COMPLETE = 0x8000_0000;
  private static final int META_DATA = 0x4000_0000;
  private static final int LENGTH_MASK = 0x3fff_ffff;
  private static final int END_OF_DATA = NOT_COMPLETE | META_DATA;

  /** The content after the end-of-data header: the length 3 and the text EOF. */
  private static final int END_TEXT = 0xc345_4f46;

  /** The maximum size of Chronicle's own tables, which have 32 KiB each. */
  private static final int MAX_TABLE_BYTES = 64 * 1024;

  private static final int HEADER = 4;
  private static final int BUFFER_BYTES = 256 * 1024;

  /** Zeros to compare with the buffer: the unused end of a roll file consists of zeros. */
  private static final byte[] ZEROS = new byte[BUFFER_BYTES];

  private static final int ZERO_CHECK_INTERVAL = 4096;
  private static final int MAX_DAMAGE_ENTRIES = 10_000;
  private static final long UNKNOWN = -1;

  private final RollFiles files;
  private final TopicTable topics;
  private final boolean ignoresLogEnd;
  private final CRC32C crc = new CRC32C();
  private final SegmentInput input;
  private final List<Damage> damage = new ArrayList<>();
  private final ArrayDeque<ChronicleFrame> ready = new ArrayDeque<>();

  private int segment;
  private long stop = Long.MAX_VALUE;

  /** The offset at which the next header is expected. */
  private long at;

  /** The offset up to which all excerpts are returned or reported as damaged. */
  private long settled;

  /** The position that the next excerpt must contain as the end of the previous excerpt. */
  private long previous = UNKNOWN;

  /** The number of frames in the log before the next excerpt. */
  private long frames = UNKNOWN;

  /** The index in the buffer of the id that was minted last, as of the last excerpt; or -1. */
  private int clockAt = -1;

  private byte[] buffer = new byte[0];
  private long bufferOffset;
  private int bufferLimit;

  /** Creates a reader from a position, possibly within a batch. */
  ExcerptReader(RollFiles files, TopicFilter filter, long position) {
    this(files, filter, false);
    segment = SegmentPosition.segment(position);
    resume(SegmentPosition.offset(position));
  }

  private ExcerptReader(RollFiles files, TopicFilter filter, boolean ignoresLogEnd) {
    this.files = files;
    this.topics = new TopicTable(filter);
    this.input = new SegmentInput(files);
    this.ignoresLogEnd = ignoresLogEnd;
  }

  /**
   * Returns a reader that ignores the end of the log and reads to the last intact excerpt of a roll
   * file.
   *
   * @param offset the end of a batch in the roll file, at which to start; 0 for the first batch
   */
  static ExcerptReader ignoringLogEnd(RollFiles files, int segment, long offset) {
    ExcerptReader reader = new ExcerptReader(files, TopicFilter.all(), true);
    reader.jump(segment, offset);
    return reader;
  }

  /** Returns the end of the last excerpt of a finished roll file, which the next file contains. */
  static long lastExcerptEnd(RollFiles files, int segment) {
    for (int next = files.after(segment); next != 0; next = files.after(next)) {
      long named;
      try (ExcerptReader reader = ignoringLogEnd(files, next, 0)) {
        named = reader.firstPrevious();
      }
      if (named != UNKNOWN) {
        int other = SegmentPosition.segment(named);
        return other == segment
            ? SegmentPosition.offset(named)
            : other < segment ? 0 : lastIntact(files, segment);
      }
    }
    return lastIntact(files, segment);
  }

  private static long lastIntact(RollFiles files, int segment) {
    try (ExcerptReader reader = ignoringLogEnd(files, segment, 0)) {
      while (reader.next() != null) {
        // skip to the last excerpt
      }
      return SegmentPosition.offset(reader.position());
    }
  }

  /**
   * Returns the end of the non-zero bytes after the last excerpt, not counting Chronicle's own
   * tables; the end of the excerpt if only zeros follow.
   */
  long endOfBytes() {
    long offset = aligned(settled);
    int header = headerAt(offset);
    while (isMetaData(header)) {
      offset = nextHeader(offset, header);
      header = headerAt(offset);
    }
    if (header == END_OF_DATA) {
      offset += HEADER;
      offset += Integer.reverseBytes(headerAt(offset)) == END_TEXT ? 4 : 0;
    }
    long end = settled;
    long limit = limit();
    while (offset < limit && fill(offset, 1)) {
      if (!isZeroFrom(offset)) {
        int last = bufferLimit;
        while (last > inBuffer(offset) && buffer[last - 1] == 0) {
          last--;
        }
        end = last > inBuffer(offset) ? bufferOffset + last : end;
      }
      offset = bufferOffset + bufferLimit;
    }
    return end;
  }

  private long firstPrevious() {
    while (true) {
      int header = headerAt(at);
      if (isMetaData(header)) {
        at = nextHeader(at, header);
        continue;
      }
      return isExcerpt(at, Long.MAX_VALUE)
          ? BatchExcerpt.longAt(buffer, inBuffer(at) + HEADER + BatchExcerpt.PREVIOUS_AT)
          : UNKNOWN;
    }
  }

  @Override
  public void requireOpen() {
    input.requireOpen();
  }

  @Override
  public TopicFilter filter() {
    return topics.filter();
  }

  @Override
  public long position() {
    return SegmentPosition.of(segment, settled);
  }

  /** Returns the number of frames in the log up to this position, or -1 if unknown. */
  long frames() {
    return frames;
  }

  /**
   * Returns the id that was minted last, as of the last excerpt; empty if unknown. Valid until the
   * next read.
   */
  String clock() {
    return clockAt < 0
        ? ""
        : new String(buffer, clockAt, BatchExcerpt.ID_LENGTH, StandardCharsets.US_ASCII);
  }

  @Override
  public int segment() {
    return segment;
  }

  @Override
  public List<Damage> damage() {
    return damage;
  }

  @Override
  public boolean hasReady() {
    return !ready.isEmpty();
  }

  @Override
  public void stopAt(long offset) {
    stop = offset;
  }

  @Override
  public void jump(int toSegment, long offset) {
    ready.clear();
    moveTo(toSegment, offset);
    previous = offset == 0 ? UNKNOWN : SegmentPosition.of(toSegment, offset);
    frames = UNKNOWN;
  }

  private void moveTo(int toSegment, long offset) {
    stop = Long.MAX_VALUE;
    if (toSegment != segment) {
      input.release();
      segment = toSegment;
      bufferLimit = 0;
    }
    settled = offset;
    at = aligned(offset);
  }

  /** Moves to the end of a frame, and reads the rest of its batch. */
  private void resume(long offset) {
    settled = offset;
    at = aligned(offset);
    long limit = limit();
    if (offset == 0 || offset > limit) {
      return;
    }
    int back = fill(offset - 4, 4) ? BatchExcerpt.intAt(buffer, inBuffer(offset - 4)) : 0;
    long start = offset - back - HEADER;
    boolean found = back > 0 && start > 0 && isExcerpt(start, limit);
    previous = UNKNOWN;
    if (found) {
      addFrames(start, offset);
    }
  }

  @Override
  public @Nullable ChronicleFrame next() {
    while (true) {
      ChronicleFrame first = ready.poll();
      if (first != null) {
        return first;
      }
      requireOpen();
      long limit = Math.min(stop, limit());
      if (at >= limit || segment == 0) {
        if (ignoresLogEnd || segment == 0 || settled >= limit) {
          return null;
        }
        findNext(limit);
        continue;
      }
      int header = headerAt(at);
      if (isMetaData(header) && nextHeader(at, header) <= aligned(limit)) {
        at = nextHeader(at, header);
      } else if (isExcerpt(at, limit)) {
        long hidden = followsGap() ? firstExcerpt(at) : at;
        if (hidden < at) {
          at = hidden; // a table with a damaged header seemed to cover this excerpt
          continue;
        }
        checkPrevious();
        addFrames(at, 0);
      } else if (!findNext(limit)) {
        return null;
      }
    }
  }

  private long limit() {
    return ignoresLogEnd ? files.file(segment).length() : files.length(segment);
  }

  private int headerAt(long offset) {
    return fill(offset, HEADER)
        ? Integer.reverseBytes(BatchExcerpt.intAt(buffer, inBuffer(offset)))
        : 0;
  }

  /** Returns whether a header belongs to one of Chronicle's own tables. */
  static boolean isMetaData(int header) {
    return (header & (NOT_COMPLETE | META_DATA)) == META_DATA
        && (header & LENGTH_MASK) <= MAX_TABLE_BYTES;
  }

  /** Returns the offset of the header after an entry. */
  static long nextHeader(long offset, int header) {
    return aligned(offset + HEADER + (header & LENGTH_MASK));
  }

  private static long aligned(long offset) {
    return offset + 3 & ~3L;
  }

  /** Returns whether an intact excerpt starts at an offset, and reads it into the buffer. */
  private boolean isExcerpt(long offset, long limit) {
    int header = headerAt(offset);
    if (header < BatchExcerpt.MIN_BYTES
        || header > BatchExcerpt.MAX_BYTES
        || offset + HEADER + header > limit) {
      return false;
    }
    if (!fill(offset, HEADER + header)) {
      return false;
    }
    int from = inBuffer(offset) + HEADER;
    return files.format().isIntact(buffer, from, from + header, crc);
  }

  /** Returns true if excerpts before the next excerpt are lost. */
  private boolean followsGap() {
    int from = inBuffer(at) + HEADER;
    long named = BatchExcerpt.longAt(buffer, from + BatchExcerpt.PREVIOUS_AT);
    long before = BatchExcerpt.longAt(buffer, from + BatchExcerpt.FRAMES_BEFORE_AT);
    return previous == UNKNOWN
        ? settled == 0 && SegmentPosition.segment(named) == segment
        : named != previous || frames != UNKNOWN && before != frames;
  }

  /** Reports the damage between the current offset and the next excerpt. */
  private void checkPrevious() {
    int from = inBuffer(at) + HEADER;
    long named = BatchExcerpt.longAt(buffer, from + BatchExcerpt.PREVIOUS_AT);
    long before = BatchExcerpt.longAt(buffer, from + BatchExcerpt.FRAMES_BEFORE_AT);
    int other = SegmentPosition.segment(named);
    if (followsGap()) {
      long lost = frames == UNKNOWN ? 1 : Math.max(1, before - frames);
      if (other == segment || other == 0) {
        report(segment, settled, at - settled, lost, "an excerpt is missing");
      } else {
        report(
            other, 0, SegmentPosition.offset(named), lost, "the end of the roll file is missing");
      }
    } else if (previous == UNKNOWN && other != 0 && other != segment && !files.exists(other)) {
      report(other, 0, SegmentPosition.offset(named), 1, "the roll file is missing");
    }
  }

  /**
   * Adds the frames of the excerpt in the buffer to the result.
   *
   * @param offset the offset of the excerpt's header
   * @param after adds only frames after this offset, which is the end of a frame; 0 for all frames
   */
  private void addFrames(long offset, long after) {
    int length = headerAt(offset);
    int from = inBuffer(offset) + HEADER;
    long start = offset + HEADER;
    int count = BatchExcerpt.intAt(buffer, from + BatchExcerpt.COUNT_AT);
    int clock = from + BatchExcerpt.BATCH_AT + 1 + buffer[from + BatchExcerpt.BATCH_AT];
    int frame = clock + 1 + buffer[clock];
    boolean mintedLast = buffer[clock] == 0;
    clockAt = clock + 1;
    byte[] copy = null;
    for (int i = 0; i < count; i++) {
      int end = frame + 4 + BatchExcerpt.intAt(buffer, frame);
      int topicAt = frame + 4 + BatchExcerpt.ID_LENGTH + 8;
      TopicTable.Entry topic =
          topics.find(buffer, topicAt + 1, topicAt + 1 + (buffer[topicAt] & 0xff));
      long position = start + end - from;
      if (mintedLast) {
        clockAt = frame + 4;
      }
      if (topic.wanted && position > after) {
        if (copy == null) {
          copy = Arrays.copyOfRange(buffer, from, from + length);
        }
        ready.add(
            new ChronicleFrame(
                copy,
                frame - from,
                topic.topic,
                SegmentPosition.of(segment, position),
                files.contents()));
      }
      frame = end;
    }
    settled = start + length;
    at = aligned(settled);
    previous = SegmentPosition.of(segment, settled);
    frames = BatchExcerpt.longAt(buffer, from + BatchExcerpt.FRAMES_BEFORE_AT) + count;
  }

  /**
   * Searches for the next intact excerpt, and reports the damage before it.
   *
   * @return whether to continue reading in this roll file
   */
  private boolean findNext(long limit) {
    long found = firstExcerpt(limit);
    if (found < limit) {
      at = found;
      boolean isKnown = previous != UNKNOWN || settled == 0;
      if (isKnown) {
        checkPrevious(); // a damaged table of Chronicle's own costs no excerpt
      } else {
        report(segment, settled, at - settled, 1, "an excerpt is damaged");
      }
      addFrames(at, 0);
      return true;
    }
    if (ignoresLogEnd) {
      at = limit; // the log may end here
      return false;
    }
    giveUp(
        limit,
        files.exists(segment)
            ? "the rest of the roll file is damaged"
            : "the roll file is missing");
    return true;
  }

  /** Returns the offset of the first intact excerpt after the settled offset, or the limit. */
  private long firstExcerpt(long limit) {
    for (long candidate = aligned(settled); candidate + HEADER + 4 <= limit; candidate += 4) {
      if (!fill(candidate, HEADER + 4)) {
        break;
      }
      if (candidate % ZERO_CHECK_INTERVAL == 0 && isZeroFrom(candidate)) {
        candidate = (bufferOffset + bufferLimit & ~3L) - 4;
        continue;
      }
      boolean perhaps =
          BatchExcerpt.intAt(buffer, inBuffer(candidate) + HEADER) == BatchExcerpt.MAGIC;
      if (perhaps && isExcerpt(candidate, limit)) {
        return candidate;
      }
    }
    return limit;
  }

  private void giveUp(long limit, String problem) {
    boolean isLast = segment == files.last() && limit == limit();
    long lost = isLast && frames != UNKNOWN ? Math.max(1, files.end().frames() - frames) : 1;
    report(segment, settled, limit - settled, lost, problem);
    settled = limit;
    at = aligned(limit);
    previous = SegmentPosition.of(segment, limit);
    frames = isLast ? files.end().frames() : UNKNOWN;
  }

  private void report(int cycle, long offset, long bytes, long lost, String problem) {
    if (damage.size() < MAX_DAMAGE_ENTRIES) {
      String name = files.directory().getFileName() + "/" + files.file(cycle).getName();
      damage.add(new Damage(name, offset, bytes, lost, problem));
    }
  }

  @Override
  public boolean enterNextSegment() {
    int last = files.last();
    if (segment >= last) {
      return false;
    }
    if (segment != 0 && at < limit()) {
      return true; // the roll file has grown since the last read
    }
    int next = files.after(segment);
    if (next == 0 || next > last) {
      if (segment == last || last == 0) {
        return false;
      }
      next = last; // the file is missing, and the next read reports the damage
    }
    long end = segment == 0 ? 0 : limit();
    long expectedPrevious = end == 0 ? previous : SegmentPosition.of(segment, end);
    long expectedFrames = frames;
    moveTo(next, 0);
    previous = expectedPrevious;
    frames = expectedFrames;
    return true;
  }

  // ---- bytes

  private int inBuffer(long offset) {
    return (int) (offset - bufferOffset);
  }

  /** Returns whether the buffer contains only zeros from an offset on. */
  private boolean isZeroFrom(long offset) {
    int from = inBuffer(offset);
    return bufferLimit - from <= ZEROS.length
        && Arrays.equals(buffer, from, bufferLimit, ZEROS, 0, bufferLimit - from);
  }

  /** Reads bytes into the buffer; returns false if the file ends before. */
  private boolean fill(long offset, int length) {
    if (offset >= bufferOffset && offset + length <= bufferOffset + bufferLimit) {
      return true;
    }
    long most = Math.max(length, Math.min(BUFFER_BYTES, Math.min(stop, limit()) - offset));
    if (buffer.length < most) {
      buffer = new byte[(int) most];
    }
    bufferOffset = offset;
    bufferLimit = 0;
    clockAt = -1;
    while (bufferLimit < length) {
      int count =
          input.read(segment, offset + bufferLimit, buffer, bufferLimit, (int) most - bufferLimit);
      if (count <= 0) {
        return false;
      }
      bufferLimit += count;
    }
    return true;
  }

  @Override
  public void close() {
    input.close();
  }
}
