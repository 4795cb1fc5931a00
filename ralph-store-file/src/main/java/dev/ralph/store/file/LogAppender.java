package dev.ralph.store.file;

import dev.ralph.log.Appended;
import dev.ralph.log.Batch;
import dev.ralph.log.Draft;
import dev.ralph.log.Position;
import dev.ralph.log.RalphException;
import dev.ralph.store.support.PrivateFiles;
import dev.ralph.store.support.StoreLock;
import dev.ralph.store.support.internal.segment.FrameTime;
import dev.ralph.store.support.internal.segment.GroupCommit;
import dev.ralph.store.support.internal.segment.KnownLog;
import dev.ralph.store.support.internal.segment.LogWitness;
import dev.ralph.store.support.internal.segment.PendingAppend;
import dev.ralph.store.support.internal.segment.SegmentFile;
import dev.ralph.store.support.internal.segment.SegmentIndexes;
import dev.ralph.store.support.internal.segment.SegmentPosition;
import dev.ralph.store.support.internal.segment.StoredFrame;
import java.io.IOException;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;

/** Appends batches to the log. All methods except {@link #sync} work under the store's lock. */
final class LogAppender implements GroupCommit.Committer<LogAppender.Request>, FrameEraser.Notices {

  private static final long SEGMENT_BYTES = 128L * 1024 * 1024;

  /**
   * A shorter segment accepts a batch of any length, because a long batch fits in no segment
   * otherwise.
   */
  private static final int ALMOST_EMPTY = 64 * 1024;

  private final Segments segments;
  private final SegmentIndexes indexes;
  private final StoreLock lock;
  private final LogWitness witness;
  private final Clock clock;
  private final KnownLog known;
  private final LogTail end;
  private final FrameEraser eraser;

  /** A batch during the append, with the encoded lines. */
  static final class Request extends PendingAppend {
    /** The lines of all frames that are not yet in the log. */
    private BatchLines lines;

    /** The end of the lines in the segment; the next field is the checksum of the last line. */
    private long end;

    private long link;

    Request(Batch batch, BatchLines lines) {
      super(batch);
      this.lines = lines;
    }
  }

  /**
   * Creates an appender.
   *
   * @param end the end of the log, with the store's lock
   */
  LogAppender(
      Segments segments,
      SegmentIndexes indexes,
      KnownLog known,
      LogTail end,
      FrameEraser eraser,
      LogWitness witness,
      Clock clock) {
    this.segments = segments;
    this.indexes = indexes;
    this.known = known;
    this.end = end;
    this.lock = end.lock();
    this.eraser = eraser;
    this.witness = witness;
    this.clock = clock;
  }

  /** Writes each batch on its own, in a single write if possible. */
  @Override
  public void write(Collection<Request> requests, long since) {
    try {
      lock.acquire(since);
    } catch (RuntimeException e) {
      fail(requests, witness.reason(e));
      return;
    }
    try {
      end.catchUp(dependOnLog(requests));
      eraser.completeErasure(this);
      List<Request> accepted = new ArrayList<>(requests.size());
      for (Request request : requests) {
        if (request.batch().condition() != null || request.imports()) {
          flush(accepted); // the decision depends on the written log
        }
        prepare(request, accepted);
      }
      flush(accepted);
      indexes.appended(end.position());
    } catch (IOException e) {
      fail(requests, cannotAppend(e));
    } catch (RuntimeException e) {
      fail(requests, e);
    } finally {
      lock.release();
    }
  }

