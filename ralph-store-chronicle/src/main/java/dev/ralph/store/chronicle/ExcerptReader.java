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
 * Reads the roll files by Chronicle's documented form, a header of four bytes before each excerpt,
 * and goes no further than {@link LogEnd} says that the log reaches. Every excerpt names the one
 * before it, so one that is hidden or lost is noticed; behind what can't be read, the next intact
 * excerpt is looked for.
 */
final class ExcerptReader implements SegmentReader {

  private static final int NOT_COMPLETE = 0x8000_0000;
  private static final int META_DATA = 0x4000_0000;
  private static final int LENGTH_MASK = 0x3fff_ffff;
  private static final int END_OF_DATA = NOT_COMPLETE | META_DATA;

  /** What stands behind the mark of the end: EOF, behind its length. */
  private static final int END_TEXT = 0xc345_4f46;

  /** Chronicle's own tables are of 32 KiB each. */
  private static final int MOST_OF_A_TABLE = 64 * 1024;

  private static final int HEADER = 4;
  private static final int BUFFER_BYTES = 256 * 1024;

  /** Roll files are zeros for the most part. */
  private static final byte[] ZEROS = new byte[BUFFER_BYTES];

  private static final int LOOK_FOR_ZEROS_BYTES = 4096;
  private static final int MOST_DAMAGE_KEPT = 10_000;
  private static final long UNKNOWN = -1;

  private final RollFiles files;
  private final TopicTable topics;
  private final boolean open;
  private final CRC32C crc = new CRC32C();
  private final SegmentInput input;
  private final List<Damage> damage = new ArrayList<>();
  private final ArrayDeque<ChronicleFrame> ready = new ArrayDeque<>();

  private int segment;
  private long stop = Long.MAX_VALUE;

  /** Where the next header is expected. */
  private long at;

  /** Up to where everything is delivered or given up. */
  private long settled;

  /** What the next excerpt must name as the end of the one before it. */
  private long previous = UNKNOWN;

  /** How many frames stand before the next excerpt. */
  private long frames = UNKNOWN;

  /** Where in the buffer the id last minted by the excerpt read last stands, or -1. */
  private int clockAt = -1;

  private byte[] buffer = new byte[0];
  private long bufferOffset;
  private int bufferLimit;

  /** Begins right behind that position, which may lie within a batch. */
  ExcerptReader(RollFiles files, TopicFilter filter, long position) {
    this(files, filter, false);
    segment = SegmentPosition.segment(position);
    resume(SegmentPosition.offset(position));
  }

  private ExcerptReader(RollFiles files, TopicFilter filter, boolean open) {
    this.files = files;
    this.topics = new TopicTable(filter);
    this.input = new SegmentInput(files);
    this.open = open;
  }

  /**
   * Returns a reader that does not know how far the log reaches: it goes on to the last intact
   * excerpt that there is in a roll file, from the end of a batch on.
   */
  static ExcerptReader beyondTheEnd(RollFiles files, int segment, long offset) {
    ExcerptReader reader = new ExcerptReader(files, TopicFilter.all(), true);
    reader.jump(segment, offset);
    return reader;
  }

