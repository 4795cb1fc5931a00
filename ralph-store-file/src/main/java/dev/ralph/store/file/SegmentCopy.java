package dev.ralph.store.file;

import dev.ralph.log.TopicFilter;
import dev.ralph.store.support.internal.segment.SegmentInput;
import dev.ralph.store.support.internal.segment.SegmentSource;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The bytes of a segment with gap lines in place of its erased frames. The copy has exactly the
 * length of the segment, so that all positions stay valid.
 */
final class SegmentCopy {

  private static final int PIECE_BYTES = 64 * 1024;

  private final List<SegmentGaps.Gap> gaps;

  private SegmentCopy(List<SegmentGaps.Gap> gaps) {
    this.gaps = gaps;
  }

  /** Receives the bytes of a copy, in order. */
  interface Sink {
    void put(byte[] bytes, int from, int count) throws IOException;
  }

  /**
   * Reads a segment and finds its erased frames.
   *
   * @param keepsLast whether the last line stays although its frame is erased
   * @return null if the segment is damaged, and must not be replaced by a copy
   */
  static @Nullable SegmentCopy of(Segments segments, int segment, boolean keepsLast) {
    long length = segments.length(segment);
    try (SegmentInput input = new SegmentInput(segments)) {
      LineScanner lines = new LineScanner(input, new ZeroRanges());
      lines.moveTo(segment, 0);
      Reading reading = new Reading(segments.file(segment).getPath(), segment);
      while (lines.next() < length) {
        if (lines.advance(0) != LineScanner.Found.LINE
            || !reading.add(lines, keepsLast && lines.end() == length)) {
          return null;
        }
      }
      List<SegmentGaps.Gap> gaps = reading.gaps.all();
      return gaps == null || reading.gapFrom >= 0 ? null : new SegmentCopy(gaps);
    }
  }

  /** Adds the lines of a segment to its gaps. */
  private static final class Reading {
    private final SegmentGaps gaps = new SegmentGaps();
    private final LineFields fields = new LineFields(TopicFilter.all());
    private final CRC32C crc = new CRC32C();
    private final String path;
    private final int segment;
    private long checksum = LogLine.NO_CHECKSUM;

    /** The start of the first line of a gap of several lines, or -1. */
    private long gapFrom = -1;

    Reading(String path, int segment) {
      this.path = path;
      this.segment = segment;
    }

    /**
     * Adds a line; returns false if the line is damaged or misplaced.
     *
     * @param keeps whether the line stays although its frame is erased
     */
    boolean add(LineScanner lines, boolean keeps) {
      byte[] buffer = lines.buffer();
      int from = lines.from();
      int to = lines.to();
      if (!LogLine.isIntact(buffer, lines.words(), from, to, crc)) {
        return false;
      }
      long before = checksum;
      checksum = LogLine.readDigits(buffer, to - LogLine.CRC_LENGTH + LogLine.CRC.length);
      if (lines.start() == 0) {
        SegmentHeader header = SegmentHeader.of(buffer, from, to, path);
        gaps.keep(checksum);
        return header != null && header.segment() == segment;
      }
      GapLine gap = GapLine.of(buffer, from, to);
      if (gap != null) {
        long link = LogLine.after(lines.words(), GapLine.linkAt(buffer, from, to));
        return link == before && addGap(lines, gap);
      }
      if (gapFrom >= 0 || !fields.find(buffer, from, to)) {
        return false;
      }
      long link = LogLine.after(lines.words(), fields.linkAt());
      if (link != before && link != LogLine.NO_CHECKSUM || checksum == before) {
        return false;
      }
      addFrame(lines, keeps);
      return true;
    }

    private boolean addGap(LineScanner lines, GapLine gap) {
      long from = gapFrom < 0 ? lines.start() : gapFrom;
      if (gap.frames() == 0) {
        gapFrom = from;
        return true;
      }
      gapFrom = -1;
      gaps.add(new SegmentGaps.Line(from, lines.end(), gap, gap.part(), gap.of(), checksum));
      return true;
    }

    private void addFrame(LineScanner lines, boolean keeps) {
      byte[] buffer = lines.buffer();
      boolean erased = !keeps && LogLine.at(buffer, fields.bodyAt(), LogLine.ERASED);
      int part = fields.isPart() ? fields.part(buffer) : 0;
      int of = fields.isPart() ? fields.parts(buffer) : 0;
      GapLine gap = null;
      if (erased && part == 0) {
        gap = GapLine.ofBatches(1);
      } else if (erased) {
        gap = new GapLine(1, batch(buffer), part, part, of);
      }
      gaps.add(new SegmentGaps.Line(lines.start(), lines.end(), gap, part, of, checksum));
    }

    private String batch(byte[] buffer) {
      int at = LogLine.batchAt(fields.topicEnd());
      return new String(buffer, at, fields.batchEnd() - at, StandardCharsets.US_ASCII);
    }
  }

  /** Returns true if the copy lacks frames of the segment. */
  boolean hasGaps() {
    return !gaps.isEmpty();
  }

  /** Writes the copy of the segment that was read. */
  void write(SegmentSource segment, Sink to) throws IOException {
    long at = 0;
    for (SegmentGaps.Gap gap : gaps) {
      copy(segment, at, gap.from(), to);
      for (byte[] line : gap.line().lines(gap.to() - gap.from(), gap.after(), gap.checksum())) {
        to.put(line, 0, line.length);
      }
      at = gap.to();
    }
    copy(segment, at, segment.length(), to);
  }

  /**
   * Returns true if a file contains exactly the copy of the segment that was read.
   *
   * @param written the file
   */
  boolean isEqual(SegmentSource segment, SegmentSource written) throws IOException {
    Comparison comparison = new Comparison(written);
    write(segment, comparison);
    return comparison.isEqual && comparison.at == written.length();
  }

  private static final class Comparison implements Sink {
    private final SegmentSource written;
    private long at;
    private boolean isEqual = true;

    Comparison(SegmentSource written) {
      this.written = written;
    }

    @Override
    public void put(byte[] bytes, int from, int count) throws IOException {
      if (isEqual && at + count <= written.length()) {
        byte[] same = new byte[count];
        written.readFully(at, same);
        isEqual = Arrays.equals(same, 0, count, bytes, from, from + count);
      } else {
        isEqual = false;
      }
      at += count;
    }
  }

  /** Writes bytes of a source. */
  static void copy(SegmentSource in, long from, long end, Sink to) throws IOException {
    byte[] piece = new byte[(int) Math.min(PIECE_BYTES, Math.max(0, end - from))];
    for (long at = from; at < end; ) {
      int count = in.read(at, piece, 0, (int) Math.min(piece.length, end - at));
      if (count <= 0) {
        throw new IOException("the segment ends before byte " + end);
      }
      to.put(piece, 0, count);
      at += count;
    }
  }
}
