package dev.ralph.store.file;

import dev.ralph.Draft;
import dev.ralph.Frame;
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
import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
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
  private final Clock clock;
  private final Scru128 mint;
  private final LineWriter writer = new LineWriter();

  /** Where the newest frame of each topic stands, of those behind {@link #knownFrom}. */
  private final Map<Topic, Long> newest = new HashMap<>();

  private long knownFrom;
  private long end;
  private String lastMinted = "";
  @Nullable private String largestId;
  private int segment;
  @Nullable private RandomAccessFile file;

  /** What the appender asks of readers. */
  interface Lookup {

    boolean anyAfter(TopicFilter filter, long position);

    boolean holds(String id);

    String largestId();
  }

  /** A batch on its way, and what has become of it. */
  static final class Request {
    final Batch batch;
    final byte[][] bodies;
    @Nullable Appended result;
    @Nullable RuntimeException failure;
    long writtenTo;
    @Nullable RandomAccessFile writtenIn;

    Request(Batch batch, byte[][] bodies) {
      this.batch = batch;
      this.bodies = bodies;
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
      Clock clock) {
    this.segments = segments;
    this.indexes = indexes;
    this.contents = contents;
    this.lookup = lookup;
    this.asideDirectory = asideDirectory;
    this.clock = clock;
    this.mint = new Scru128(clock);
  }

  /** Writes the batches, each for itself, with one write where that is possible. */
  void write(Collection<Request> requests, StoreLock lock) {
    try {
      lock.acquire();
    } catch (RuntimeException e) {
      requests.forEach(request -> request.failure = e);
      return;
    }
    try {
      catchUp();
      List<Request> accepted = new ArrayList<>(requests.size());
      writer.reset();
      for (Request request : requests) {
        if (writer.length() > 0 && request.batch.condition() != null) {
          flush(accepted); // a condition is decided on what stands in the log
        }
        prepare(request, accepted);
      }
      flush(accepted);
      index();
    } catch (IOException e) {
      RalphException failure =
          PrivateFiles.failure("cannot append to " + segments.file(segment), e);
      fail(requests, failure);
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
    RandomAccessFile current = current();
    while (segments.exists(segment + 1)) {
      readOthers(current.length());
      current.getFD().sync(); // whoever waits for a sync of this segment finds its file closed
      current = open(segment + 1);
      end = SegmentPosition.of(segment, 0);
    }
    long length = current.length();
    if (length < SegmentPosition.offset(end)) {
      // The log is shorter than what was seen of it: it was cut by something else than this
      // program.
      indexes.forget();
      newest.clear();
      segment = 0;
      recover();
      length = current().length();
    }
    readOthers(length);
    if (SegmentPosition.offset(end) < length) {
      moveAside(SegmentPosition.offset(end), length);
    }
  }

  private RandomAccessFile current() throws IOException {
    RandomAccessFile open = file;
    return open == null ? open(segment) : open;
  }

  private RandomAccessFile open(int number) throws IOException {
    closeFile();
    RandomAccessFile opened = new RandomAccessFile(segments.file(number), "rw");
    file = opened;
    segment = number;
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
    int last = segments.last();
    if (last == 0) {
      throw RalphException.notFound(
          "the store's log is gone from " + segments.directory() + "; restore it from a copy");
    }
    open(last);
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
    if (segments.storeId(last) == null) {
      roll(); // a damaged header is left as it is, and never grows a log behind it
    }
    knownFrom = end;
    lastMinted = minted;
    if (!minted.isEmpty()) {
      mint.advance(minted);
    }
  }

  private void moveAside(long from, long to) throws IOException {
    RandomAccessFile current = current();
    byte[] torn = new byte[(int) Math.min(to - from, Integer.MAX_VALUE - 16)];
    current.seek(from);
    current.readFully(torn);
    PrivateFiles.createDirectories(asideDirectory);
    String name = Segments.name(segment).replace(".jsonl", "") + "-" + from + "-" + clock.millis();
    PrivateFiles.writeAtomically(asideDirectory.resolve(name + ".torn"), torn, true);
    current.setLength(from);
  }

  // ---- writing

  private void prepare(Request request, List<Request> accepted) throws IOException {
    Batch batch = request.batch;
    Condition condition = batch.condition();
    if (condition != null && isBroken(condition)) {
      request.result = Appended.conflict();
      return;
    }
    long now = clock.millis();
    List<Draft> drafts = batch.drafts();
    boolean[] held = heldAlready(drafts);
    int of = drafts.size() - count(held);
    long size = 0;
    for (byte[] body : request.bodies) {
      size += body.length + 256L;
    }
    long offset = SegmentPosition.offset(end) + writer.length();
    if (offset + size > SEGMENT_BYTES && offset > TAIL_BYTES) {
      flush(accepted);
      roll();
    }
    int before = writer.length();
    byte[] batchId = Line.ascii(batch.id());
    List<Frame> frames = new ArrayList<>(of);
    try {
      for (int i = 0, part = 1; i < drafts.size(); i++) {
        if (!held[i]) {
          frames.add(line(drafts.get(i), now, batchId, part++, of, request.bodies[i]));
        }
      }
    } catch (RalphException e) {
      writer.truncate(before);
      request.failure = e;
      return;
    }
    request.result =
        Appended.of(
            frames, frames.isEmpty() ? Position.of(end) : frames.get(frames.size() - 1).position());
    accepted.add(request);
  }

  private Frame line(Draft draft, long now, byte[] batchId, int part, int of, byte[] body) {
    String id = draft.id();
    Instant time = draft.time();
    String clockId = null;
    if (id == null) {
      id = mint.next();
      lastMinted = id;
    } else {
      clockId = lastMinted.isEmpty() ? mint.next() : lastMinted;
      lastMinted = clockId;
    }
    byte[] line =
        writer.line(
            id,
            Line.ascii(draft.topic().name()),
            time == null ? now : time.toEpochMilli(),
            batchId,
            part,
            of,
            clockId,
            body);
    if (largestId != null && id.compareTo(largestId) > 0) {
      largestId = id;
    }
    return new FileFrame(line, draft.topic(), end + writer.length(), contents);
  }

  private boolean isBroken(Condition condition) {
    long since = condition.since().value();
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
    Set<String> inBatch = null;
    for (int i = 0; i < held.length; i++) {
      String id = drafts.get(i).id();
      if (id == null) {
        continue;
      }
      if (largestId == null) {
        largestId = lookup.largestId();
      }
      if (inBatch == null) {
        inBatch = new HashSet<>();
      }
      held[i] = !inBatch.add(id) || id.compareTo(largestId) <= 0 && lookup.holds(id);
    }
    return held;
  }

  private static int count(boolean[] flags) {
    int count = 0;
    for (boolean flag : flags) {
      count += flag ? 1 : 0;
    }
    return count;
  }

  /** Writes what is prepared, or fails it as a whole and leaves the log as it was. */
  private void flush(List<Request> accepted) throws IOException {
    int length = writer.length();
    if (length > 0) {
      RandomAccessFile out = current();
      long offset = SegmentPosition.offset(end);
      try {
        out.seek(offset);
        out.write(writer.buffer(), 0, length);
      } catch (IOException e) {
        undo(out, offset, offset + length, accepted, e);
        accepted.clear();
        writer.reset();
        return;
      }
      end += length;
    }
    for (Request request : accepted) {
      request.writtenTo = end;
      request.writtenIn = file;
      for (Frame frame : request.outcome().frames()) {
        newest.put(frame.topic(), frame.position().value());
      }
    }
    accepted.clear();
    writer.reset();
  }

  private void undo(
      RandomAccessFile out, long offset, long full, List<Request> accepted, IOException cause) {
    RalphException failure =
        PrivateFiles.failure("cannot append to " + segments.file(segment), cause);
    boolean undone = false;
    try {
      boolean complete = out.length() >= full;
      out.setLength(offset);
      undone = !complete || out.length() == offset;
    } catch (IOException e) {
      failure.addSuppressed(e);
    }
    for (Request request : accepted) {
      request.result = null;
      request.failure =
          undone
              ? failure
              : new IndeterminateException(
                  "it is not known whether the batch "
                      + request.batch.id()
                      + " was appended: "
                      + failure.getMessage(),
                  request.batch.id(),
                  Position.of(end),
                  failure);
    }
  }

  /**
   * Begins a new segment; what stands in the present one is durable before anything in the new one.
   */
  private void roll() throws IOException {
    current().getFD().sync();
    String storeId = segments.storeId(segment);
    for (int number = segment; storeId == null && number >= Segments.FIRST; number--) {
      storeId = segments.storeId(number);
    }
    segments.create(segment + 1, storeId == null ? mint.next() : storeId, clock.millis());
    open(segment + 1);
    end = SegmentPosition.of(segment, current().length());
  }

  // ---- durability

  /**
   * Makes what was written durable; after a failure nobody can know what is on the disk, so no
   * process ever writes to that segment again.
   */
  void sync(Collection<Request> requests, StoreLock lock) {
    RandomAccessFile synced = null;
    for (Request request : requests) {
      RandomAccessFile written = request.writtenIn;
      if (request.failure != null || written == null || written == synced) {
        continue;
      }
      try {
        written.getFD().sync();
        synced = written;
      } catch (IOException e) {
        if (isClosed(written)) {
          continue; // on the way to the next segment, and synced before
        }
        abandonSegment(lock);
        for (Request unknown : requests) {
          if (unknown.failure == null && unknown.writtenIn == written) {
            unknown.failure =
                new IndeterminateException(
                    "the batch "
                        + unknown.batch.id()
                        + " was written, but the disk did not confirm it: "
                        + e.getMessage(),
                    unknown.batch.id(),
                    Position.of(SegmentPosition.of(SegmentPosition.segment(unknown.writtenTo), 0)),
                    e);
          }
        }
      }
    }
  }

  private static boolean isClosed(RandomAccessFile file) {
    try {
      return !file.getFD().valid();
    } catch (IOException e) {
      return true;
    }
  }

  private void abandonSegment(StoreLock lock) {
    try {
      lock.acquire();
      try {
        String storeId = segments.storeId(segment);
        segments.create(segment + 1, storeId == null ? mint.next() : storeId, clock.millis());
      } finally {
        lock.release();
      }
    } catch (RuntimeException e) {
      System.getLogger(Appender.class.getName())
          .log(System.Logger.Level.WARNING, "cannot begin a new segment after a failed sync", e);
    }
  }

  private void closeFile() {
    RandomAccessFile open = file;
    file = null;
    if (open != null) {
      try {
        open.close();
      } catch (IOException e) {
        throw PrivateFiles.failure("cannot close " + segments.file(segment), e);
      }
    }
  }

  /** Closes what is open. Nothing may be under way. */
  void close() {
    closeFile();
  }
}
