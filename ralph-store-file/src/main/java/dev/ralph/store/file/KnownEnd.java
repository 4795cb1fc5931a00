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
 * Where the log ends, as far as this process has seen it whole. Whatever stands behind that when
 * the lock is taken was appended by others, and is read first; what is left then, at the very end,
 * is the torn tail of one that was killed: it was never acknowledged, and is moved aside.
 *
 * <p>Everything here happens under the store's lock.
 */
final class KnownEnd {

  private static final int TAIL_BYTES = 64 * 1024;

  /** Most lines are shorter. */
  private static final int LAST_LINE_BYTES = 1024;

  private final Segments segments;
  private final SegmentIndexes indexes;
  private final KnownLog known;
  private final LineFields fields = new LineFields(TopicFilter.all());
  private final Path asideDirectory;
  private final StoreLock lock;
  private final LogWitness witness;
  private final Clock clock;

  private long end;
  private int segment;
  private @Nullable SegmentFile file;

  /** The segment that could not be synced when it was closed, or 0. */
  private int failedSegment;

  /** The checksum of the line that the log ends with, if it can be read. */
  private long link = Line.NO_CHECKSUM;

  KnownEnd(
      Segments segments,
      SegmentIndexes indexes,
      KnownLog known,
      Path asideDirectory,
      StoreLock lock,
      LogWitness witness,
      Clock clock) {
    this.segments = segments;
    this.indexes = indexes;
    this.known = known;
    this.asideDirectory = asideDirectory;
    this.lock = lock;
    this.witness = witness;
    this.clock = clock;
  }

  /** Returns the position behind the last line. */
  long position() {
    return end;
  }

  /** Returns where in its segment the log ends. */
  long offset() {
    return SegmentPosition.offset(end);
  }

  /** Returns the number of the last segment; 0 before the log was looked at. */
  int segment() {
    return segment;
  }

  /** Returns the checksum of the last line, which the next one names. */
  long link() {
    return link;
  }

  /** Takes note of lines that were written here. */
  void wrote(long upTo, long linkOfLast) {
    end = SegmentPosition.of(segment, upTo);
    link = linkOfLast;
  }

  /**
   * Finds the end of the log.
   *
   * @param readAll whether what others appended must be read; else most of it need not be
   */
  void catchUp(boolean readAll) throws IOException {
    if (!readAll && isAtEnd()) {
      witness.checkNotices(); // and the file itself once it is written
      return;
    }
    witness.check();
    if (segment == 0) {
      recover();
    }
    while (lock.mark() > segment && segments.exists(segment + 1)) {
      readOthers(segments.file(segment).length());
      segments.files().syncFolder(segments.directory());
      open(segment + 1);
      end = SegmentPosition.of(segment, 0);
      link = Line.NO_CHECKSUM;
    }
    long length = length();
    if (length < offset()) {
      // The log is shorter than what was seen of it: something else than this program cut it.
      indexes.forget();
      recover();
      length = current().length();
    }
    if (readAll || !passOverOthers(length)) {
      length = cutZeros(offset(), length);
      readOthers(length);
    }
    if (offset() < length) {
      moveAside(offset(), length, length);
    }
    if (mustBeLeft()) {
      roll(SegmentHeader.PLAIN);
    }
  }

  /** Returns whether the log ends where it ended here, as far as the open file can tell. */
  private boolean isAtEnd() throws IOException {
    SegmentFile open = file;
    return open != null
        && segment > 0
        && lock.mark() <= segment
        && !lock.isUnfinished()
        && !mustBeLeft()
        && open.length() == offset();
  }

  /** Returns whether a sync of the segment failed, so that nobody may go on in it. */
  private boolean mustBeLeft() throws IOException {
    return segment == failedSegment || current().hasFailed();
  }

  /**
   * Returns the length of the segment, by its name: 0 if it was deleted, which an open file does
   * not tell.
   */
  private long length() {
    return segments.file(segment).length();
  }

  /** Returns the segment, open. */
  SegmentFile current() throws IOException {
    SegmentFile open = file;
    return open == null ? open(segment) : open;
  }

  private SegmentFile open(int number) throws IOException {
    if (!segments.exists(number)) {
      throw segments.gone();
    }
    closeFile();
    SegmentFile opened = new SegmentFile(segments.files(), segments.file(number));
    file = opened;
    segment = number;
    segments.noteLast(number);
    return opened;
  }

