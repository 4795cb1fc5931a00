package dev.ralph.store.chronicle;

import dev.ralph.log.Appended;
import dev.ralph.log.Batch;
import dev.ralph.log.Draft;
import dev.ralph.log.Frame;
import dev.ralph.log.Position;
import dev.ralph.log.RalphException;
import dev.ralph.store.support.HashedContentStore;
import dev.ralph.store.support.PrivateFiles;
import dev.ralph.store.support.StoreLock;
import dev.ralph.store.support.internal.segment.AppendLookup;
import dev.ralph.store.support.internal.segment.BatchContents;
import dev.ralph.store.support.internal.segment.FrameTime;
import dev.ralph.store.support.internal.segment.GroupCommit;
import dev.ralph.store.support.internal.segment.KnownLog;
import dev.ralph.store.support.internal.segment.LogWitness;
import dev.ralph.store.support.internal.segment.PendingAppend;
import dev.ralph.store.support.internal.segment.SegmentFile;
import dev.ralph.store.support.internal.segment.SegmentIndexes;
import dev.ralph.store.support.internal.segment.SegmentPosition;
import java.io.IOException;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Appends batches to roll files, each batch as one excerpt. Excerpts are written under the store's
 * lock; {@link #sync} runs without the lock.
 *
 * <p>The appender does not trust Chronicle's results. An excerpt is written only if its place is
 * directly after the known end of the log. After a failure, the appender reads the roll file to
 * find out whether the excerpt was written.
 */
final class ChronicleAppender implements GroupCommit.Committer<ChronicleAppender.Request> {

  private static final int ATTEMPTS = 5;

  /** The number of appends without Chronicle. Further appends start Chronicle, which is faster. */
  private static final int MAX_DIRECT_APPENDS = 4;

  /** The maximum number of days between two roll files. */
  private static final int MAX_DAYS_BETWEEN = 1_000;

  /** The lock's mark while no append is unfinished. */
  private static final long NO_APPEND = 0;

  /** The interval of polling for the end of another process's append. */
  private static final long POLL_NANOS = 1_000_000;

  private final RollFiles files;
  private final SegmentIndexes indexes;
  private final StoreLock lock;
  private final LogWitness witness;
  private final Clock clock;
  private final KnownLog known;
  private final EndTracker end;
  private final OpenRollFile rollFile;
  private final QueueKeeper queue;
  private final BatchExcerpt.Writer writer = new BatchExcerpt.Writer();

  /** The cycle whose roll file was checked for Chronicle; 0 for none. */
  private int usableCycle;

  /** The number of consecutive failures to write the current batch. */
  private int failures;

  /** The number of excerpts written without Chronicle. Changed under the store's lock only. */
  private volatile int directAppends;

  /** Whether the current batch was written without Chronicle, perhaps incompletely. */
  private boolean triedDirectly;

  /** A batch to append, encoded as far as possible before the append. */
  static final class Request extends PendingAppend {
    private final byte[][] bodies;
    private final BatchContents contentFiles;

    Request(Batch batch, HashedContentStore contents) {
      super(batch);
      this.contentFiles = new BatchContents(contents);
      this.bodies = BatchExcerpt.encode(batch, contentFiles);
    }
  }

  ChronicleAppender(
      RollFiles files,
      SegmentIndexes indexes,
      AppendLookup lookup,
      StoreLock lock,
      LogWitness witness,
      Clock clock) {
    this.files = files;
    this.indexes = indexes;
    this.lock = lock;
    this.witness = witness;
    this.clock = clock;
    this.known = new KnownLog(lookup, clock);
    this.end = new EndTracker(files, indexes, witness, known);
    this.rollFile = new OpenRollFile(files, end::cycle);
    this.queue = new QueueKeeper(files);
  }

  /**
   * Starts Chronicle before the lock is acquired, because starting takes long. Skipped for the
   * first appends of a process, which need no Chronicle. Only Chronicle can create a roll file.
   */
  void prepare() {
    if (directAppends >= MAX_DIRECT_APPENDS || !isRollFileBegun()) {
      queue.prepare(this::today);
    }
  }

  /** Returns whether the roll file of the next excerpt is likely to contain excerpts. */
  private boolean isRollFileBegun() {
    long reached = files.end().highest();
    int cycle = SegmentPosition.segment(reached);
    return reached > 0
        && cycle >= TimeUnit.MILLISECONDS.toDays(clock.millis())
        && cycle > files.end().abandoned();
  }

  /**
   * Adds complete excerpts after the end of the log, which a killed appender left, to the log.
   * Otherwise the next append would change the result of earlier reads.
   *
   * <p>While another process holds the lock, this method waits until the process has appended or
   * the lock's timeout ends. The next writer then recovers the excerpts.
   */
  void recover() {
    long seen = files.end().highest();
    long deadline = System.nanoTime() + StoreLock.STOPPED_NANOS;
    boolean interrupted = false;
    while (lock.mark() != NO_APPEND
        && files.end().highest() == seen
        && System.nanoTime() - deadline < 0) {
      if (lock.tryAcquire()) {
        try {
          recoverUnderLock();
        } finally {
          lock.release();
        }
        break;
      }
      LockSupport.parkNanos(this, POLL_NANOS);
      interrupted |= Thread.interrupted();
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private void recoverUnderLock() {
    if (lock.mark() == NO_APPEND) {
      return;
    }
    try {
      end.catchUp(true);
      while (!end.adopt().isEmpty()) {
        // the next roll file may contain further excerpts to adopt
      }
      if (!end.hasRestAfterEnd()) {
        lock.mark(NO_APPEND);
      }
    } catch (RalphException e) {
      end.forget(); // the next append reports the failure
    }
  }

  @Override
  public void write(Collection<Request> requests, long since) {
    try {
      lock.acquire(since);
    } catch (RuntimeException e) {
      RuntimeException reason = witness.reason(e);
      requests.forEach(request -> request.failUnlessDecided(reason));
      return;
    }
    boolean interrupted = Thread.interrupted(); // an interrupt would close Chronicle's files
    try {
      for (Request request : requests) {
        try {
          end.catchUp(request.batch().condition() != null || request.imports());
          write(request);
        } catch (RalphException e) {
          request.failUnlessDecided(e);
        } catch (Throwable e) {
          end.forget(); // the known end may be inconsistent
          request.leaveOpen(e);
        }
      }
      if (end.isKnown()) {
        indexes.appended(end.position());
      }
    } finally {
      lock.release();
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  // ---- writing

  private void write(Request request) {
    int cycle = today();
    failures = 0;
    triedDirectly = false;
    while (true) {
      // Adopted excerpts may change the decision, so each attempt decides again.
      Batch batch = request.batch();
      Batch.Condition condition = batch.condition();
      if (condition != null && known.isBroken(condition, end.position())) {
        request.succeed(Appended.conflict());
        return;
      }
      boolean[] held = known.heldAlready(batch.drafts());
      if (areAllTrue(held)) {
        // sync the roll file that contains the frames, as the request asks
        request.succeed(
            Appended.of(List.of(), Position.of(end.position())), rollFile.of(end.cycle()));
        return;
      }
      request.contentFiles.putAgainIfRemoved();
      rollFile.abandonIfUnsynced();
      cycle = Math.max(cycle, end.cycle());
      cycle = Math.max(cycle, files.end().abandoned() + 1);
      RalphException failure = tryToWrite(request, held, cycle);
      if (request.isWritten()) {
        return;
      }
      List<ChronicleFrame> adopted;
      try {
        // A roll file is slow to read, and therefore read only if the excerpt may have been
        // written, or before the roll file is abandoned.
        boolean mayBeWritten =
            failure == null
                || triedDirectly
                || queue.mayHaveWritten()
                || failures == QueueKeeper.FAILURES_BEFORE_RESET;
        adopted = mayBeWritten ? end.adopt() : List.of();
      } catch (RalphException e) {
        request.leaveOpen(e);
        return;
      }
      if (isAdopted(request, adopted)) {
        return;
      }
      if (!adopted.isEmpty()) {
        continue;
      }
      failures++;
      if (failures == ATTEMPTS || failure != null && failure.code() == RalphException.Code.FULL) {
        throw failure == null ? noEnd() : failure;
      }
      queue.discard();
      if (failures > QueueKeeper.FAILURES_BEFORE_RESET) {
        cycle++; // the end of this roll file is unclear, so use the next one
      }
    }
  }

  private RalphException noEnd() {
    return RalphException.damaged(
        "can't find the end of the log in " + files.directory() + "; run ralph verify");
  }

  private static boolean areAllTrue(boolean[] flags) {
    for (boolean flag : flags) {
      if (!flag) {
        return false;
      }
    }
    return true;
  }

  /**
   * Writes the frames that the log does not contain yet. Unless the request is marked as written
   * afterwards, the excerpt may or may not be in the roll file.
   *
   * @return the failure of Chronicle, or null
   */
  private @Nullable RalphException tryToWrite(Request request, boolean[] held, int cycle) {
    try {
      int[] starts = encode(request, held);
      int length = writer.end(files.format());
      long header = append(cycle, length);
      if (header >= 0) {
        written(request, cycle, header, length, starts);
      }
      return null;
    } catch (RalphException e) {
      throw e;
    } catch (Throwable e) { // Chronicle throws undeclared checked exceptions
      if (request.isWritten()) {
        end.forget(); // the known end may be inconsistent
      }
      return failure(e);
    }
  }

  /**
   * Returns the cycle of the current day. If the day is far after the last roll file, the clock is
   * or was wrong, and the method returns the day after the last roll file. Opening Chronicle takes
   * time for each day between the first and the last roll file.
   */
  private int today() {
    long day = Math.max(1, TimeUnit.MILLISECONDS.toDays(clock.millis()));
    int last = end.cycle();
    return (int)
        (last > 0 && day > last + MAX_DAYS_BETWEEN ? last + 1 : Math.min(day, RollFiles.LAST_DAY));
  }

  private String ids(List<Draft> drafts, boolean[] held, String[] ids) {
    String clockId = "";
    for (int i = 0; i < ids.length; i++) {
      if (held[i]) {
        continue;
      }
      String own = drafts.get(i).id();
      ids[i] = own == null ? known.mint() : own;
      clockId = own == null ? "" : known.lastMinted();
    }
    return clockId;
  }

  private int[] encode(Request request, boolean[] held) {
    List<Draft> drafts = request.batch().drafts();
    String[] ids = new String[held.length];
    String clockId = ids(drafts, held, ids);
    int count = 0;
    int size = 0;
    for (int i = 0; i < held.length; i++) {
      if (!held[i]) {
        count++;
        size += request.bodies[i].length + BatchExcerpt.frameOverhead();
      }
    }
    int[] starts = new int[held.length];
    long now = FrameTime.now(clock);
    writer.begin(request.batch().id(), clockId, end.position(), end.frames(), count, size);
    for (int i = 0; i < held.length; i++) {
      if (!held[i]) {
        Instant time = drafts.get(i).time();
        starts[i] =
            writer.frame(ids[i], time == null ? now : time.toEpochMilli(), request.bodies[i]);
      }
    }
    return starts;
  }

  /** Appends the encoded excerpt; returns the offset of its header, or -1 if the place is wrong. */
  private long append(int cycle, int length) throws IOException {
    long from = end.offsetIn(cycle);
    boolean isNew = !rollFile.isOf(cycle) && !files.exists(cycle);
    if (isNew && from > 0) {
      throw LogEnd.gone(files.directory());
    }
    if (!rollFile.isOf(cycle)) {
      rollFile.syncAndClose();
    }
    if (cycle != usableCycle || !queue.isOpen()) {
      files.setAsideInvalidFiles();
      if (files.isAside(cycle)) {
        files.end().abandon(cycle);
        return -1;
      }
      usableCycle = cycle;
    }
    if (lock.mark() != NO_APPEND) {
      // The last writer was killed or failed, and may have left bytes there.
      rollFile.forgetAllocated();
    }
    if (isNew) {
      files.requireSpace(length);
    } else if (!isFree(cycle, from, length)) {
      return -1;
    }
    if (from > 0 && failures == 0 && !queue.isWanted()) {
      lock.mark(cycle);
      triedDirectly = true;
      int before = directAppends; // other threads only read this field
      directAppends = before + 1;
      return rollFile.append(cycle, from, writer.buffer(), length);
    }
    AppendQueue ready = queue.open(cycle, failures);
    lock.mark(cycle);
    long[] found = {-1};
    try {
      long header =
          ready.append(
              cycle,
              writer.buffer(),
              length,
              place -> {
                boolean isExpected = rollFile.followsLog(cycle, from, place);
                found[0] = isExpected ? place : -1;
                return isExpected;
              });
      return found[0] < 0 ? -1 : header;
    } finally {
      if (isNew && files.exists(cycle)) {
        PrivateFiles.protect(files.file(cycle).toPath());
      }
    }
  }

  /**
   * Returns whether the place of the excerpt is free; abandons the roll file if damage is there.
   */
  private boolean isFree(int cycle, long from, int length) {
    boolean begun = lock.mark() != NO_APPEND;
    OpenRollFile.Place place = rollFile.allocate(cycle, from, length, begun);
    if (place == OpenRollFile.Place.DAMAGED) {
      if (cycle == end.cycle()) {
        end.advanceBeyondDamage(rollFile.damageEnd());
      }
      usableCycle = 0;
      files.end().abandon(cycle);
      files.setAside(cycle);
    }
    return place == OpenRollFile.Place.FREE;
  }

  private void written(Request request, int cycle, long header, int length, int[] starts) {
    SegmentFile in = rollFile.of(cycle);
    byte[] excerpt = Arrays.copyOf(writer.buffer(), length);
    List<Frame> added = new ArrayList<>();
    long start = header + 4;
    List<Draft> drafts = request.batch().drafts();
    for (int i = 0; i < starts.length; i++) {
      if (starts[i] > 0) {
        long position =
            SegmentPosition.of(
                cycle, start + starts[i] + 4 + BatchExcerpt.intAt(excerpt, starts[i]));
        ChronicleFrame frame =
            new ChronicleFrame(
                excerpt, starts[i], drafts.get(i).topic(), position, files.contents());
        added.add(frame);
      }
    }
    long before = end.offsetIn(cycle);
    long behind = SegmentPosition.of(cycle, start + length);
    try {
      witness.checkWritten(in, start + length);
    } catch (RalphException e) {
      request.leaveOpen(e); // the roll file was replaced, perhaps with the excerpt
      throw e;
    }
    Appended appended = Appended.of(added, Position.of(behind));
    end.advance(behind, end.frames() + added.size());
    lock.mark(NO_APPEND);
    request.succeed(appended, in);
    known.saw(added);
    indexes.wrote(request, before, excerpt, length);
    witness.acknowledged(behind, excerpt, length);
  }

  /** Returns whether the adopted excerpts contain the batch, and completes the batch's request. */
  private boolean isAdopted(Request request, List<ChronicleFrame> adopted) {
    List<Frame> own = new ArrayList<>();
    for (ChronicleFrame frame : adopted) {
      if (frame.batchId().equals(request.batch().id())) {
        own.add(frame);
      }
    }
    if (own.isEmpty()) {
      return false;
    }
    request.succeed(Appended.of(own, own.get(own.size() - 1).position()), rollFile.of(end.cycle()));
    return true;
  }

  /** Returns the failure to report. Chronicle hides a full disk in an error or in nested causes. */
  private RalphException failure(Throwable e) {
    IOException deepest = null;
    for (Throwable cause = e; cause != null; cause = cause.getCause()) {
      deepest = cause instanceof IOException io ? io : deepest;
    }
    if (deepest != null) {
      return PrivateFiles.failure("cannot append to " + files.directory(), deepest);
    }
    String problem = "cannot append to " + files.directory() + ": ";
    return files.hasSpace(0)
        ? RalphException.io(problem + "Chronicle failed: " + firstLine(e), e)
        : RalphException.full(problem + "no space left; free disk space and try again", e);
  }

  /** Returns the first line of a message, because Chronicle's messages may contain file dumps. */
  private static String firstLine(Throwable e) {
    String message = e.getMessage() == null ? "" : e.getMessage();
    return message.lines().findFirst().orElse(e.getClass().getSimpleName());
  }

  // ---- durability

  @Override
  public void sync(Collection<Request> requests) {
    if (!PendingAppend.sync(requests, witness)) {
      abandon();
    }
  }

  /**
   * Abandons a roll file after a failed sync, because the content on the disk is unknown. If the
   * lock is not available, the next append abandons the roll file.
   */
  private void abandon() {
    try {
      lock.acquire();
      try {
        rollFile.abandonIfUnsynced();
      } finally {
        lock.release();
      }
    } catch (RuntimeException e) {
      System.getLogger(ChronicleAppender.class.getName())
          .log(
              System.Logger.Level.WARNING,
              "cannot abandon the roll file after a failed sync; the next append tries again",
              e);
    }
  }

  /** Closes all files. No append may be running. */
  void close() {
    boolean interrupted = Thread.interrupted();
    try {
      queue.discard();
      rollFile.close();
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
