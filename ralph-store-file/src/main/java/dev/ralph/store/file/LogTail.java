package dev.ralph.store.file;

import dev.ralph.log.RalphException;
import dev.ralph.log.TopicFilter;
import dev.ralph.store.support.StoreLock;
import dev.ralph.store.support.internal.segment.FrameTime;
import dev.ralph.store.support.internal.segment.KnownLog;
import dev.ralph.store.support.internal.segment.LogWitness;
import dev.ralph.store.support.internal.segment.SegmentFile;
import dev.ralph.store.support.internal.segment.SegmentIndexes;
import dev.ralph.store.support.internal.segment.SegmentPosition;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Arrays;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The end of the log, as far as this process has read it. Bytes after that end were appended by
 * other processes, and are read after the lock is acquired. An incomplete rest at the end of the
 * log is the torn tail of a killed process. It was never acknowledged, and is moved aside.
 *
 * <p>All methods work under the store's lock.
 */
final class LogTail {

  private static final int TAIL_BYTES = 64 * 1024;

  /** The number of bytes read for the last line, which is usually shorter. */
  private static final int LAST_LINE_BYTES = 1024;

  private final Segments segments;
  private final SegmentIndexes indexes;
  private final KnownLog known;
  private final LineFields fields = new LineFields(TopicFilter.all());
  private final StoreLock lock;
  private final LogWitness witness;
  private final Clock clock;

  private long end;
  private int segment;
  private @Nullable SegmentFile file;

  /** The segment whose sync failed when it was closed, or 0. */
  private int failedSegment;

  /** The checksum of the last line, or {@link LogLine#NO_CHECKSUM} if it is not readable. */
  private long link = LogLine.NO_CHECKSUM;

  LogTail(
      Segments segments,
      SegmentIndexes indexes,
      KnownLog known,
      StoreLock lock,
      LogWitness witness,
      Clock clock) {
    this.segments = segments;
    this.indexes = indexes;
    this.known = known;
    this.lock = lock;
    this.witness = witness;
    this.clock = clock;
  }

  /** Returns the lock under which all methods work. */
  StoreLock lock() {
    return lock;
  }

  /** Returns the position after the last line. */
  long position() {
    return end;
  }

  /** Returns the offset after the last line in its segment. */
  long offset() {
    return SegmentPosition.offset(end);
  }

  /** Returns the number of the last segment; 0 before the first {@link #catchUp}. */
  int segment() {
    return segment;
  }

  /** Returns the checksum of the last line, for the next line's {@code after} field. */
  long link() {
    return link;
  }

  /** Records lines that this process wrote. */
  void wrote(long upTo, long linkOfLast) {
    end = SegmentPosition.of(segment, upTo);
    link = linkOfLast;
  }

  /**
   * Finds the end of the log.
   *
   * @param readAll whether all frames of other processes must be read; otherwise most are skipped
   */
  void catchUp(boolean readAll) throws IOException {
    if (!readAll && isAtEnd()) {
      witness.checkNotices(); // the log's file is checked after the write
      return;
    }
    witness.check();
    if (segment == 0) {
      recover();
    }
    while (lock.mark() > segment && segments.exists(segment + 1)) {
      readOthers(segments.length(segment));
      segments.files().syncFolder(segments.directory());
      enter(segment + 1);
    }
    long length = length();
    if (length < offset()) {
      // another program has cut the log
      indexes.forget();
      recover();
      length = current().length();
    }
    if (readAll || !skipOthers(length)) {
      length = cutZeros(offset(), length);
      readOthers(length);
    }
    if (offset() < length) {
      moveAside(offset(), length, length);
    }
    if (mustRoll()) {
      roll(SegmentHeader.PLAIN);
    }
  }

  /** Returns true if the open file still ends at the known end. */
  private boolean isAtEnd() throws IOException {
    SegmentFile open = file;
    return open != null
        && segment > 0
        && lock.mark() <= segment
        && !lock.isUnfinished()
        && !mustRoll()
        && open.length() == offset();
  }

  /**
   * Returns true if a sync of the segment failed, so that the log must continue in a new segment.
   */
  private boolean mustRoll() throws IOException {
    return segment == failedSegment || current().hasFailed();
  }

