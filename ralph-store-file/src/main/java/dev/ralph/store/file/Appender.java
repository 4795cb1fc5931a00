package dev.ralph.store.file;

import dev.ralph.log.Appended;
import dev.ralph.log.Batch;
import dev.ralph.log.Draft;
import dev.ralph.log.Position;
import dev.ralph.log.RalphException;
import dev.ralph.store.support.FileSnapshotStore;
import dev.ralph.store.support.PrivateFiles;
import dev.ralph.store.support.StoreLock;
import dev.ralph.store.support.internal.segment.AppendLookup;
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
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;

/**
 * Writes batches at the end of the log. Everything here happens under the store's lock, except
 * {@link #sync}.
 */
final class Appender implements GroupCommit.Committer<Appender.Request>, Eraser.Notices {

  private static final long SEGMENT_BYTES = 128L * 1024 * 1024;

  /** A segment that is shorter takes a batch of any length: else a long one would find no place. */
  private static final int ALMOST_EMPTY = 64 * 1024;

  private final Segments segments;
  private final SegmentIndexes indexes;
  private final StoreLock lock;
  private final LogWitness witness;
  private final Clock clock;
  private final KnownLog known;
  private final KnownEnd end;
  private final Eraser eraser;

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
      FileSnapshotStore snapshots,
      AppendLookup lookup,
      String storeId,
      Path asideDirectory,
      StoreLock lock,
      LogWitness witness,
      Clock clock) {
    this.segments = segments;
    this.indexes = indexes;
    this.lock = lock;
    this.witness = witness;
    this.clock = clock;
    known = new KnownLog(lookup, clock);
    end = new KnownEnd(segments, indexes, known, asideDirectory, lock, witness, clock);
    eraser = new Eraser(segments, snapshots, storeId, asideDirectory, lock, clock, end, this);
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
      end.catchUp(restOnTheLog(requests));
      eraser.finishWhatWasBegun();
      List<Request> accepted = new ArrayList<>(requests.size());
      for (Request request : requests) {
        if (request.batch().condition() != null || request.imports()) {
          flush(accepted); // it is decided on what stands in the log
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
    long offset = endBehind(accepted);
    if (offset + lines.length() > SEGMENT_BYTES && offset > ALMOST_EMPTY) {
      flush(accepted);
      end.roll(SegmentHeader.PLAIN);
      offset = end.offset();
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
    return accepted.isEmpty() ? end.offset() : accepted.get(accepted.size() - 1).end;
  }

  /** Returns the checksum of the line that the lines of those requests will end with. */
  private long linkBehind(List<Request> accepted) {
    return accepted.isEmpty() ? end.link() : accepted.get(accepted.size() - 1).link;
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
    SegmentFile out = end.current();
    int segment = end.segment();
    long offset = end.offset();
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
    long link = end.link();
    for (Request request : accepted) {
      if (request.end > written) {
        request.fail(cannotAppend(Objects.requireNonNull(failure, "else all is written")));
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
    long length = segments.file(end.segment()).length();
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

  // ---- erasing

  /**
   * Erases frames, or what can be erased of them.
   *
   * @return how many of them had something to erase
   */
  int erase(List<StoredFrame> frames) {
    return eraser.erase(frames);
  }

  @Override
  public void append(List<Draft> notices) throws IOException {
    List<Request> told = new ArrayList<>();
    for (Draft notice : notices) {
      Batch batch = Batch.of(known.mint(), List.of(notice));
      Request request = new Request(batch, BatchLines.of(batch, segments.contents()));
      List<Request> accepted = new ArrayList<>();
      prepare(request, accepted);
      flush(accepted);
      request.outcome();
      told.add(request);
    }
    PendingAppend.sync(told, witness);
    told.forEach(Request::outcome);
  }

  /**
   * Completes an erasure that a killed process began, unless another process has the lock: then
   * that process completes the erasure.
   */
  void finishErasure() throws IOException {
    if (lock.tryAcquire()) {
      try {
        end.catchUp(true);
        eraser.finishWhatWasBegun();
      } finally {
        lock.release();
      }
    }
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
        end.catchUp(true);
        eraser.finishWhatWasBegun();
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
    end.close();
  }
}
