package dev.ralph.store.file;

import dev.ralph.Draft;
import dev.ralph.IndeterminateException;
import dev.ralph.Position;
import dev.ralph.RalphException;
import dev.ralph.Topic;
import dev.ralph.TopicFilter;
import dev.ralph.spi.Appended;
import dev.ralph.spi.Batch;
import dev.ralph.spi.Condition;
import dev.ralph.spi.ContentStore;
import dev.ralph.spi.Scru128;
import dev.ralph.store.support.PrivateFiles;
import dev.ralph.store.support.StoreLock;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.annotation.Nullable;

/**
 * Writes batches at the end of the log. Everything here happens under the store's lock, except
 * {@link #sync}.
 *
 * <p>The appender knows the log up to a place that it has seen whole. Whatever stands behind it
 * when the lock is taken was appended by others, and is read first; what is left then, at the very
 * end, is the torn tail of one that was killed: it was never acknowledged, and is moved aside.
 */
final class Appender {

  private static final long SEGMENT_BYTES = 128L * 1024 * 1024;
  private static final int TAIL_BYTES = 64 * 1024;

  private final Segments segments;
  private final SegmentIndexes indexes;
  private final ContentStore contents;
  private final Lookup lookup;
  private final Path asideDirectory;
  private final StoreLock lock;
  private final Clock clock;
  private final Scru128 mint;

  /** Where the newest frame of each topic stands, of those behind {@link #knownFrom}. */
  private final Map<Topic, Long> newest = new HashMap<>();

  private long knownFrom;
  private long end;
  private String lastMinted = "";
  @Nullable private String largestId;
  private int segment;
  @Nullable private SegmentFile file;

  /** Up to where damage was met: nobody knows what it was, so a condition must not rest on it. */
  private long damagedUntil;

  /** What the appender asks of readers. */
  interface Lookup {

    boolean anyAfter(TopicFilter filter, long position);

    Set<String> held(Set<String> ids);

    String largestId();
  }

  /** A batch on its way, and what has become of it. */
  static final class Request {
    final Batch batch;

    /** Without the frames that the store turns out to hold already. */
    private BatchLines lines;

    @Nullable Appended result;
    @Nullable RuntimeException failure;

    /** Where the lines are to end. */
    private long end;

    @Nullable private SegmentFile writtenIn;

    Request(Batch batch, BatchLines lines) {
      this.batch = batch;
      this.lines = lines;
    }

    boolean isWritten() {
      return writtenIn != null;
    }

    private boolean imports() {
      for (Draft draft : batch.drafts()) {
        if (draft.id() != null) {
          return true;
        }
      }
      return false;
    }

    /** Takes note of a failure that left it open what became of the batch. */
    void failUnlessFailed(Throwable cause) {
      if (failure == null) {
        failure =
            isWritten()
                ? new IndeterminateException(
                    "the batch " + batch.id() + " was written, but not confirmed: " + cause,
                    batch.id(),
                    Position.START,
                    true,
                    cause)
                : new RalphException(
                    RalphException.Code.IO, "the batch was not appended: " + cause, cause);
      }
    }

    Appended outcome() {
      if (failure != null) {
        throw failure;
      }
      if (result == null) {
        throw new IllegalStateException("the append has not been carried out");
      }
      return result;
    }
  }

  Appender(
      Segments segments,
      SegmentIndexes indexes,
      ContentStore contents,
      Lookup lookup,
      Path asideDirectory,
      StoreLock lock,
      Clock clock) {
    this.segments = segments;
    this.indexes = indexes;
    this.contents = contents;
    this.lookup = lookup;
    this.asideDirectory = asideDirectory;
    this.lock = lock;
    this.clock = clock;
    this.mint = new Scru128(clock);
  }

  /**
   * Writes the batches, each for itself, with one write where that is possible. Afterwards each has
   * a result or a failure.
   *
   * @param deadline when to give up waiting for the lock, on the scale of {@link System#nanoTime}
   */
  void write(Collection<Request> requests, long deadline) {
    try {
      lock.acquire(deadline);
    } catch (RuntimeException e) {
      fail(requests, e);
      return;
    }
    try {
      catchUp();
      List<Request> accepted = new ArrayList<>(requests.size());
      for (Request request : requests) {
        if (request.batch.condition() != null || request.imports()) {
          flush(accepted); // it is decided on what stands in the log
        }
        prepare(request, accepted);
      }
      flush(accepted);
      index();
    } catch (IOException e) {
      fail(requests, PrivateFiles.failure("cannot append to " + segments.file(segment), e));
    } catch (RuntimeException e) {
      fail(requests, e);
    } finally {
      lock.release();
    }
  }

