package dev.ralph.store.file;

import dev.ralph.log.Appended;
import dev.ralph.log.Batch;
import dev.ralph.log.Condition;
import dev.ralph.log.Draft;
import dev.ralph.log.Erasure;
import dev.ralph.log.Position;
import dev.ralph.log.RalphException;
import dev.ralph.log.Topic;
import dev.ralph.log.TopicFilter;
import dev.ralph.store.support.AppendLookup;
import dev.ralph.store.support.FileSnapshotStore;
import dev.ralph.store.support.FrameTime;
import dev.ralph.store.support.GroupCommit;
import dev.ralph.store.support.HashedContentStore;
import dev.ralph.store.support.KnownLog;
import dev.ralph.store.support.LogWitness;
import dev.ralph.store.support.PendingAppend;
import dev.ralph.store.support.PrivateFiles;
import dev.ralph.store.support.SegmentFile;
import dev.ralph.store.support.SegmentIndexes;
import dev.ralph.store.support.SegmentPosition;
import dev.ralph.store.support.StoreLock;
import dev.ralph.store.support.StoredFrame;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Writes batches at the end of the log. Everything here happens under the store's lock, except
 * {@link #sync}.
 *
 * <p>The appender knows the log up to a place that it has seen whole. Whatever stands behind it
 * when the lock is taken was appended by others, and is read first; what is left then, at the very
 * end, is the torn tail of one that was killed: it was never acknowledged, and is moved aside.
 */
final class Appender implements GroupCommit.Committer<Appender.Request> {

  private static final long SEGMENT_BYTES = 128L * 1024 * 1024;
  private static final int TAIL_BYTES = 64 * 1024;

  /** Most lines are shorter. */
  private static final int LAST_LINE_BYTES = 1024;

  private final Segments segments;
  private final SegmentIndexes indexes;
  private final HashedContentStore contents;
  private final FileSnapshotStore snapshots;
  private final String storeId;
  private final LineFields fields = new LineFields(TopicFilter.all());
  private final Path asideDirectory;
  private final StoreLock lock;
  private final LogWitness witness;
  private final Clock clock;
  private final KnownLog known;

  private long end;
  private int segment;
  private @Nullable SegmentFile file;

  /** The segment that could not be synced when it was closed, or 0. */
  private int failedSegment;

  /** The checksum of the line that the log ends with, if it can be read. */
  private long link = Line.NO_CHECKSUM;

  /** A batch on its way, with its lines. */
  static final class Request extends PendingAppend {
    /** Without the frames that the store turns out to hold already. */
    private BatchLines lines;

    /** Where the lines are to end, and with which checksum. */
    private long end;

    private long link;

    Request(Batch batch, BatchLines lines) {
      super(batch);
      this.lines = lines;
    }
  }

  Appender(
      Segments segments,
      SegmentIndexes indexes,
      HashedContentStore contents,
      FileSnapshotStore snapshots,
      AppendLookup lookup,
      String storeId,
      Path asideDirectory,
      StoreLock lock,
      LogWitness witness,
      Clock clock) {
    this.segments = segments;
    this.indexes = indexes;
    this.contents = contents;
    this.snapshots = snapshots;
    this.storeId = storeId;
    this.asideDirectory = asideDirectory;
    this.lock = lock;
    this.witness = witness;
    this.clock = clock;
    this.known = new KnownLog(lookup, clock);
  }

  /** Writes the batches, each for itself, with one write where that is possible. */
  @Override
  public void write(Collection<Request> requests, long since) {
    try {
      lock.acquire(since);
    } catch (RuntimeException e) {
      fail(requests, witness.reason(e));
      return;
    }
    try {
      catchUp(restOnTheLog(requests));
      List<Request> accepted = new ArrayList<>(requests.size());
      for (Request request : requests) {
        if (request.batch().condition() != null || request.imports()) {
          flush(accepted); // it is decided on what stands in the log
        }
        prepare(request, accepted);
      }
      flush(accepted);
      indexes.appended(end);
    } catch (IOException e) {
      fail(requests, PrivateFiles.failure("cannot append to " + segments.file(segment), e));
    } catch (RuntimeException e) {
      fail(requests, e);
    } finally {
      lock.release();
    }
  }

  /** Returns whether what others appended has to be known for one of them. */
  private static boolean restOnTheLog(Collection<Request> requests) {
    for (Request request : requests) {
      if (request.batch().condition() != null || request.imports()) {
        return true;
      }
    }
    return false;
  }

  private static void fail(Collection<Request> requests, RuntimeException failure) {
    for (Request request : requests) {
      request.failUnlessDecided(failure);
    }
  }

  // ---- knowing the end of the log

  /**
   * Finds the end of the log.
   *
   * @param readAll whether what others appended must be read; else most of it need not be
   */
  private void catchUp(boolean readAll) throws IOException {
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
    if (length < SegmentPosition.offset(end)) {
      // The log is shorter than what was seen of it: something else than this program cut it.
      indexes.forget();
      recover();
      length = current().length();
    }
    if (readAll || !passOverOthers(length)) {
      length = cutZeros(SegmentPosition.offset(end), length);
      readOthers(length);
    }
    if (SegmentPosition.offset(end) < length) {
      moveAside(SegmentPosition.offset(end), length, length);
    }
    if (mustBeLeft()) {
      roll(SegmentHeader.PLAIN);
    }
    if (lock.isUnfinished()) {
      finishErasing();
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
        && open.length() == SegmentPosition.offset(end);
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

  private SegmentFile current() throws IOException {
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
    long from = SegmentPosition.offset(end);
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
    if (SegmentPosition.offset(end) >= length) {
      return;
    }
    try (LogReader reader = new LogReader(segments, contents, TopicFilter.all(), end, null)) {
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
    long offset = SegmentPosition.offset(end);
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
        try (LogReader reader = new LogReader(segments, contents, TopicFilter.all(), 0, null)) {
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

  // ---- writing

  private void prepare(Request request, List<Request> accepted) throws IOException {
    Batch batch = request.batch();
    Condition condition = batch.condition();
    if (condition != null && known.isBroken(condition, end)) {
      request.succeed(Appended.conflict());
      return;
    }
    boolean[] held = known.heldAlready(batch.drafts());
    if (count(held) > 0) {
      request.lines = request.lines.without(held);
    }
    BatchLines lines = request.lines;
    long offset = endBehind(accepted);
    if (offset + lines.length() > SEGMENT_BYTES && offset > TAIL_BYTES) {
      flush(accepted);
      roll(SegmentHeader.PLAIN);
      offset = SegmentPosition.offset(end);
    }
    try {
      request.link = lines.stamp(FrameTime.now(clock), known, linkBehind(accepted));
    } catch (RalphException e) {
      request.fail(e);
      return;
    }
    request.end = offset + lines.length();
    accepted.add(request);
  }

  /** Returns the offset where the lines of those requests will end. */
  private long endBehind(List<Request> accepted) {
    return accepted.isEmpty() ? SegmentPosition.offset(end) : accepted.get(accepted.size() - 1).end;
  }

  /** Returns the checksum of the line that the lines of those requests will end with. */
  private long linkBehind(List<Request> accepted) {
    return accepted.isEmpty() ? link : accepted.get(accepted.size() - 1).link;
  }

  private static int count(boolean[] flags) {
    int count = 0;
    for (boolean flag : flags) {
      count += flag ? 1 : 0;
    }
    return count;
  }

  /** Writes what is prepared. What can't be written fails, and leaves the log as it was. */
  private void flush(List<Request> accepted) throws IOException {
    SegmentFile out = current();
    long offset = SegmentPosition.offset(end);
    long written = endBehind(accepted);
    IOException failure = null;
    if (written > offset) {
      try {
        out.write(offset, bytes(accepted), (int) (written - offset));
      } catch (IOException e) {
        failure = e;
        written = wholeBatches(accepted, offset);
        cut(out, written, e);
      }
      checkWritten(out, written, accepted);
    }
    long batchFrom = offset;
    for (Request request : accepted) {
      if (request.end > written) {
        request.fail(
            PrivateFiles.failure(
                "cannot append to " + segments.file(segment),
                failure == null ? new IOException("nothing was written") : failure));
        continue;
      }
      List<FileFrame> frames =
          request.lines.frames(SegmentPosition.of(segment, batchFrom), segments);
      Position position = Position.of(SegmentPosition.of(segment, request.end));
      request.succeed(Appended.of(List.copyOf(frames), position), out);
      known.saw(frames);
      if (!frames.isEmpty()) {
        indexes.wrote(request, batchFrom, request.lines.bytes(), request.lines.length());
        witness.acknowledged(position.value(), request.lines.bytes(), request.lines.length());
      }
      batchFrom = request.end;
      link = request.link;
    }
    end = SegmentPosition.of(segment, written);
    accepted.clear();
  }

  /** Checks that what was written is in its place; where not, nobody can say where it is now. */
  private void checkWritten(SegmentFile out, long written, List<Request> accepted) {
    try {
      witness.checkWritten(out, written);
    } catch (RalphException e) {
      for (Request request : accepted) {
        if (request.end <= written) {
          request.leaveOpen(e);
        }
      }
      throw e;
    }
  }

  /** Returns the lines of all of them, to be written at once. */
  private static byte[] bytes(List<Request> accepted) {
    if (accepted.size() == 1) {
      return accepted.get(0).lines.bytes();
    }
    int length = 0;
    for (Request request : accepted) {
      length += request.lines.length();
    }
    byte[] all = new byte[length];
    int at = 0;
    for (Request request : accepted) {
      System.arraycopy(request.lines.bytes(), 0, all, at, request.lines.length());
      at += request.lines.length();
    }
    return all;
  }

  /**
   * Returns the end of the last batch that was written as a whole before the write failed: a reader
   * may have seen it, so it must stay.
   */
  private long wholeBatches(List<Request> accepted, long offset) {
    long length = segments.file(segment).length();
    long whole = offset;
    for (Request request : accepted) {
      if (request.end <= length) {
        whole = request.end;
      }
    }
    return whole;
  }

  /** Takes back the part of a batch; if that fails, it is a torn tail for the next appender. */
  private static void cut(SegmentFile out, long length, IOException cause) {
    try {
      out.truncate(length);
    } catch (IOException e) {
      cause.addSuppressed(e);
    }
  }

  /**
   * Begins a new segment; what stands in the present one is durable before anything in the new one.
   *
   * @param format the least that the new one has; it has that of those before it at the least
   */
  private void roll(int format) throws IOException {
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

  // ---- erasing

  /**
   * Erases frames: what is to be done is written down, then done.
   *
   * @return how many of them had something to erase
   */
  int erase(List<StoredFrame> frames) {
    Set<String> needed = new HashSet<>();
    try (LogReader reader = new LogReader(segments, contents, TopicFilter.all(), 0, null)) {
      if (frames.stream().anyMatch(frame -> frame.contentAddress() != null)) {
        addAddresses(reader, frames, needed); // without the lock, because this may take long
      }
      lock.acquire();
      try {
        catchUp(true);
        Erasing erasing = new Erasing(storeId);
        for (StoredFrame frame : frames) {
          add((FileFrame) frame, erasing);
        }
        if (erasing.count() > 0) {
          requireVersionsThatKnowIt();
          lock.unfinished(true);
          erasing.write(segments);
          finish(erasing, reader, needed);
        }
        return erasing.count();
      } finally {
        lock.release();
      }
    } catch (IOException e) {
      throw PrivateFiles.failure("cannot erase frames in " + segments.directory(), e);
    }
  }

  /** Reads to the end of the log; adds the addresses that other frames name. */
  private static void addAddresses(LogReader reader, List<StoredFrame> but, Set<String> to) {
    Set<String> erased = new HashSet<>();
    but.forEach(frame -> erased.add(frame.id()));
    do {
      FileFrame frame;
      while ((frame = reader.next()) != null) {
        String address = frame.contentAddress();
        if (address != null && !erased.contains(frame.id())) {
          to.add(address);
        }
      }
    } while (reader.enterNextSegment());
  }

  /** Adds a frame, unless there is nothing to erase in it. */
  private void add(FileFrame frame, Erasing to) throws IOException {
    int number = SegmentPosition.segment(frame.position().value());
    long offset = SegmentPosition.offset(frame.position().value()) - frame.length();
    byte[] line = new byte[frame.length() - 1];
    try (RandomAccessFile in = segments.files().openToRead(segments.file(number))) {
      in.seek(offset);
      in.readFully(line);
    }
    int from = frame.bodyFrom();
    if (!Line.isIntact(line, 0, line.length, new CRC32C())) {
      throw new IOException("the line of frame " + frame.id() + " is not what was read before");
    }
    int length = line.length - Line.CRC_LENGTH - from;
    if (Line.at(line, from, Line.META) && length >= Tombstone.SHORTEST) {
      to.add(frame, number, offset + from, length, Tombstone.write(line, from));
    }
  }

  /** Sees to it that versions which take erased lines for damage refuse the store from now on. */
  private void requireVersionsThatKnowIt() throws IOException {
    SegmentHeader header = segments.header(segment); // that of the newest segment is looked at
    if (header == null || header.format() < SegmentHeader.ERASED) {
      roll(SegmentHeader.ERASED);
    }
  }

  /** Does what another process was killed at. */
  private void finishErasing() throws IOException {
    if (!Files.exists(segments.erasing(), LinkOption.NOFOLLOW_LINKS)) {
      lock.unfinished(false);
      return;
    }
    Erasing erasing = Erasing.read(segments);
    if (erasing == null || !erasing.fits(segments, storeId)) {
      setErasingAside();
      return;
    }
    try (LogReader reader = new LogReader(segments, contents, TopicFilter.all(), 0, null)) {
      finish(erasing, reader, new HashSet<>());
    }
  }

  /** Keeps what is not of this log, or not what was written, for somebody to look at. */
  private void setErasingAside() throws IOException {
    segments.files().createDirectories(asideDirectory);
    Path aside;
    long number = clock.millis();
    do {
      aside = asideDirectory.resolve(Erasing.ASIDE + number++);
    } while (Files.exists(aside, LinkOption.NOFOLLOW_LINKS));
    segments.files().move(segments.erasing(), aside); // be it a link, or a folder
    segments.files().syncFolder(asideDirectory);
    segments.files().syncFolder(segments.files().root());
    lock.unfinished(false);
    System.getLogger(Appender.class.getName())
        .log(
            System.Logger.Level.WARNING,
            segments.erasing() + " " + Erasing.DOES_NOT_FIT + ": see " + aside);
  }

  /**
   * Everything here may be done again.
   *
   * @param reader reads what is not in {@code needed} yet
   * @param needed the addresses of contents that other frames name
   */
  private void finish(Erasing erasing, LogReader reader, Set<String> needed) throws IOException {
    snapshots.erasing(end);
    erasing.overwrite(segments);
    if (!erasing.addresses().isEmpty()) {
      addAddresses(reader, List.of(), needed);
    }
    for (String address : erasing.addresses()) {
      if (!needed.contains(address)) {
        contents.remove(address);
      }
    }
    snapshots.removeAll();
    List<Request> notices = new ArrayList<>();
    for (Map.Entry<Topic, List<String>> each : erasing.ids().entrySet()) {
      notices.add(append(Erasure.notice(each.getKey(), each.getValue())));
    }
    PendingAppend.sync(notices, witness);
    notices.forEach(Request::outcome);
    Erasing.done(segments);
    lock.unfinished(false);
  }

  private Request append(Draft draft) throws IOException {
    Batch batch = Batch.of(known.mint(), List.of(draft));
    Request request = new Request(batch, BatchLines.of(batch, contents));
    List<Request> accepted = new ArrayList<>();
    prepare(request, accepted);
    flush(accepted);
    request.outcome();
    return request;
  }

  // ---- durability

  /** Makes durable what was written; after a failure nobody goes on in that segment. */
  @Override
  public void sync(Collection<Request> requests) {
    if (!PendingAppend.sync(requests, witness)) {
      abandonSegment();
    }
  }

  private void abandonSegment() {
    try {
      lock.acquire();
      try {
        catchUp(true);
      } finally {
        lock.release();
      }
    } catch (IOException | RuntimeException e) {
      System.getLogger(Appender.class.getName())
          .log(System.Logger.Level.WARNING, "no new segment yet after a failed sync", e);
    }
  }

  /** Closes what is open. Nothing may be under way. */
  void close() {
    SegmentFile open = file;
    file = null;
    if (open != null) {
      open.close();
    }
  }
}