  /**
   * Closes the segment that is open. What stands in it is durable before anything behind it is, or
   * those who append are told.
   */
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
   * Goes to the end of what others appended by a look at the last line alone, where the witness
   * says that the log ends with it. What a later append needs to know of the rest is looked up.
   *
   * @return whether that could be done
   */
  private boolean passOverOthers(long length) throws IOException {
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
        || !Line.isIntact(last, line, count - 1, new CRC32C())
        || !fields.find(last, line, count - 1)) {
      return false;
    }
    end = SegmentPosition.of(segment, length);
    link = Line.checksumBefore(last, count);
    known.beginAt(end);
    known.sawMinted(Line.id(last, fields.clockAt()));
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
    lookAtEnd();
  }

  /**
   * Finds out what the log ends with, after something else was read than what was written here. If
   * the last line is whole but for its line break, that is put in.
   */
  private void lookAtEnd() throws IOException {
    SegmentFile current = current();
    long offset = offset();
    int length = (int) Math.min(Line.END_LENGTH, offset);
    long from = offset - length;
    byte[] last =
        Arrays.copyOf(current.read(from, (int) Math.min(length, current.length() - from)), length);
    if (length > 0 && last[length - 1] != '\n') {
      last[length - 1] = '\n';
      current.write(from, last, length);
    }
    link = Line.checksumBefore(last, length);
  }

  /** Finds the end of the log, and the last minted id, from as little of its tail as will do. */
  private void recover() throws IOException {
    boolean done = false;
    try {
      int last = segments.last();
      if (last == 0) {
        throw segments.gone();
      }
      open(last);
      cutZeros(0, current().length());
      readTail(last);
      lookAtEnd();
      lock.mark(Math.max(last, lock.mark()));
      if (segments.header(last) == null) {
        roll(SegmentHeader.PLAIN); // a damaged header is left, and never grows a log behind it
      }
      known.beginAt(end);
      if (segments.erasing().toFile().exists()) {
        lock.unfinished(true); // which a crash of the machine made forget
      }
      done = true;
    } finally {
      if (!done) {
        segment = 0; // what is known now is known in part
      }
    }
  }

  private void readTail(int last) {
    String minted = "";
    for (int number = last;
        number >= Segments.FIRST && minted.isEmpty();
        number = segments.before(number)) {
      long length = segments.file(number).length();
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
   * Cuts off zeros at the end of the segment if there are more than a line can have. A crash of the
   * machine may leave gigabytes of them, which nobody should have to read again and again.
   *
   * @param from where they begin at the earliest
   * @return the length of the segment without them
   */
  private long cutZeros(long from, long length) throws IOException {
    if (length - from <= Line.LONGEST) {
      return length;
    }
    long data = length;
    int size = Line.END_LENGTH; // mostly they tell that there are no zeros
    while (data > from) {
      byte[] last = current().read(Math.max(from, data - size), (int) Math.min(size, data - from));
      int zeros = zerosAtEnd(last);
      data -= zeros;
      if (zeros < last.length) {
        break;
      }
      size = TAIL_BYTES;
    }
    if (length - data > Line.LONGEST) {
      moveAside(data, data, length);
      return data;
    }
    return length;
  }

  private static int zerosAtEnd(byte[] bytes) {
    int at = bytes.length;
    while (at > 0 && bytes[at - 1] == 0) {
      at--;
    }
    return bytes.length - at;
  }

  /**
   * @param zeros from where on there is nothing but zeros
   */
  private void moveAside(long from, long zeros, long to) throws IOException {
    segments.files().createDirectories(asideDirectory);
    String name = Segments.name(segment).replace(".jsonl", "") + "-" + from + "-" + clock.millis();
    TornTail.copy(
        current(), from, zeros, to, segments.files(), asideDirectory.resolve(name + ".torn"));
    current().truncate(from);
  }

  /**
   * Begins a new segment; what stands in the present one is durable before anything in the new one.
   *
   * @param format the least that the new one has; it has that of those before it at the least
   */
  void roll(int format) throws IOException {
    if (segment >= Segments.LAST) {
      throw RalphException.full(
          "there is no number for another segment behind " + segments.file(segment));
    }
    if (!mustBeLeft()) {
      current().sync();
    }
    SegmentHeader newest = segments.newestHeader(segment);
    String id = newest == null ? known.mint() : newest.store();
    int least = segments.hasErased() ? SegmentHeader.ERASED : format;
    int next = Math.max(least, newest == null ? SegmentHeader.PLAIN : newest.format());
    long now = FrameTime.now(clock);
    lock.mark(segment + 1); // before it exists: a process that finds the mark looks for the segment
    segments.create(segment + 1, next, id, now, link);
    open(segment + 1);
    end = SegmentPosition.of(segment, segments.file(segment).length());
    lookAtEnd();
  }

  /** Closes the segment that is open. Nothing may be under way. */
  void close() {
    SegmentFile open = file;
    file = null;
    if (open != null) {
      open.close();
    }
  }
}
