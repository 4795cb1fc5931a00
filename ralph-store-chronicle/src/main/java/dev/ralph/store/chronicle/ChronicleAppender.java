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
 * Appends batches through Chronicle, each as one excerpt. Everything here happens under the store's
 * lock, except {@link #sync}.
 *
 * <p>Chronicle is not taken at its word. An excerpt must come to stand right behind the log as this
 * store knows it, or nothing is written; whatever Chronicle fails with, the roll file tells what
 * became of the excerpt.
 */
final class ChronicleAppender implements GroupCommit.Committer<ChronicleAppender.Request> {

  private static final int ATTEMPTS = 5;

  /** A process that appends more often than that starts Chronicle, which is faster by then. */
  private static final int MOST_BY_ITSELF = 4;

  /** More days than this are not left out between two roll files. */
  private static final int MOST_DAYS_BETWEEN = 1_000;

  /** What is left with the lock by a writer that did not fail in the middle of an append. */
  private static final long NOTHING_BEGUN = 0;

  /** How often it is looked whether another process has finished its append. */
  private static final long LOOK_NANOS = 1_000_000;

  private final RollFiles files;
  private final SegmentIndexes indexes;
  private final StoreLock lock;
  private final LogWitness witness;
  private final Clock clock;
  private final KnownLog known;
  private final KnownEnd end;
  private final OpenRollFile rollFile;
  private final QueueKeeper queue;
  private final BatchExcerpt.Writer writer = new BatchExcerpt.Writer();

  /** A cycle whose roll file, if there is one, Chronicle may have. */
  private int usableCycle;

  /** How often in a row the batch under way could not be written. */
  private int failures;

  /** How many excerpts this store wrote by itself, which grows under the store's lock only. */
  private volatile int writtenByItself;

  /** Whether this store tried to write the batch under way by itself. */
  private boolean triedByItself;

  /** A batch on its way, encoded as far as it is known before the append. */
  static final class Request extends PendingAppend {
    private final byte[][] bodies;
    private final BatchContents beside;

    Request(Batch batch, HashedContentStore contents) {
      super(batch);
      this.beside = new BatchContents(contents);
      this.bodies = BatchExcerpt.encode(batch, beside);
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
    this.end = new KnownEnd(files, indexes, witness, known);
    this.rollFile = new OpenRollFile(files, end::cycle);
    this.queue = new QueueKeeper(files);
  }

  /**
   * Does early what takes long the first time, so that nobody has to wait for the lock. To start
   * Chronicle takes longer than all else that a short process does, so that is left to those that
   * append often, and to the first append in a roll file, which only Chronicle can begin.
   */
  void prepare() {
    if (writtenByItself >= MOST_BY_ITSELF || !isRollFileBegun()) {
      queue.prepare(this::today);
    }
  }

  /** Returns whether the next excerpt has others before it, as far as that is known now. */
  private boolean isRollFileBegun() {
    long reached = files.end().highest();
    int cycle = SegmentPosition.segment(reached);
    return reached > 0
        && cycle >= TimeUnit.MILLISECONDS.toDays(clock.millis())
        && cycle > files.end().abandoned();
  }

  /**
   * Takes into the log what a killed appender left behind its end, so that what is read from now on
   * does not change with the next append. Nothing is done while another process appends: it takes
   * that in before it writes. A process that is stopped during an append is waited for, but not
   * longer than for the lock, and then left to the next writer.
   */
  void takeInWhatIsLeft() {
    long seen = files.end().highest();
    long deadline = System.nanoTime() + StoreLock.STOPPED_NANOS;
    boolean interrupted = false;
    while (lock.mark() != NOTHING_BEGUN
        && files.end().highest() == seen
        && System.nanoTime() - deadline < 0) {
      if (lock.tryAcquire()) {
        try {
          takeInUnderLock();
        } finally {
          lock.release();
        }
        break;
      }
      LockSupport.parkNanos(this, LOOK_NANOS);
      interrupted |= Thread.interrupted();
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private void takeInUnderLock() {
    if (lock.mark() == NOTHING_BEGUN) {
      return;
    }
    try {
      end.catchUp(true);
      while (!end.adopt().isEmpty()) {
        // there may be more in the next roll file
      }
      if (!end.isFollowedByRest()) {
        lock.mark(NOTHING_BEGUN);
      }
    } catch (RalphException e) {
      end.forget(); // the next append says what is wrong
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
    boolean interrupted = Thread.interrupted(); // it would close files under Chronicle
    try {
      for (Request request : requests) {
        try {
          end.catchUp(request.batch().condition() != null || request.imports());
          write(request);
        } catch (RalphException e) {
          request.failUnlessDecided(e);
        } catch (Throwable e) {
          end.forget(); // what is known now may be known in part
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
    triedByItself = false;
    while (true) {
      // What was adopted meanwhile counts like what was there before: all is decided again.
      Batch batch = request.batch();
      Batch.Condition condition = batch.condition();
      if (condition != null && known.isBroken(condition, end.position())) {
        request.succeed(Appended.conflict());
        return;
      }
      boolean[] held = known.heldAlready(batch.drafts());
      if (isAll(held)) {
        // what holds those frames is to be as durable as they were asked to be
        request.succeed(
            Appended.of(List.of(), Position.of(end.position())), rollFile.of(end.cycle()));
        return;
      }
      request.beside.putAgainIfRemoved();
      rollFile.abandonIfUnsynced();
      cycle = Math.max(cycle, end.cycle());
      cycle = Math.max(cycle, files.end().abandoned() + 1);
      RalphException failure = tryToWrite(request, held, cycle);
      if (request.isWritten()) {
        return;
      }
      List<ChronicleFrame> adopted;
      try {
        // A roll file is long. It is looked through where something may stand, or before it is
        // left.
        boolean mayStand =
            failure == null
                || triedByItself
                || queue.mayHaveWritten()
                || failures == QueueKeeper.MISTRUSTED;
        adopted = mayStand ? end.adopt() : List.of();
      } catch (RalphException e) {
        request.leaveOpen(e);
        return;
      }
      if (hasCome(request, adopted)) {
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
      if (failures > QueueKeeper.MISTRUSTED) {
        cycle++; // the end of this roll file can't be made out: leave it
      }
    }
  }

  private RalphException noEnd() {
    return RalphException.damaged(
        "the end of the log in " + files.directory() + " can't be made out; see ralph verify");
  }

  private static boolean isAll(boolean[] flags) {
    for (boolean flag : flags) {
      if (!flag) {
        return false;
      }
    }
    return true;
  }

  /**
   * Writes the frames that are not held; returns what Chronicle failed with, or null. Whether the
   * excerpt came to stand in the roll file is open unless the request is written.
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
    } catch (Throwable e) { // Chronicle throws checked exceptions, too, and declares none
      if (request.isWritten()) {
        end.forget(); // what is known now may be known in part
      }
      return failure(e);
    }
  }

  /**
   * Returns the day by the clock. If that is very far from the day of the last roll file, the clock
   * is wrong now, or was, and the roll file is named by the next day instead: Chronicle looks at
   * every day between the first roll file and the last whenever it is opened.
   */
  private int today() {
    long day = Math.max(1, TimeUnit.MILLISECONDS.toDays(clock.millis()));
    int last = end.cycle();
    return (int)
        (last > 0 && day > last + MOST_DAYS_BETWEEN ? last + 1 : Math.min(day, RollFiles.LAST_DAY));
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

  /** Appends what is encoded; returns where its header stands, or -1 if it would be misplaced. */
  private long append(int cycle, int length) throws IOException {
    long from = end.offsetIn(cycle);
    boolean isNew = !rollFile.isOf(cycle) && !files.exists(cycle);
    if (isNew && from > 0) {
      throw LogEnd.gone(files.directory());
    }
    if (!rollFile.isOf(cycle)) {
      rollFile.leave();
    }
    if (cycle != usableCycle || !queue.isOpen()) {
      files.setAsideWhatChronicleWouldDiscard();
      if (files.isAside(cycle)) {
        files.end().abandon(cycle);
        return -1;
      }
      usableCycle = cycle;
    }
    if (lock.mark() != NOTHING_BEGUN) {
      // The writer that began was killed in the middle, or failed: something may be there.
      rollFile.forgetRoom();
    }
    if (isNew) {
      files.requireRoom(length);
    } else if (!isFree(cycle, from, length)) {
      return -1;
    }
    if (from > 0 && failures == 0 && !queue.isWanted()) {
      lock.mark(cycle);
      triedByItself = true;
      int before = writtenByItself; // others only read it
      writtenByItself = before + 1;
      return rollFile.append(cycle, from, writer.buffer(), length);
    }
    Queue ready = queue.open(cycle, failures);
    lock.mark(cycle);
    long[] found = {-1};
    try {
      long header =
          ready.append(
              cycle,
              writer.buffer(),
              length,
              place -> {
                boolean is = rollFile.isBehind(cycle, from, place);
                found[0] = is ? place : -1;
                return is;
              });
      return found[0] < 0 ? -1 : header;
    } finally {
      if (isNew && files.exists(cycle)) {
        PrivateFiles.protect(files.file(cycle).toPath());
      }
    }
  }

  /** Returns whether there is room now; what stands there instead is taken note of. */
  private boolean isFree(int cycle, long from, int length) {
    boolean begun = lock.mark() != NOTHING_BEGUN;
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
      request.leaveOpen(e); // nobody can say where the excerpt is now
      throw e;
    }
    Appended appended = Appended.of(added, Position.of(behind));
    end.advance(behind, end.frames() + added.size());
    lock.mark(NOTHING_BEGUN);
    request.succeed(appended, in);
    known.saw(added);
    indexes.wrote(request, before, excerpt, length);
    witness.acknowledged(behind, excerpt, length);
  }

  /** Returns whether the batch is among what was found in the roll file, and takes note of it. */
  private boolean hasCome(Request request, List<ChronicleFrame> adopted) {
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

  /** Chronicle answers a lack of room with an error of the JVM itself, or far down the causes. */
  private RalphException failure(Throwable e) {
    IOException deepest = null;
    for (Throwable cause = e; cause != null; cause = cause.getCause()) {
      deepest = cause instanceof IOException io ? io : deepest;
    }
    if (deepest != null) {
      return PrivateFiles.failure("cannot append to " + files.directory(), deepest);
    }
    String what = "cannot append to " + files.directory() + ": ";
    return files.haveRoom(0)
        ? RalphException.io(what + "Chronicle failed: " + head(e), e)
        : RalphException.full(what + "no room left; make some and try again", e);
  }

  /** Chronicle's messages may hold a dump of the file. */
  private static String head(Throwable e) {
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
   * After a failed sync nobody can know what is on the disk: no process goes on in that file. Where
   * the lock can't be had for saying so, this one says it before its next append.
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
          .log(System.Logger.Level.WARNING, "no new roll file yet after a failed sync", e);
    }
  }

  /** Closes what is open. Nothing may be under way. */
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
