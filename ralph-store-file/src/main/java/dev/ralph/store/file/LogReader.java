package dev.ralph.store.file;

import dev.ralph.log.Damage;
import dev.ralph.log.TopicFilter;
import dev.ralph.store.support.internal.segment.SegmentInput;
import dev.ralph.store.support.internal.segment.SegmentPosition;
import dev.ralph.store.support.internal.segment.SegmentReader;
import java.io.File;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Reads the log forward: whole batches of intact lines, nothing else. For one thread, but for
 * {@link #close()}.
 *
 * <p>An incomplete line or batch at the end of the last segment is taken as "not yet": the reader
 * goes back to where it began and reads it again when asked again, because a repair may have put
 * something else there. Anything else that is not an intact line is damage: it is noted and passed
 * over, together with the batch it stands in. A line that is intact, but does not follow the one
 * before it, is noted too; it is returned unless the log holds it already.
 */
final class LogReader implements SegmentReader {

  private final Segments segments;
  private final LineFields fields;
  private final CRC32C crc = new CRC32C();
  private final SegmentInput input;
  private final LineScanner lines;
  private final NotedDamage damage = new NotedDamage();

  private int segment;
  private boolean segmentIsFinal;

  /** Up to where everything is delivered or given up: the end of a batch, or of damage. */
  private long settled;

  /** Where reading began: perhaps within a batch, whose first frames the caller has. */
  private long resumedAt;

  /**
   * Up to where it is known that no line break comes, at the end of the segment behind what is
   * settled; 0 if it is not.
   */
  private long barrenUntil;

  /** Where something looked damaged and is being read again. */
  private long doubted = -1;

  /** The line that was looked for last among those that are being erased. */
  private long perhapsErased = -1;

  /** The segment that was found empty last. */
  private int emptied;

  private final Chain chain = new Chain();

  /**
   * Where in the segment the id stands that was minted last at the line before, or -1: ids increase
   * along the log.
   */
  private long clockOffset = -1;

  private final @Nullable Occurrences occurrences;

  /** Whether it went to the present place without reading what stands before that. */
  private boolean hasJumped;

  /** What is wrong with the place of the present line. */
  private Chain.@Nullable Fault fault;

  private final ArrayDeque<FileFrame> ready = new ArrayDeque<>();
  private final List<FileFrame> pending = new ArrayList<>();
  private byte[] pendingBatch = new byte[0];
  private int pendingParts;

  /**
   * Begins right behind that position, which may lie within a batch.
   *
   * @param occurrences knows what stands elsewhere in the log, so that repeated lines are passed
   *     over; null if only those that stand right behind themselves need be
   */
  LogReader(
      Segments segments, TopicFilter filter, long position, @Nullable Occurrences occurrences) {
    this.segments = segments;
    this.occurrences = occurrences;
    this.fields = new LineFields(filter);
    this.input = new SegmentInput(segments);
    this.lines = new LineScanner(input);
    this.segment = Math.max(Segments.FIRST, SegmentPosition.segment(position));
    this.settled =
        SegmentPosition.segment(position) < Segments.FIRST ? 0 : SegmentPosition.offset(position);
    this.resumedAt = settled;
    lines.go(segment, settled);
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
    hasJumped = occurrences != null && offset > 0;
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
   * Goes to the first line of a segment that begins at that offset or behind. It may stand within a
   * batch; its rest is then read as if its beginning had been there.
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
      boolean terminated = advance(lines.next() == 0 ? 0 : Line.SHORTEST);
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
          return null; // the rest of its batch is missing
        }
      }
      if (frame != null) {
        return frame;
      }
    }
  }

  /**
   * Returns whether what stands at the end of the file is a line that is whole but for its line
   * break, which is missing or another byte: an editor leaves it out, and a disk may damage it. Its
   * frame may have been acknowledged, and the next appender puts the line break in.
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
      note(settled - 1, 1, 0, "the line break at the end is not what was written");
    }
    rewind(); // so that a line break that is put in later is not read as a line
    return frame;
  }

  private boolean isWholeFrame() {
    return lines.to() - lines.from() >= Line.SHORTEST && isIntactFrame();
  }

  private boolean isIntactFrame() {
    return isIntact() && Line.isFrame(lines.buffer(), lines.from());
  }

  private boolean isIntact() {
    return Line.isIntact(lines.buffer(), lines.words(), lines.from(), lines.to(), crc);
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
          "the segment is missing" + (further > 0 ? ", and " + further + " behind it" : ""));
      jump(next == 0 ? segment + 1 : next, 0);
      chain.skip();
      return true;
    }
    if (segment >= segments.knownLast() && !segments.exists(segment + 1)) {
      return false;
    }
    if (!segmentIsFinal) {
      segmentIsFinal = true; // nothing more comes, but something may have come since we looked
      return true;
    }
    long length = segments.file(segment).length();
    long checksum = Line.NO_CHECKSUM;
    if (settled < length) {
      note(settled, length - settled, 1, "the segment ends within a line or a batch");
    } else {
      checksum = lines.checksumBefore(settled);
    }
    jump(segment + 1, 0);
    chain.begin(checksum);
    return true;
  }

  /** Takes in the present line; returns its frame if it is a wanted one in a batch of its own. */
  private @Nullable FileFrame line() {
    long start = lines.start();
    if (chain.isUnknown()) {
      chain.begin(lines.checksumBefore(start));
    }
    if (start == 0 && header()) {
      return null;
    }
    if (!isIntact() || !fields.find(lines.buffer(), lines.from(), lines.to())) {
      damagedLine();
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
      lose("a line is not what was written");
      chain.skip();
    }
  }

  /**
   * Looks at the place of the present line, and keeps in {@link #fault} what is wrong with it.
   *
   * @return false if the line is to be passed over, because it is a repeated one, or to be read
   *     again
   */
  private boolean follows() {
    long link = Line.after(lines.words(), fields.linkAt());
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

  /** Returns whether a line may be a copy of another one though nothing is wrong with its place. */
  private boolean mayBeCopy(long link, int clockAt) {
    if (occurrences == null) {
      return false;
    }
    if (hasJumped && mayBeBefore(occurrences)) {
      return true;
    }
    return link == Line.NO_CHECKSUM // an earlier version's line, which names no other
        ? !hasJumped && clockOffset < 0 || compareWithClock(clockAt) <= 0
        : chain.isUnchecked();
  }

  private boolean mayBeBefore(Occurrences asked) {
    String id = Line.id(lines.buffer(), lines.from() + Line.ID_AT);
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

  /** Notes what is wrong with a line's place, unless that was noted with its batch. */
  private void noteFault(long start, int noted) {
    Chain.Fault found = fault;
    if (found != null && damage.count() == noted) {
      note(start, 0, found.lost, found.description);
    }
  }

  /** Returns what is wrong with the place of a line that does not follow, or null. */
  private Chain.@Nullable Fault fault(long link, boolean isOutOfOrder) {
    if (isOutOfOrder) {
      return Chain.Fault.OUT_OF_ORDER;
    }
    return chain.resumes(link) ? null : Chain.Fault.MISSING;
  }

  /**
   * Returns whether the present line was written before (negative) the one read before it, or
   * behind it.
   */
  private int compareWithClock(int clockAt) {
    if (clockOffset < 0) {
      return 1;
    }
    byte[] before = lines.bytes(clockOffset, Line.ID_LENGTH);
    int end = clockAt + Line.ID_LENGTH;
    return Arrays.compare(lines.buffer(), clockAt, end, before, 0, before.length);
  }

  /** Takes in a line that is a batch by itself. */
  private @Nullable FileFrame single() {
    if (pendingParts > 0) {
      if (isReadAgain()) {
        return null;
      }
      losePending();
    }
    settled = lines.end();
    return fields.topic().wanted ? frame() : null;
  }

  /** Returns whether the frame of the present line stands elsewhere, and counts there. */
  private boolean isRepeated(long checksum) {
    if (chain.isDoubled(checksum)) {
      return true;
    }
    return occurrences != null
        && occurrences.isRepeated(
            Line.id(lines.buffer(), lines.from() + Line.ID_AT),
            SegmentPosition.of(segment, lines.start()),
            (int) (lines.end() - lines.start()));
  }

  private void repeated(long checksum) {
    Chain.Fault repeated = Chain.Fault.REPEATED;
    long start = lines.start();
    note(start, lines.end() - start, repeated.lost, repeated.description);
    chain.addCopy(checksum);
    if (pendingParts == 0) {
      settled = lines.end();
    }
  }

  /** Takes in a line of a batch of several; the batch's frames are ready once it is whole. */
  private @Nullable FileFrame part() {
    byte[] buffer = lines.buffer();
    int batchAt = Line.batchAt(fields.topicEnd());
    int batchEnd = fields.batchEnd();
    int number = batchEnd + 1 + Line.PART.length;
    int part = Line.number(buffer, number);
    int of = Line.number(buffer, Line.indexOf(buffer, number, (byte) ',') + Line.OF.length);
    boolean continues =
        pendingParts > 0
            ? part == pendingParts + 1
                && Arrays.equals(pendingBatch, 0, pendingBatch.length, buffer, batchAt, batchEnd)
            : part == 1 || lines.start() == settled && isResumedInside();
    if (!continues) {
      if (isReadAgain()) {
        return null;
      }
      if (part == 1) {
        losePending();
      } else {
        lose("a batch is not whole");
        return null;
      }
    }
    if (pendingParts == 0) {
      pendingBatch = Arrays.copyOfRange(buffer, batchAt, batchEnd);
    }
    pendingParts = part;
    if (fields.topic().wanted) {
      pending.add(frame());
    }
    if (part == of) {
      settled = lines.end();
      for (FileFrame each : pending) {
        ready.add(each); // addAll takes a lambda, and the first lambda costs a short command dearly
      }
      dropPending();
    }
    return null;
  }

  /**
   * Returns whether reading began, or went on, behind a line that was delivered: then the line here
   * may be in the middle of a batch without anything being lost.
   */
  private boolean isResumedInside() {
    return settled == resumedAt;
  }

  private FileFrame frame() {
    int from = lines.from();
    return new FileFrame(
        Arrays.copyOfRange(lines.buffer(), from, lines.to()),
        0,
        lines.to() - from,
        fields.topic().topic,
        fields.batchEnd() - from,
        fields.bodyAt() - from,
        fields.metaEnd() - from,
        SegmentPosition.of(segment, lines.end()),
        segments);
  }

  /**
   * Takes in the first line of the segment.
   *
   * @return false if it is a frame, so that only the header is missing
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
      lose("the header is not what was written");
      chain.skip();
      return true;
    }
    boolean isOwn = header.segment() == segment;
    if (!isOwn) {
      note(0, 0, 0, "this is segment " + header.segment() + ", in the place of another");
    }
    boolean follows = chain.isNext(header.link(), Line.NO_CHECKSUM);
    if (!follows) {
      note(0, 0, 1, "lines are missing at the end of the segment before");
    }
    chain.begin(checksum());
    if (!isOwn || !follows) {
      chain.doubt(); // what stands in it may be a copy of another segment's lines
    }
    settled = lines.end();
    return true;
  }

  /**
   * Goes back to read once more what looks damaged, the first time: the end of the buffer may be of
   * a torn tail that has been repaired, and written over, since it was read.
   *
   * @return whether it did
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
   * Looks once whether the present line is neither the old nor the new one because it is being
   * erased at this moment, or was half erased by a process that was killed.
   *
   * @return whether the line is to be read again
   */
  private boolean isBeingErased() {
    long line = lines.start();
    if (perhapsErased == line || !segments.hasErased()) {
      return false;
    }
    perhapsErased = line;
    Erasing erasing = Erasing.read(segments);
    if (erasing == null || !lines.take(erasing)) {
      rewind(); // it may be done by now
    }
    return true;
  }

  private void lose(String what) {
    long from = pendingParts > 0 ? settled : lines.start();
    note(from, lines.end() - from, pendingParts + 1, what);
    dropPending();
    settled = lines.end();
  }

  /** Notes a segment without even a header, which no crash leaves behind: each is made whole. */
  private void noteIfEmptied() {
    File file = segments.file(segment);
    if (settled == 0 && emptied != segment && segments.exists(segment) && file.length() == 0) {
      emptied = segment;
      note(0, 0, 1, "the segment is empty");
    }
  }

  private void losePending() {
    if (pendingParts > 0) {
      long from = settled;
      note(from, lines.start() - from, pendingParts, "a batch is not whole");
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

  /** Returns the checksum that the present line ends with. */
  private long checksum() {
    return lines.words().getLong(lines.to() + 1 - Line.END_LENGTH);
  }

  /**
   * Finds the next complete line; returns false if there is none yet.
   *
   * @param shortest how long it is at the least; where nothing but damage is shorter, what turns
   *     out to be damage is looked at again
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
   * Goes behind the next line break, over something that is too long for a line: what a crash of
   * the machine left, perhaps, which can be larger than the memory.
   *
   * @return false if there is none up to the end of the file
   */
  private boolean passOver() {
    if (isReadAgain()) {
      return true;
    }
    long from = pendingParts > 0 ? settled : lines.next();
    boolean found = lines.skipBehindLineBreak();
    long end = lines.next();
    note(from, end - from, pendingParts + 1, "no line of the log stands here");
    barrenUntil = found ? 0 : end;
    settled = found ? end : settled;
    rewind();
    return found;
  }

  /** Returns whether it is known already that nothing can be read up to the end of the segment. */
  private boolean isBarren() {
    if (barrenUntil > 0 && segments.file(segment).length() != barrenUntil) {
      barrenUntil = 0; // an appender has moved it aside
    }
    return barrenUntil > 0;
  }

  /** Forgets what was read behind the last settled place, to read it again. */
  private void rewind() {
    dropPending();
    chain.jump();
    lines.go(segment, settled);
  }

  /** Closes the file until it is read from again. */
  void closeFile() {
    input.release();
  }

  @Override
  public void close() {
    input.close();
  }
}