  /**
   * Returns the length of the file at the segment's path; 0 if the file was deleted, which the open
   * file can't tell.
   */
  private long length() {
    return segments.file(segment).length();
  }

  /** Returns the open segment, and opens it if necessary. */
  SegmentFile current() throws IOException {
    SegmentFile open = file;
    return open == null ? open(segment) : open;
  }

  /** Moves to the start of a later segment, which is compressed if it is not the last. */
  private void enter(int number) throws IOException {
    if (segments.file(number).exists()) {
      open(number);
    } else {
      closeFile();
      segment = number;
      segments.noteLast(number);
    }
    end = SegmentPosition.of(segment, 0);
    link = LogLine.NO_CHECKSUM;
  }

  private SegmentFile open(int number) throws IOException {
    if (!segments.file(number).exists()) {
      throw segments.gone(); // never write to a compacted segment
    }
    closeFile();
    SegmentFile opened = new SegmentFile(segments.files(), segments.file(number));
    file = opened;
    segment = number;
    segments.noteLast(number);
    return opened;
  }

  /** Closes the open segment. Makes its bytes durable before any later byte, or throws. */
  private void closeFile() throws IOException {
    SegmentFile before = file;
    file = null;
    if (before == null) {
      return;
    }
    try {
      if (segment != failedSegment && !before.hasFailed()) {
        before.sync();
      }
    } catch (IOException e) {
      failedSegment = segment;
      throw e;
    } finally {
      before.close();
    }
  }

  /**
   * Moves to the end of the log by reading only the last line, if the witness confirms that the
   * line is the end. Later appends look up skipped frames when they need them.
   *
   * @return whether the end was found
   */
  private boolean skipOthers(long length) throws IOException {
    long from = offset();
    if (from >= length) {
      return from == length;
    }
    if (!witness.isAcknowledgedEnd(SegmentPosition.of(segment, length))) {
      return false;
    }
    int count = (int) Math.min(LAST_LINE_BYTES, length - from);
    byte[] last = current().read(length - count, count);
    int line = count - 1;
    while (line > 0 && last[line - 1] != '\n') {
      line--;
    }
    if (line == 0 && count < length - from
        || last[count - 1] != '\n'
        || !LogLine.isIntact(last, line, count - 1, new CRC32C())
        || !fields.find(last, line, count - 1)) {
      return false;
    }
    end = SegmentPosition.of(segment, length);
    link = LogLine.checksumBefore(last, count);
    known.beginAt(end);
    known.sawMinted(LogLine.id(last, fields.clockAt()));
    return true;
  }

  private void readOthers(long length) throws IOException {
    if (offset() >= length) {
      return;
    }
    try (LogReader reader = new LogReader(segments, TopicFilter.all(), end, null)) {
      FileFrame frame;
      while ((frame = reader.next()) != null) {
        known.saw(frame);
        known.sawMinted(frame.mintingClock());
      }
      end = reader.position();
      if (!reader.damage().isEmpty()) {
        known.sawDamage(end);
      }
    }
    if (segments.file(segment).exists()) {
      readLastLink();
    }
  }

  /**
   * Reads the checksum of the last line after reading frames of other processes. Restores the last
   * line break if it is missing or damaged.
   */
  private void readLastLink() throws IOException {
    SegmentFile current = current();
    long offset = offset();
    int length = (int) Math.min(LogLine.END_LENGTH, offset);
    long from = offset - length;
    byte[] last =
        Arrays.copyOf(current.read(from, (int) Math.min(length, current.length() - from)), length);
    if (length > 0 && last[length - 1] != '\n') {
      last[length - 1] = '\n';
      current.write(from, last, length);
    }
    link = LogLine.checksumBefore(last, length);
  }

