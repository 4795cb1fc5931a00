package dev.ralph.store.file;

import dev.ralph.log.TopicFilter;
import dev.ralph.store.support.BlockIndex;
import dev.ralph.store.support.internal.segment.SegmentPosition;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Detects duplicate lines, whose frames also occur elsewhere in the log. Among several lines of a
 * frame, the first line that is {@linkplain #isInPlace in its place} counts; if none exists, the
 * first line counts. The result does not depend on the start of the reader.
 *
 * <p>Used only for lines that may be misplaced. Duplicates form runs, so the line after the last
 * duplicate found is examined first. Keeps no file open. Not safe for use by several threads.
 */
final class DuplicateFinder {

  /** The number of bytes before a line checked for consecutive lines. */
  private static final int RUN_BYTES = 64 * 1024;

  /** The maximum offset of the {@code after} field in a line. */
  private static final int LONGEST_HEAD = 1024;

  private final Segments segments;
  private final IntFunction<BlockIndex> indexes;
  private @Nullable LogReader reader;

  /** The segment of {@link #largestIds}, which holds the largest id before each block. */
  private int knownSegment;

  private String[] largestIds = {};

  DuplicateFinder(Segments segments, IntFunction<BlockIndex> indexes) {
    this.segments = segments;
    this.indexes = indexes;
  }

  /**
   * Returns true if another line of the same frame counts.
   *
   * @param position the start of the line
   * @param length the length of the line, including its line break
   */
  boolean isRepeated(String id, long position, int length) {
    boolean inPlace = isInPlace(position);
    LogReader used = reader;
    if (used == null) {
      used = new LogReader(segments, TopicFilter.all(), 0, null);
      reader = used;
    } else {
      FileFrame next = used.next();
      if (next != null && next.id().equals(id) && counts(next, position, inPlace)) {
        return true;
      }
    }
    boolean repeated =
        isBefore(used, id, position, inPlace)
            || !inPlace && isInPlaceBehind(used, id, position + length);
    used.closeFile();
    return repeated;
  }

  private boolean counts(FileFrame frame, long before, boolean inPlace) {
    return frame.position().value() <= before && (!inPlace || isInPlace(frame));
  }

  private boolean isInPlace(FileFrame frame) {
    return isInPlace(frame.position().value() - frame.length());
  }

  /**
   * Returns true if the {@code after} fields of a line and of its predecessors match the lines
   * before them. At the start of a run of copied lines, the fields do not match. The checked range
   * is longer than most runs of copies.
   */
  private boolean isInPlace(long position) {
    int segment = SegmentPosition.segment(position);
    int at = (int) Math.min(RUN_BYTES, SegmentPosition.offset(position));
    boolean isWhole = at == SegmentPosition.offset(position);
    byte[] bytes = segments.readAround(position, at, LONGEST_HEAD);
    long link = link(bytes, at);
    if (link == LogLine.NO_CHECKSUM) {
      return false;
    }
    while (at > 0 && link != LogLine.NO_CHECKSUM) {
      boolean isNamed = link == LogLine.checksumBefore(bytes, at);
      at = lineBefore(bytes, at);
      if (isNamed && at > 0) {
        link = link(bytes, at);
      } else if (at == 0) {
        return !isWhole || isNamed && isOwnHeader(bytes, segment);
      }
    }
    return true;
  }

  private static int lineBefore(byte[] bytes, int line) {
    int at = line - 1;
    while (at > 0 && bytes[at - 1] != '\n') {
      at--;
    }
    return at;
  }

  /** Returns the checksum in the {@code after} field of a line. */
  private static long link(byte[] bytes, int from) {
    int end = Math.min(bytes.length, from + LONGEST_HEAD);
    for (int at = from; at < end && bytes[at] != '\n'; at++) {
      if (LogLine.at(bytes, at, LogLine.META) || LogLine.at(bytes, at, LogLine.ERASED)) {
        return LogLine.NO_CHECKSUM;
      }
      int digits = at + LogLine.AFTER.length;
      if (LogLine.at(bytes, at, LogLine.AFTER)
          && digits + LogLine.CHECKSUM_DIGITS <= bytes.length) {
        return LogLine.readDigits(bytes, digits);
      }
    }
    return LogLine.NO_CHECKSUM;
  }

  /** Returns true unless the segment begins with the header of another segment. */
  private boolean isOwnHeader(byte[] bytes, int segment) {
    int end = LogLine.indexOf(bytes, 0, bytes.length, (byte) '\n');
    SegmentHeader header = SegmentHeader.of(bytes, 0, end, segments.file(segment).getPath());
    return header == null || header.segment() == segment;
  }

  private boolean isBefore(LogReader reader, String id, long position, boolean inPlace) {
    int segment = SegmentPosition.segment(position);
    for (; segment >= Segments.FIRST; segment = segments.before(segment)) {
      if (segments.exists(segment)) {
        BlockIndex index = indexes.apply(segment);
        if (find(reader, segment, index.end(), Long.MAX_VALUE, id, position, inPlace)) {
          return true;
        }
        for (int block = index.blocks() - 1; block >= 0; block--) {
          if (index.mayHold(block, id)
              && find(reader, segment, index.from(block), index.to(block), id, position, inPlace)) {
            return true;
          }
        }
      }
    }
    return false;
  }

  private boolean find(
      LogReader reader,
      int segment,
      long from,
      long to,
      String id,
      long position,
      boolean inPlace) {
    if (SegmentPosition.of(segment, from) >= position) {
      return false;
    }
    reader.jump(segment, from);
    reader.stopAt(to);
    FileFrame frame = reader.next();
    while (frame != null
        && frame.position().value() <= position
        && !(frame.id().equals(id) && counts(frame, position, inPlace))) {
      frame = reader.next();
    }
    reader.stopAt(Long.MAX_VALUE);
    return frame != null && frame.position().value() <= position;
  }

  private boolean isInPlaceBehind(LogReader reader, String id, long position) {
    int segment = SegmentPosition.segment(position);
    for (; segment != 0; segment = segments.after(segment)) {
      BlockIndex index = indexes.apply(segment);
      for (int block = 0; block < index.blocks(); block++) {
        if (index.mayHold(block, id)
            && findInPlace(reader, segment, index.from(block), index.to(block), id, position)) {
          return true;
        }
      }
      if (findInPlace(reader, segment, index.end(), Long.MAX_VALUE, id, position)) {
        return true;
      }
    }
    return false;
  }

  private boolean findInPlace(
      LogReader reader, int segment, long from, long to, String id, long position) {
    if (SegmentPosition.of(segment, to) <= position && to != Long.MAX_VALUE) {
      return false;
    }
    reader.jump(segment, from);
    reader.stopAt(to);
    FileFrame frame = reader.next();
    while (frame != null
        && !(frame.id().equals(id) && frame.position().value() > position && isInPlace(frame))) {
      frame = reader.next();
    }
    reader.stopAt(Long.MAX_VALUE);
    return frame != null;
  }

  /**
   * Returns true if a frame with this id may occur in a block that ends before an offset. The
   * result is almost always false. Therefore a reader needs no further check after a jump to the
   * offset.
   */
  boolean mayBeBefore(String id, int segment, long offset) {
    BlockIndex index = indexes.apply(segment);
    if (knownSegment != segment) {
      largestIds = new String[index.blocks() + 1];
      largestIds[0] = "";
      for (int block = 0; block < index.blocks(); block++) {
        String own = index.largestId(block);
        boolean isLarger = own.compareTo(largestIds[block]) > 0;
        largestIds[block + 1] = isLarger ? own : largestIds[block];
      }
      knownSegment = segment;
    }
    int block = Math.min(index.blockAt(offset), largestIds.length - 1);
    if (block > 0) { // an id smaller than all ids of this segment may be in an earlier segment
      return largestIds[block].compareTo(id) >= 0 || index.smallestId(0).compareTo(id) > 0;
    }
    int before = segments.before(segment);
    return before >= Segments.FIRST && indexes.apply(before).largestId().compareTo(id) >= 0;
  }
}