  private void index() {
    try {
      indexes.appended(segment, SegmentPosition.offset(end));
    } catch (RalphException e) {
      System.getLogger(Appender.class.getName())
          .log(System.Logger.Level.DEBUG, "the index is left to a reader", e);
    }
  }

  private static void fail(Collection<Request> requests, RuntimeException failure) {
    for (Request request : requests) {
      if (request.result == null && request.failure == null) {
        request.failure = failure;
      }
    }
  }

  // ---- knowing the end of the log

  private void catchUp() throws IOException {
    if (segment == 0) {
      recover();
    }
    while (lock.mark() > segment && segments.exists(segment + 1)) {
      readOthers(segments.file(segment).length());
      open(segment + 1);
      PrivateFiles.syncDirectory(segments.directory());
      end = SegmentPosition.of(segment, 0);
    }
    long length = length();
    if (length < SegmentPosition.offset(end)) {
      // The log is shorter than what was seen of it: something else than this program cut it.
      indexes.forget();
      newest.clear();
      largestId = null;
      recover();
      length = current().length();
    }
    readOthers(length);
    if (SegmentPosition.offset(end) < length) {
      moveAside(SegmentPosition.offset(end), length);
    }
    if (current().hasFailed()) {
      roll();
    }
  }

  /** Returns the length of the segment: 0 if it was deleted, which an open file does not tell. */
  private long length() throws IOException {
    return segments.exists(segment) ? current().length() : 0;
  }

  private SegmentFile current() throws IOException {
    SegmentFile open = file;
    return open == null ? open(segment) : open;
  }

  private SegmentFile open(int number) throws IOException {
    if (!segments.exists(number)) {
      throw segments.gone();
    }
    SegmentFile before = file;
    if (before != null) {
      before.syncAndClose();
    }
    SegmentFile opened = new SegmentFile(segments.file(number));
    file = opened;
    segment = number;
    segments.noteLast(number);
    return opened;
  }

  private void readOthers(long length) {
    if (SegmentPosition.offset(end) >= length) {
      return;
    }
    try (LogReader reader = new LogReader(segments, contents, TopicFilter.all(), end)) {
      FileFrame frame;
      while ((frame = reader.next()) != null) {
        note(frame);
      }
      end = reader.position();
      if (!reader.damage().isEmpty()) {
        damagedUntil = end;
      }
    }
  }