  /**
   * Finds the end of the log and the last generated id, reading as little of the log as possible.
   */
  private void recover() throws IOException {
    boolean done = false;
    try {
      int last = segments.last();
      if (last == 0) {
        throw segments.gone();
      }
      if (!segments.file(last).exists()) {
        segments.unpack(last); // later segments were lost, and appends continue here
      }
      open(last);
      cutZeros(0, current().length());
      readTail(last);
      readLastLink();
      lock.mark(Math.max(last, lock.mark()));
      if (segments.header(last) == null) {
        roll(SegmentHeader.PLAIN); // never continue a log after a damaged header
      }
      known.beginAt(end);
      if (segments.erasing().toFile().exists()) {
        lock.unfinished(true); // a crash of the machine cleared the flag
      }
      done = true;
    } finally {
      if (!done) {
        segment = 0; // the object is only partly initialized
      }
    }
  }

  private void readTail(int last) {
    String minted = "";
    for (int number = last;
        number >= Segments.FIRST && minted.isEmpty();
        number = segments.before(number)) {
      long length = segments.length(number);
      long window = TAIL_BYTES;
      boolean whole;
      do {
        long from = Math.max(0, length - window);
        whole = from == 0;
        try (LogReader reader = new LogReader(segments, TopicFilter.all(), 0, null)) {
          reader.jumpToLineAfter(number, from);
          FileFrame frame;
          while ((frame = reader.next()) != null) {
            minted = frame.mintingClock();
          }
          if (number == last) {
            end = reader.position();
          }
        }
        window *= 4;
      } while (minted.isEmpty() && !whole);
    }
    if (!minted.isEmpty()) {
      known.sawMinted(minted);
    }
  }

  /**
   * Removes zeros at the end of the segment if they are longer than any line. A crash of the
   * machine may leave gigabytes of zeros, which every reader would have to read.
   *
   * @param from the first offset that may be cut
   * @return the length of the segment without the zeros
   */
  private long cutZeros(long from, long length) throws IOException {
    if (length - from <= LogLine.LONGEST) {
      return length;
    }
    long data = length;
    int size = LogLine.END_LENGTH; // most segments end without zeros, so a small read suffices
    byte[] zeros = new byte[TAIL_BYTES];
    while (data > from) {
      byte[] last = current().read(Math.max(from, data - size), (int) Math.min(size, data - from));
      if (!Arrays.equals(last, 0, last.length, zeros, 0, last.length)) {
        data -= LineScanner.zerosAtEnd(last, last.length);
        break;
      }
      data -= last.length;
      size = TAIL_BYTES;
    }
    if (length - data > LogLine.LONGEST) {
      moveAside(data, data, length);
      return data;
    }
    return length;
  }

  /**
   * Moves the end of the segment to a file in {@code damaged}.
   *
   * @param zeros the offset after which all bytes are zero
   */
  private void moveAside(long from, long zeros, long to) throws IOException {
    Path folder = segments.damaged();
    segments.files().createDirectories(folder);
    String name = Segments.name(segment).replace(".jsonl", "") + "-" + from + "-" + clock.millis();
    Path copy = folder.resolve(name + ".torn");
    TornTail.copy(current(), from, zeros, to, segments.files(), copy);
    current().truncate(from);
  }

  /**
   * Starts a new segment. All bytes of the current segment are durable before any byte of the new
   * one.
   *
   * @param format the minimum format of the new segment, which never decreases along the log
   */
  void roll(int format) throws IOException {
    if (segment >= Segments.LAST) {
      throw RalphException.full(
          "no segment number is left after " + segments.file(segment) + "; use a new store");
    }
    if (!mustRoll()) {
      current().sync();
    }
    SegmentHeader newest = segments.newestHeader(segment);
    String id = newest == null ? known.mint() : newest.store();
    int least = segments.hasErased() ? SegmentHeader.ERASED : SegmentHeader.PLAIN;
    int next =
        Math.max(Math.max(least, format), newest == null ? SegmentHeader.PLAIN : newest.format());
    long now = FrameTime.now(clock);
    lock.mark(segment + 1); // before it exists: a process that reads the mark looks for the segment
    segments.create(segment + 1, next, id, now, link);
    open(segment + 1);
    end = SegmentPosition.of(segment, segments.file(segment).length());
    readLastLink();
  }

  /** Closes the open segment. No append may be running. */
  void close() {
    SegmentFile open = file;
    file = null;
    if (open != null) {
      open.close();
    }
  }
}
