package dev.ralph.store.file;

import dev.ralph.log.Damage;
import dev.ralph.log.TopicFilter;
import dev.ralph.store.support.internal.segment.SegmentInput;
import dev.ralph.store.support.internal.segment.SegmentPosition;
import dev.ralph.store.support.internal.segment.SegmentReader;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Reads the log forward, in whole batches of intact lines. Not thread-safe, except {@link
 * #close()}.
 *
 * <p>An incomplete line or batch at the end of the last segment may still be completed. The reader
 * returns to the line's start and reads the line again on the next call, because a repair may have
 * replaced the line. All other bytes that are not an intact line are damage. Damage is recorded and
 * skipped, together with its batch. An intact line that does not follow its predecessor is recorded
 * as damage too. Its frame is returned unless it duplicates a frame of the log.
 */
final class LogReader implements SegmentReader {

  private final Segments segments;
  private final LineFields fields;
  private final CRC32C crc = new CRC32C();
  private final SegmentInput input;
  private final LineScanner lines;
  private final DamageCollector damage = new DamageCollector();

  private int segment;
  private boolean segmentIsFinal;

  /**
   * The offset up to which all frames were returned or given up: the end of a batch or of damage.
   */
  private long settled;

  /**
   * The offset at which reading began, perhaps within a batch whose first frames the caller has.
   */
  private long resumedAt;

  /** The offset up to which the end of the segment is known to contain no line break, or 0. */
  private long barrenUntil;

  /** The offset at which bytes looked damaged and are being read again. */
  private long doubted = -1;

  /** The last line searched in the erasure plan. */
  private long perhapsErased = -1;

  /** The last segment found empty. */
  private int emptied;

  private final LineChain chain = new LineChain();

  /** The offset of the last generated id of the preceding line, or -1. Ids ascend along the log. */
  private long clockOffset = -1;

  private final @Nullable DuplicateFinder duplicates;

  /** Whether the reader skipped the bytes before the current offset. */
  private boolean hasJumped;

  /** The reason why the current line is misplaced, or null. */
  private LineChain.@Nullable Fault fault;

  private final ArrayDeque<FileFrame> ready = new ArrayDeque<>();
  private final List<FileFrame> pending = new ArrayList<>();
  private byte[] pendingBatch = new byte[0];
  private int pendingParts;

  /**
   * Starts after a position, which may lie within a batch.
   *
   * @param duplicates finds duplicates elsewhere in the log, so that they are skipped; null to skip
   *     only consecutive duplicates
   */
  LogReader(
      Segments segments, TopicFilter filter, long position, @Nullable DuplicateFinder duplicates) {
    this.segments = segments;
    this.duplicates = duplicates;
    this.fields = new LineFields(filter);
    this.input = new SegmentInput(segments);
    this.lines = new LineScanner(input, segments.zeros());
    this.segment = Math.max(Segments.FIRST, SegmentPosition.segment(position));
    this.settled =
        SegmentPosition.segment(position) < Segments.FIRST ? 0 : SegmentPosition.offset(position);
    this.resumedAt = settled;
    lines.moveTo(segment, settled);
  }

  @Override
  public void requireOpen() {
    input.requireOpen();
  }

  @Override
  public long position() {
    return SegmentPosition.of(segment, settled);
  }

  @Override
  public boolean hasReady() {
    return !ready.isEmpty();
  }

  @Override
  public TopicFilter filter() {
    return fields.filter();
  }

  @Override
  public List<Damage> damage() {
    return damage.all();
  }

  @Override
  public int segment() {
    return segment;
  }

  @Override
  public void stopAt(long offset) {
    lines.stopAt(offset);
  }

  @Override
  public void jump(int toSegment, long offset) {
    stopAt(Long.MAX_VALUE);
    barrenUntil = 0;
    hasJumped = duplicates != null && offset > 0;
    chain.leaveCopies();
    if (toSegment != segment) {
      input.release();
      segment = toSegment;
      segmentIsFinal = false;
      doubted = -1;
      perhapsErased = -1;
      resumedAt = -1;
    } else if (pendingParts == 0 && lines.skip(offset)) {
      settled = offset;
      chain.jump();
      clockOffset = -1;
      return;
    }
    settled = offset;
    rewind();
    clockOffset = -1;
  }

  /**
   * Moves to the first line that begins at or after an offset. The line may lie within a batch; the
   * rest of that batch is returned.
   */
  void jumpToLineAfter(int toSegment, long offset) {
    jump(toSegment, Math.max(0, offset - 1));
    if (offset > 0 && advance(0)) {
      settled = lines.next();
    }
    resumedAt = settled;
    rewind();
  }

  @Override
  public @Nullable FileFrame next() {
    while (true) {
      if (!ready.isEmpty()) {
        return ready.remove();
      }
      if (lines.isAtStop() || isBarren()) {
        return null;
      }
      boolean terminated = advance(lines.next() == 0 ? 0 : LogLine.SHORTEST);
      if (!terminated && !endsWithoutBreak()) {
        rewind();
        return null;
      }
      FileFrame frame;
      if (terminated) {
        frame = line();
      } else {
        long settledBefore = settled;
        long doubtedBefore = doubted;
        frame = lineWithoutBreak();
        if (settled == settledBefore && doubted == doubtedBefore) {
          return null; // the rest of the batch is missing
        }
      }
      if (frame != null) {
        return frame;
      }
    }
  }

  /**
   * Returns true if the file ends with a line that is intact except for its line break. An editor
   * may omit the line break, and a disk may damage it. The frame may have been acknowledged; the
   * next appender restores the line break.
   */
  private boolean endsWithoutBreak() {
    if (!isWholeFrame()) {
      lines.shorten();
    }
    return isWholeFrame();
  }

  private @Nullable FileFrame lineWithoutBreak() {
    boolean isThere = lines.isFollowed();
    long settledBefore = settled;
    FileFrame frame = line();
    if (isThere && settled > settledBefore) {
      note(settled - 1, 1, 0, "the last line break is damaged");
    }
    rewind(); // so that a line break added later does not count as a line
    return frame;
  }

  private boolean isWholeFrame() {
    return lines.to() - lines.from() >= LogLine.SHORTEST && isIntactFrame();
  }

  private boolean isIntactFrame() {
    return isIntact() && LogLine.isFrame(lines.buffer(), lines.from());
  }

  private boolean isIntact() {
    return LogLine.isIntact(lines.buffer(), lines.words(), lines.from(), lines.to(), crc);
  }

  @Override
  public boolean enterNextSegment() {
    noteIfEmptied();
    if (segment < segments.knownLast() && !segments.exists(segment)) {
      int next = segments.after(segment);
      int further = next - segment - 1;
      note(
          0,
          0,
          1,
          "the segment is missing" + (further > 0 ? ", and " + further + " after it" : ""));
      jump(next == 0 ? segment + 1 : next, 0);
      chain.skip();
      return true;
    }
    if (segment >= segments.knownLast() && !segments.exists(segment + 1)) {
      return false;
    }
    if (!segmentIsFinal) {
      segmentIsFinal = true; // the segment is complete, but may have grown since the last read
      return true;
    }
    long length = segments.length(segment);
    long checksum = LogLine.NO_CHECKSUM;
    if (settled < length) {
      note(settled, length - settled, 1, "the segment ends within a line or a batch");
    } else {
      checksum = lines.checksumBefore(settled);
    }
    jump(segment + 1, 0);
    chain.begin(checksum);
    return true;
  }

  /**
   * Processes the current line; returns its frame if it is selected and the only frame of its
   * batch.
   */
  private @Nullable FileFrame line() {
    long start = lines.start();
    if (chain.isUnknown()) {
      chain.begin(lines.checksumBefore(start));
    }
    if (start == 0 && header()) {
      return null;
    }
    if (!isIntact() || !fields.find(lines.buffer(), lines.from(), lines.to())) {
      GapLine gap = isIntact() ? GapLine.of(lines.buffer(), lines.from(), lines.to()) : null;
      if (gap == null) {
        damagedLine();
      } else {
        gap(gap);
      }
      return null;
    }
    if (!follows()) {
      return null;
    }
    int noted = damage.count();
    FileFrame frame = fields.isPart() ? part() : single();
    if (fault != null) {
      noteFault(start, noted);
    }
    return frame;
  }

  private void damagedLine() {
    if (!isReadAgain() && !isBeingErased()) {
      lines.endEarlier();
      if (isEndOfGap()) {
        settled = lines.end();
        resumedAt = settled;
        rewind();
        return;
      }
      lose("a line is damaged");
      chain.skip();
    }
  }

  /**
   * Returns true if the current bytes are the end of a gap line. Reading then began at the position
   * of a removed frame.
   */
  private boolean isEndOfGap() {
    long start = lines.start();
    return pendingParts == 0
        && start > 0
        && lines.bytes(start - 1, 1)[0] != '\n'
        && segments.isInGap(SegmentPosition.of(segment, start));
  }

  /** Processes a line that replaces erased frames. */
  private void gap(GapLine gap) {
    long link =
        LogLine.after(lines.words(), GapLine.linkAt(lines.buffer(), lines.from(), lines.to()));
    long checksum = checksum();
    boolean follows = chain.isNext(link, checksum);
    if (!follows && isReadAgain()) {
      return;
    }
    if (gap.batch() != null ? !takeParts(gap) : gap.frames() > 0 && !endsBatch()) {
      return;
    }
    if (!follows) {
      note(lines.start(), 0, LineChain.Fault.MISSING.lost, LineChain.Fault.MISSING.description);
    }
    chain.add(checksum);
    if (pendingParts == 0) {
      resumedAt = settled == resumedAt ? lines.end() : resumedAt;
      settled = lines.end();
    }
  }

  /** Gives up a batch that a line of another batch follows; returns false to read again. */
  private boolean endsBatch() {
    if (pendingParts > 0) {
      if (isReadAgain()) {
        return false;
      }
      losePending();
    }
    return true;
  }

  /**
   * Processes a gap within a batch.
   *
   * @return false if the gap does not continue the batch
   */
  private boolean takeParts(GapLine gap) {
    byte[] batch = LogLine.ascii(String.valueOf(gap.batch()));
    if (!continues(gap.part(), batch, 0, batch.length)) {
      return false;
    }
    if (pendingParts == 0) {
      pendingBatch = batch;
    }
    pendingParts = gap.last();
    if (gap.last() == gap.of()) {
      settleBatch();
    }
    return true;
  }

  /**
   * Checks the place of the current line, and stores the result in {@link #fault}.
   *
   * @return false if the line is a duplicate, or has to be read again
   */
  private boolean follows() {
    long link = LogLine.after(lines.words(), fields.linkAt());
    int clockAt = fields.clockAt();
    long checksum = checksum();
    fault = null;
    boolean isNext = chain.isNext(link, checksum);
    boolean isDoubtful = chain.isInCopies() || !isNext || mayBeCopy(link, clockAt);
    hasJumped = false;
    if (isDoubtful) {
      return followsInDoubt(isNext, link, checksum, clockAt);
    }
    chain.add(checksum);
    clockOffset = lines.offset(clockAt);
    return true;
  }

  /** Returns true if a line may be a copy although it follows its predecessor. */
  private boolean mayBeCopy(long link, int clockAt) {
    if (duplicates == null) {
      return false;
    }
    if (hasJumped && mayBeBefore(duplicates)) {
      return true;
    }
    return link == LogLine.NO_CHECKSUM // a line of an earlier version, without an after field
        ? !hasJumped && clockOffset < 0 || compareWithClock(clockAt) <= 0
        : chain.isUnchecked();
  }

  private boolean mayBeBefore(DuplicateFinder asked) {
    String id = LogLine.id(lines.buffer(), lines.from() + LogLine.ID_AT);
    return asked.mayBeBefore(id, segment, lines.start());
  }

  private boolean followsInDoubt(boolean isNext, long link, long checksum, int clockAt) {
    boolean isOutOfOrder = compareWithClock(clockAt) < 0;
    fault = isNext ? null : fault(link, isOutOfOrder);
    if (fault != null && isReadAgain()) {
      return false;
    }
    if (isRepeated(checksum)) {
      repeated(checksum);
      return false;
    }
    chain.addBehindBreak(checksum);
    if (!isOutOfOrder) {
      clockOffset = lines.offset(clockAt);
    }
    return true;
  }

  /** Records a misplaced line, unless damage of its batch was recorded. */
  private void noteFault(long start, int noted) {
    LineChain.Fault found = fault;
    if (found != null && damage.count() == noted) {
      note(start, 0, found.lost, found.description);
    }
  }

  /** Returns the reason why a line does not follow its predecessor, or null. */
  private LineChain.@Nullable Fault fault(long link, boolean isOutOfOrder) {
    if (isOutOfOrder) {
      return LineChain.Fault.OUT_OF_ORDER;
    }
    return chain.resumes(link) ? null : LineChain.Fault.MISSING;
  }

  /**
   * Compares the current line with the preceding line by time of writing. Returns a negative number
   * if the current line was written first.
   */
  private int compareWithClock(int clockAt) {
    if (clockOffset < 0) {
      return 1;
    }
    byte[] before = lines.bytes(clockOffset, LogLine.ID_LENGTH);
    int end = clockAt + LogLine.ID_LENGTH;
    return Arrays.compare(lines.buffer(), clockAt, end, before, 0, before.length);
  }

  /** Processes the only line of a batch. */
  private @Nullable FileFrame single() {
    if (!endsBatch()) {
      return null;
    }
    settled = lines.end();
    return fields.topic().wanted ? frame() : null;
  }

  /**
   * Returns true if the frame of the current line also occurs elsewhere, and the other occurrence
   * counts.
   */
  private boolean isRepeated(long checksum) {
    if (chain.isDoubled(checksum)) {
      return true;
    }
    return duplicates != null
        && duplicates.isRepeated(
            LogLine.id(lines.buffer(), lines.from() + LogLine.ID_AT),
            SegmentPosition.of(segment, lines.start()),
            (int) (lines.end() - lines.start()));
  }

  private void repeated(long checksum) {
    LineChain.Fault repeated = LineChain.Fault.REPEATED;
    long start = lines.start();
    note(start, lines.end() - start, repeated.lost, repeated.description);
    chain.addCopy(checksum);
    if (pendingParts == 0) {
      settled = lines.end();
    }
  }

  /**
   * Processes a line of a batch with several frames. The frames are ready when the batch is
   * complete.
   */
  private @Nullable FileFrame part() {
    byte[] buffer = lines.buffer();
    int batchAt = LogLine.batchAt(fields.topicEnd());
    int batchEnd = fields.batchEnd();
    int part = fields.part(buffer);
    int of = fields.parts(buffer);
    if (!continues(part, buffer, batchAt, batchEnd)) {
      return null;
    }
    if (pendingParts == 0) {
      pendingBatch = Arrays.copyOfRange(buffer, batchAt, batchEnd);
    }
    pendingParts = part;
    if (fields.topic().wanted) {
      pending.add(frame());
    }
    if (part == of) {
      settleBatch();
    }
    return null;
  }

  /**
   * Checks that the current line continues the current batch or begins a batch. Gives up an
   * incomplete batch otherwise.
   *
   * @return false if the line is lost, or has to be read again
   */
  private boolean continues(int part, byte[] buffer, int batchAt, int batchEnd) {
    boolean continues =
        pendingParts > 0
            ? part == pendingParts + 1
                && Arrays.equals(pendingBatch, 0, pendingBatch.length, buffer, batchAt, batchEnd)
            : part == 1 || lines.start() == settled && isResumedInside();
    if (continues) {
      return true;
    }
    if (isReadAgain()) {
      return false;
    }
    if (part == 1) {
      losePending();
      return true;
    }
    lose("a batch is incomplete");
    return false;
  }

  private void settleBatch() {
    settled = lines.end();
    for (FileFrame each : pending) {
      // addAll creates a lambda, and a process's first lambda takes a short command's time
      ready.add(each);
    }
    dropPending();
  }

  /**
   * Returns true if reading began or resumed after a returned frame. The line may then be in the
   * middle of a batch without any loss.
   */
  private boolean isResumedInside() {
    return settled == resumedAt;
  }

  private FileFrame frame() {
    int from = lines.from();
    byte[] line = Arrays.copyOfRange(lines.buffer(), from, lines.to());
    long position = SegmentPosition.of(segment, lines.end());
    return new FileFrame(line, fields, from, position, segments);
  }

  /**
   * Processes the first line of the segment.
   *
   * @return false if the line is a frame, so that only the header is missing
   */
  private boolean header() {
    byte[] buffer = lines.buffer();
    String where = segments.file(segment).getPath();
    SegmentHeader header = SegmentHeader.of(buffer, lines.from(), lines.to(), where);
    if (header == null) {
      if (isReadAgain()) {
        return true;
      }
      if (isIntactFrame()) {
        note(0, 0, 0, "the header is missing");
        chain.skip();
        return false;
      }
      lose("the header is damaged");
      chain.skip();
      return true;
    }
    boolean isOwn = header.segment() == segment;
    if (!isOwn) {
      note(0, 0, 0, "the file contains segment " + header.segment() + " instead");
    }
    boolean follows = chain.isNext(header.link(), LogLine.NO_CHECKSUM);
    if (!follows) {
      note(0, 0, 1, "lines are missing at the end of the preceding segment");
    }
    chain.begin(checksum());
    if (!isOwn || !follows) {
      chain.doubt(); // the segment may contain copies of another segment's lines
    }
    settled = lines.end();
    return true;
  }

  /**
   * Moves back to read apparent damage again, the first time. The end of the buffer may belong to a
   * torn tail that was repaired and overwritten after it was read.
   *
   * @return whether the reader moved back
   */
  private boolean isReadAgain() {
    if (doubted == settled) {
      return false;
    }
    doubted = settled;
    rewind();
    return true;
  }

  /**
   * Checks once whether the current line is neither old nor new because it is being erased, or was
   * partly erased by a killed process.
   *
   * @return whether to read the line again
   */
  private boolean isBeingErased() {
    long line = lines.start();
    if (perhapsErased == line || !segments.hasErased()) {
      return false;
    }
    perhapsErased = line;
    ErasurePlan plan = ErasurePlan.read(segments);
    if (plan == null || !lines.take(plan)) {
      rewind(); // the erasure may be complete
    }
    return true;
  }

  private void lose(String what) {
    long from = pendingParts > 0 ? settled : lines.start();
    note(from, lines.end() - from, pendingParts + 1, what);
    dropPending();
    settled = lines.end();
  }

  /**
   * Records a segment without a header. No crash leaves such a segment, because segments are
   * created atomically.
   */
  private void noteIfEmptied() {
    if (settled == 0
        && emptied != segment
        && segments.exists(segment)
        && segments.length(segment) == 0) {
      emptied = segment;
      note(0, 0, 1, "the segment is empty");
    }
  }

  private void losePending() {
    if (pendingParts > 0) {
      long from = settled;
      note(from, lines.start() - from, pendingParts, "a batch is incomplete");
      settled = lines.start();
    }
    dropPending();
  }

  private void dropPending() {
    pending.clear();
    pendingParts = 0;
  }

  private void note(long offset, long bytes, long frames, String what) {
    String file = segments.directory().getFileName() + "/" + Segments.name(segment);
    damage.note(file, offset, bytes, frames, what);
  }

  // ---- lines and segments

  /** Returns the checksum at the end of the current line. */
  private long checksum() {
    return lines.words().getLong(lines.to() + 1 - LogLine.END_LENGTH);
  }

  /**
   * Finds the next complete line; returns false if none exists yet.
   *
   * @param shortest the minimum length of the line. Only damage is shorter; damaged lines are
   *     examined again for earlier line breaks
   */
  private boolean advance(int shortest) {
    LineScanner.Found found = lines.advance(shortest);
    while (found == LineScanner.Found.TOO_LONG) {
      if (!passOver()) {
        return false;
      }
      found = lines.advance(shortest);
    }
    return found == LineScanner.Found.LINE || lines.endEarlier();
  }

  /**
   * Skips bytes that are too long for a line to the next line break. A crash of the machine may
   * leave such bytes, which may exceed the memory.
   *
   * @return false if there is no line break up to the end of the file
   */
  private boolean passOver() {
    if (isReadAgain()) {
      return true;
    }
    long from = pendingParts > 0 ? settled : lines.next();
    boolean found = lines.skipBehindLineBreak();
    long end = lines.next();
    note(from, end - from, pendingParts + 1, "the bytes are too long for a line");
    barrenUntil = found ? 0 : end;
    settled = found ? end : settled;
    rewind();
    return found;
  }

  /** Returns true if the rest of the segment is known to be unreadable. */
  private boolean isBarren() {
    if (barrenUntil > 0 && segments.length(segment) != barrenUntil) {
      barrenUntil = 0; // an appender has moved the bytes aside
    }
    return barrenUntil > 0;
  }

  /** Clears the buffer, and moves back to the last settled offset. */
  private void rewind() {
    dropPending();
    chain.jump();
    lines.moveTo(segment, settled);
  }

  /** Closes the file until the next read. */
  void closeFile() {
    input.release();
  }

  @Override
  public void close() {
    input.close();
  }
}