  private void note(FileFrame frame) {
    newest.put(frame.topic(), frame.position().value());
    String minted = frame.mintingClock();
    if (minted.compareTo(lastMinted) > 0) {
      lastMinted = minted;
      mint.advance(minted);
    }
    if (largestId != null && frame.id().compareTo(largestId) > 0) {
      largestId = frame.id();
    }
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
      readTail(last);
      lock.mark(Math.max(last, lock.mark()));
      if (segments.storeId(last) == null) {
        roll(); // a damaged header is left as it is, and never grows a log behind it
      }
      knownFrom = end;
      done = true;
    } finally {
      if (!done) {
        segment = 0; // what is known now is known in part
      }
    }
  }

  private void readTail(int last) {
    String minted = "";
    for (int number = last; number >= Segments.FIRST && minted.isEmpty(); number--) {
      long length = segments.file(number).length();
      long window = TAIL_BYTES;
      boolean whole;
      do {
        long from = Math.max(0, length - window);
        whole = from == 0;
        try (LogReader reader = new LogReader(segments, contents, TopicFilter.all(), 0)) {
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
      lastMinted = minted;
      mint.advance(minted);
    }
  }

  private void moveAside(long from, long to) throws IOException {
    SegmentFile current = current();
    byte[] torn = current.read(from, (int) Math.min(to - from, Integer.MAX_VALUE - 16));
    PrivateFiles.createDirectories(asideDirectory);
    String name = Segments.name(segment).replace(".jsonl", "") + "-" + from + "-" + clock.millis();
    PrivateFiles.writeAtomically(asideDirectory.resolve(name + ".torn"), torn, true);
    current.truncate(from);
  }

  // ---- writing

  private void prepare(Request request, List<Request> accepted) throws IOException {
    Batch batch = request.batch;
    Condition condition = batch.condition();
    if (condition != null && isBroken(condition)) {
      request.result = Appended.conflict();
      return;
    }
    boolean[] held = heldAlready(batch.drafts());
    if (count(held) > 0) {
      request.lines = request.lines.without(held);
    }
    BatchLines lines = request.lines;
    long offset = endBehind(accepted);
    if (offset + lines.length() > SEGMENT_BYTES && offset > TAIL_BYTES) {
      flush(accepted);
      roll();
      offset = SegmentPosition.offset(end);
    }
    try {
      lastMinted = lines.stamp(clock.millis(), mint, lastMinted);
    } catch (RalphException e) {
      request.failure = e;
      return;
    }
    request.end = offset + lines.length();
    accepted.add(request);
  }

  /** Returns the offset where the lines of those requests will end. */
  private long endBehind(List<Request> accepted) {
    return accepted.isEmpty() ? SegmentPosition.offset(end) : accepted.get(accepted.size() - 1).end;
  }

  private boolean isBroken(Condition condition) {
    long since = condition.since().value();
    if (since > end || damagedUntil > since) {
      return true;
    }
    for (Map.Entry<Topic, Long> topic : newest.entrySet()) {
      if (topic.getValue() > since && condition.filter().matches(topic.getKey())) {
        return true;
      }
    }
    return since < knownFrom && lookup.anyAfter(condition.filter(), since);
  }

  /** Returns which drafts are imports of frames that the store has already. */
  private boolean[] heldAlready(List<Draft> drafts) {
    boolean[] held = new boolean[drafts.size()];
    Set<String> imported = new HashSet<>();
    Set<String> perhapsHeld = new HashSet<>();
    for (int i = 0; i < held.length; i++) {
      String id = drafts.get(i).id();
      if (id != null) {
        held[i] = !imported.add(id);
        if (id.compareTo(largestId()) <= 0) {
          perhapsHeld.add(id);
        }
      }
    }
    if (!perhapsHeld.isEmpty()) {
      Set<String> found = lookup.held(perhapsHeld);
      for (int i = 0; i < held.length; i++) {
        String id = drafts.get(i).id();
        held[i] |= id != null && found.contains(id);
      }
    }
    return held;
  }

  private String largestId() {
    String largest = largestId;
    if (largest == null) {
      largest = lookup.largestId();
      largestId = largest;
    }
    return largest;
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
    }
    long batchFrom = offset;
    for (Request request : accepted) {
      if (request.end > written) {
        request.failure =
            PrivateFiles.failure(
                "cannot append to " + segments.file(segment),
                failure == null ? new IOException("nothing was written") : failure);
        continue;
      }
      List<FileFrame> frames = request.lines.frames(SegmentPosition.of(segment, batchFrom));
      request.result =
          Appended.of(List.copyOf(frames), Position.of(SegmentPosition.of(segment, request.end)));
      request.writtenIn = out;
      note(request.lines, frames);
      if (!frames.isEmpty()) {
        indexes.wrote(segment, batchFrom, request.lines, frames);
      }
      batchFrom = request.end;
    }
    end = SegmentPosition.of(segment, written);
    accepted.clear();
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

  private void note(BatchLines lines, List<FileFrame> frames) {
    for (int i = 0; i < frames.size(); i++) {
      boolean lastOfItsTopic = i == frames.size() - 1 || lines.topic(i + 1) != lines.topic(i);
      if (lastOfItsTopic) {
        newest.put(lines.topic(i), frames.get(i).position().value());
      }
      if (largestId != null && frames.get(i).id().compareTo(largestId) > 0) {
        largestId = frames.get(i).id();
      }
    }
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
   */
  private void roll() throws IOException {
    if (!current().hasFailed()) {
      current().sync();
    }
    String storeId = segments.storeId(segment);
    for (int number = segment; storeId == null && number >= Segments.FIRST; number--) {
      storeId = segments.exists(number) ? segments.storeId(number) : null;
    }
    lock.mark(segment + 1); // before it exists: whoever finds the mark looks for the segment
    segments.create(segment + 1, storeId == null ? mint.next() : storeId, clock.millis());
    open(segment + 1);
    end = SegmentPosition.of(segment, segments.file(segment).length());
  }

  // ---- durability

  /**
   * Makes durable what was written. After a failure nobody can know what is on the disk: those who
   * wait are told so, and no process writes to that segment again.
   */
  void sync(Collection<Request> requests) {
    SegmentFile synced = null;
    boolean failed = false;
    for (Request request : requests) {
      SegmentFile written = request.writtenIn;
      if (request.failure != null || written == null || written == synced) {
        continue;
      }
      try {
        written.sync();
        synced = written;
      } catch (IOException e) {
        failed = true;
        request.failure =
            new IndeterminateException(
                "the batch "
                    + request.batch.id()
                    + " was written, but the disk did not confirm it: "
                    + e.getMessage(),
                request.batch.id(),
                request.outcome().frames().isEmpty()
                    ? Position.START
                    : Position.of(
                        SegmentPosition.of(
                            SegmentPosition.segment(request.outcome().position().value()), 0)),
                true,
                e);
      }
    }
    if (failed) {
      abandonSegment();
    }
  }

  private void abandonSegment() {
    try {
      lock.acquire();
      try {
        catchUp();
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