  /** Returns where the last excerpt of a finished roll file ends, as the next one tells. */
  static long endOf(RollFiles files, int segment) {
    for (int next = files.after(segment); next != 0; next = files.after(next)) {
      long named;
      try (ExcerptReader reader = beyondTheEnd(files, next, 0)) {
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
    try (ExcerptReader reader = beyondTheEnd(files, segment, 0)) {
      while (reader.next() != null) {
        // on to the last one
      }
      return SegmentPosition.offset(reader.position());
    }
  }

  /**
   * Returns where the bytes end that stand behind the last excerpt read and are neither Chronicle's
   * own nor zero; where that excerpt ends itself, if there are none.
   */
  long endOfBytes() {
    long offset = aligned(settled);
    int header = headerAt(offset);
    while (isMetaData(header)) {
      offset = behind(offset, header);
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
        at = behind(at, header);
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

  /** Returns how many frames stand up to here, or -1 if that is not known. */
  long frames() {
    return frames;
  }

  /**
   * Returns the id last minted with the excerpt read last, or an empty text if there is none. To be
   * asked before reading on.
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
    go(toSegment, offset);
    previous = offset == 0 ? UNKNOWN : SegmentPosition.of(toSegment, offset);
    frames = UNKNOWN;
  }

  private void go(int toSegment, long offset) {
    stop = Long.MAX_VALUE;
    if (toSegment != segment) {
      input.release();
      segment = toSegment;
      bufferLimit = 0;
    }
    settled = offset;
    at = aligned(offset);
  }

  /** Goes behind the frame that ends there, and takes up the rest of its batch. */
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
      take(start, offset);
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
        if (open || segment == 0 || settled >= limit) {
          return null;
        }
        findNext(limit);
        continue;
      }
      int header = headerAt(at);
      if (isMetaData(header) && behind(at, header) <= aligned(limit)) {
        at = behind(at, header);
      } else if (isExcerpt(at, limit)) {
        long hidden = isBehindAGap() ? firstExcerpt(at) : at;
        if (hidden < at) {
          at = hidden; // a table whose header is damaged seemed to reach over it
          continue;
        }
        checkPrevious();
        take(at, 0);
      } else if (!findNext(limit)) {
        return null;
      }
    }
  }

  private long limit() {
    return open ? files.file(segment).length() : files.length(segment);
  }

  private int headerAt(long offset) {
    return fill(offset, HEADER)
        ? Integer.reverseBytes(BatchExcerpt.intAt(buffer, inBuffer(offset)))
        : 0;
  }

  /** Returns whether a header is that of one of Chronicle's own tables. */
  static boolean isMetaData(int header) {
    return (header & (NOT_COMPLETE | META_DATA)) == META_DATA
        && (header & LENGTH_MASK) <= MOST_OF_A_TABLE;
  }

  static long behind(long offset, int header) {
    return aligned(offset + HEADER + (header & LENGTH_MASK));
  }

  private static long aligned(long offset) {
    return offset + 3 & ~3L;
  }

  /** Returns whether an intact excerpt with its header stands there, and puts it in the buffer. */
  private boolean isExcerpt(long offset, long limit) {
    int header = headerAt(offset);
    if (header < BatchExcerpt.SHORTEST
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

  /** Returns whether an excerpt that stood before the one that comes next was not read. */
  private boolean isBehindAGap() {
    int from = inBuffer(at) + HEADER;
    long named = BatchExcerpt.longAt(buffer, from + BatchExcerpt.PREVIOUS_AT);
    long before = BatchExcerpt.longAt(buffer, from + BatchExcerpt.FRAMES_BEFORE_AT);
    return previous == UNKNOWN
        ? settled == 0 && SegmentPosition.segment(named) == segment
        : named != previous || frames != UNKNOWN && before != frames;
  }

  /** Notes what is missing between here and the excerpt that comes next. */
  private void checkPrevious() {
    int from = inBuffer(at) + HEADER;
    long named = BatchExcerpt.longAt(buffer, from + BatchExcerpt.PREVIOUS_AT);
    long before = BatchExcerpt.longAt(buffer, from + BatchExcerpt.FRAMES_BEFORE_AT);
    int other = SegmentPosition.segment(named);
    if (isBehindAGap()) {
      long lost = frames == UNKNOWN ? 1 : Math.max(1, before - frames);
      if (other == segment || other == 0) {
        note(segment, settled, at - settled, lost, "what stood here can't be found");
      } else {
        note(other, 0, SegmentPosition.offset(named), lost, "its end can't be found");
      }
    } else if (previous == UNKNOWN && other != 0 && other != segment && !files.exists(other)) {
      note(other, 0, SegmentPosition.offset(named), 1, "the roll file is missing");
    }
  }

  /**
   * Takes in the excerpt in the buffer whose header stands there.
   *
   * @param after the end of a frame in it, where only the frames behind it are wanted; or 0
   */
  private void take(long offset, long after) {
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
   * Looks behind what can't be read for the next intact excerpt, and notes what lies between.
   *
   * @return whether there is one before the limit
   */
  private boolean findNext(long limit) {
    long found = firstExcerpt(limit);
    if (found < limit) {
      at = found;
      boolean isKnown = previous != UNKNOWN || settled == 0;
      if (isKnown) {
        checkPrevious(); // nothing is missing if only a table of Chronicle's own is damaged
      } else {
        note(segment, settled, at - settled, 1, "an excerpt is not what was written");
      }
      take(at, 0);
      return true;
    }
    if (open) {
      at = limit; // nothing more is known to be there
      return false;
    }
    giveUp(
        limit,
        files.exists(segment)
            ? "the rest of the roll file is not what was written"
            : "the roll file is missing");
    return true;
  }

  /** Returns where the first intact excerpt stands behind what is settled, or the limit. */
  private long firstExcerpt(long limit) {
    for (long candidate = aligned(settled); candidate + HEADER + 4 <= limit; candidate += 4) {
      if (!fill(candidate, HEADER + 4)) {
        break;
      }
      if (candidate % LOOK_FOR_ZEROS_BYTES == 0 && isZeroFrom(candidate)) {
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

  private void giveUp(long limit, String what) {
    boolean isLast = segment == files.last() && limit == limit();
    long lost = isLast && frames != UNKNOWN ? Math.max(1, files.end().frames() - frames) : 1;
    note(segment, settled, limit - settled, lost, what);
    settled = limit;
    at = aligned(limit);
    previous = SegmentPosition.of(segment, limit);
    frames = isLast ? files.end().frames() : UNKNOWN;
  }

  private void note(int where, long offset, long bytes, long lost, String what) {
    if (damage.size() < MOST_DAMAGE_KEPT) {
      String name = files.directory().getFileName() + "/" + files.file(where).getName();
      damage.add(new Damage(name, offset, bytes, lost, what));
    }
  }

  @Override
  public boolean enterNextSegment() {
    int last = files.last();
    if (segment >= last) {
      return false;
    }
    if (segment != 0 && at < limit()) {
      return true; // it has grown since it was looked at, and then ended
    }
    int next = files.after(segment);
    if (next == 0 || next > last) {
      if (segment == last || last == 0) {
        return false;
      }
      next = last; // and missing, as reading it will tell
    }
    long end = segment == 0 ? 0 : limit();
    long expectedPrevious = end == 0 ? previous : SegmentPosition.of(segment, end);
    long expectedFrames = frames;
    go(next, 0);
    previous = expectedPrevious;
    frames = expectedFrames;
    return true;
  }

  // ---- bytes

  private int inBuffer(long offset) {
    return (int) (offset - bufferOffset);
  }

  /** Returns whether only zeros stand in the buffer from there on. */
  private boolean isZeroFrom(long offset) {
    int from = inBuffer(offset);
    return bufferLimit - from <= ZEROS.length
        && Arrays.equals(buffer, from, bufferLimit, ZEROS, 0, bufferLimit - from);
  }

  /** Makes sure that so many bytes from there on are in the buffer; false if there are not. */
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