  /** Returns true if a decision depends on frames that other processes appended. */
  private static boolean dependOnLog(Collection<Request> requests) {
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

  private RalphException cannotAppend(IOException cause) {
    return PrivateFiles.failure("cannot append to " + segments.file(end.segment()), cause);
  }

  private void prepare(Request request, List<Request> accepted) throws IOException {
    Batch batch = request.batch();
    Batch.Condition condition = batch.condition();
    if (condition != null && known.isBroken(condition, end.position())) {
      request.succeed(Appended.conflict());
      return;
    }
    boolean[] held = known.heldAlready(batch.drafts());
    if (count(held) > 0) {
      request.lines = request.lines.without(held);
    }
    BatchLines lines = request.lines;
    long offset = endAfter(accepted);
    if (offset + lines.length() > SEGMENT_BYTES && offset > ALMOST_EMPTY) {
      flush(accepted);
      end.roll(SegmentHeader.PLAIN);
      offset = end.offset();
    }
    try {
      request.link = lines.stamp(FrameTime.now(clock), known, linkAfter(accepted));
    } catch (RalphException e) {
      request.fail(e);
      return;
    }
    request.end = offset + lines.length();
    accepted.add(request);
  }

  /** Returns the offset at which the lines of the accepted requests end. */
  private long endAfter(List<Request> accepted) {
    return accepted.isEmpty() ? end.offset() : accepted.get(accepted.size() - 1).end;
  }

  /** Returns the checksum of the last line of the accepted requests. */
  private long linkAfter(List<Request> accepted) {
    return accepted.isEmpty() ? end.link() : accepted.get(accepted.size() - 1).link;
  }

  private static int count(boolean[] flags) {
    int count = 0;
    for (boolean flag : flags) {
      count += flag ? 1 : 0;
    }
    return count;
  }

  /**
   * Writes the accepted requests. A batch that can't be written fails and leaves no bytes in the
   * log.
   */
  private void flush(List<Request> accepted) throws IOException {
    SegmentFile out = end.current();
    int segment = end.segment();
    long offset = end.offset();
    long written = endAfter(accepted);
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
    long link = end.link();
    for (Request request : accepted) {
      if (request.end > written) {
        request.fail(
            cannotAppend(
                Objects.requireNonNull(failure, "all lines are written without a failure")));
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
    end.wrote(written, link);
    accepted.clear();
  }

  /**
   * Checks that the log's file holds the written bytes. If it does not, the outcome of the written
   * batches is unknown.
   */
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

  /** Returns the lines of all requests, for a single write. */
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
   * Returns the end of the last complete batch after a failed write. The batch must stay, because a
   * reader may have seen the batch.
   */
  private long wholeBatches(List<Request> accepted, long offset) {
    long length = segments.file(end.segment()).length();
    long whole = offset;
    for (Request request : accepted) {
      if (request.end <= length) {
        whole = request.end;
      }
    }
    return whole;
  }

  /** Removes a partial batch. If that fails, the next appender finds a torn tail. */
  private static void cut(SegmentFile out, long length, IOException cause) {
    try {
      out.truncate(length);
    } catch (IOException e) {
      cause.addSuppressed(e);
    }
  }

  // ---- erasing

  /**
   * Erases the meta and the content of frames.
   *
   * @return the number of frames that were not erased before
   */
  int erase(List<StoredFrame> frames) {
    return eraser.erase(frames, this);
  }

  @Override
  public void append(List<Draft> notices) throws IOException {
    List<Request> requests = new ArrayList<>();
    for (Draft notice : notices) {
      Batch batch = Batch.of(known.mint(), List.of(notice));
      Request request = new Request(batch, BatchLines.of(batch, segments.contents()));
      List<Request> accepted = new ArrayList<>();
      prepare(request, accepted);
      flush(accepted);
      request.outcome();
      requests.add(request);
    }
    PendingAppend.sync(requests, witness);
    requests.forEach(Request::outcome);
  }

  /**
   * Completes the interrupted erasure of a killed process, unless another process holds the lock.
   * That process completes it otherwise.
   */
  void finishErasure() throws IOException {
    if (lock.tryAcquire()) {
      try {
        end.catchUp(true);
        eraser.completeErasure(this);
      } finally {
        lock.release();
      }
    }
  }

  // ---- durability

  /** Makes the written batches durable. After a failure the log continues in a new segment. */
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
        end.catchUp(true);
        eraser.completeErasure(this);
      } finally {
        lock.release();
      }
    } catch (IOException | RuntimeException e) {
      System.getLogger(LogAppender.class.getName())
          .log(System.Logger.Level.WARNING, "no new segment after a failed sync; will retry", e);
    }
  }

  /** Closes the open segment. No append may be running. */
  void close() {
    end.close();
  }
}
