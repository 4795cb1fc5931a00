package dev.ralph.store.file;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Finds the gaps of a segment: runs of erased frames that a compaction removes. Add all lines in
 * order, then call {@link #all()}. Not thread-safe.
 */
final class SegmentGaps {

  private final List<Gap> gaps = new ArrayList<>();

  /** The lines of the current batch, if it has several frames. */
  private final List<Line> batch = new ArrayList<>();

  /** The erased batches since the last other line. */
  private @Nullable Gap run;

  private long checksumBefore = LogLine.NO_CHECKSUM;
  private int nextPart = 1;
  private boolean isComplete = true;

  /**
   * A line with a frame, or the line of an earlier gap.
   *
   * @param to the end of the line, after its line break
   * @param gap the line that may replace this line; null if the line stays
   * @param part the number of the frame within its batch, or 0 if the batch has a single frame
   * @param of the number of frames of the batch
   */
  record Line(long from, long to, @Nullable GapLine gap, int part, int of, long checksum) {

    private int nextPart() {
      return part + (gap == null ? 1 : gap.frames());
    }
  }

  /**
   * A run of erased frames.
   *
   * @param after the checksum of the line before
   * @param checksum the checksum of the last erased line
   */
  record Gap(long from, long to, GapLine line, long after, long checksum) {}

  /** Adds a line that stays and is not a frame. */
  void keep(long checksum) {
    endBatch();
    endRun();
    checksumBefore = checksum;
  }

  /** Adds the line of a frame. */
  void add(Line line) {
    if (line.part <= 1) {
      endBatch();
    }
    if (line.part == 0) {
      addWhole(line);
      return;
    }
    isComplete &= line.part == nextPart;
    nextPart = line.nextPart();
    batch.add(line);
    if (nextPart > line.of) {
      endBatch();
    }
  }

  private void endBatch() {
    if (batch.isEmpty()) {
      return;
    }
    isComplete &= nextPart == batch.get(0).of + 1;
    nextPart = 1;
    boolean all = true;
    for (Line line : batch) {
      all &= line.gap != null;
    }
    if (all) {
      batch.forEach(this::addWhole);
    } else {
      addParts();
    }
    batch.clear();
  }

  /** Adds a line of a batch of which all frames are erased or all stay. */
  private void addWhole(Line line) {
    Gap before = run;
    GapLine gap = line.gap;
    if (gap == null) {
      endRun();
    } else if (before == null) {
      GapLine first = GapLine.ofBatches(gap.frames());
      run = new Gap(line.from, line.to, first, checksumBefore, line.checksum);
    } else {
      GapLine longer = GapLine.ofBatches(before.line.frames() + gap.frames());
      run = new Gap(before.from, line.to, longer, before.after, line.checksum);
    }
    checksumBefore = line.checksum;
  }

  /** Adds the lines of a batch of which some frames stay. */
  private void addParts() {
    endRun();
    for (Line line : batch) {
      Gap before = run;
      GapLine gap = line.gap;
      if (gap == null) {
        endRun();
      } else if (before == null) {
        run = new Gap(line.from, line.to, gap, checksumBefore, line.checksum);
      } else {
        int frames = before.line.frames() + gap.frames();
        GapLine first = before.line;
        GapLine longer = new GapLine(frames, first.batch(), first.part(), gap.last(), first.of());
        run = new Gap(before.from, line.to, longer, before.after, line.checksum);
      }
      checksumBefore = line.checksum;
    }
    endRun();
  }

  private void endRun() {
    if (run != null) {
      gaps.add(run);
      run = null;
    }
  }

  /** Returns all gaps in order, or null if a batch is incomplete. */
  @Nullable List<Gap> all() {
    endBatch();
    endRun();
    return isComplete ? gaps : null;
  }
}
