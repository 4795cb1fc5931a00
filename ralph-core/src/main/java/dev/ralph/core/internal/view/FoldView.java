package dev.ralph.core.internal.view;

import dev.ralph.log.ClosedException;
import dev.ralph.log.Damage;
import dev.ralph.log.DamagedException;
import dev.ralph.log.Fold;
import dev.ralph.log.Frame;
import dev.ralph.log.FrameCursor;
import dev.ralph.log.Meta;
import dev.ralph.log.Position;
import dev.ralph.log.Query;
import dev.ralph.log.RalphException;
import dev.ralph.log.TopicFilter;
import dev.ralph.log.View;
import dev.ralph.spi.FrameStore;
import dev.ralph.spi.Snapshot;
import java.lang.System.Logger.Level;
import java.time.Instant;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A fold updated from a store. Each call reads the new frames with a short-lived cursor, so an
 * unused view keeps nothing open.
 *
 * <p>Safe for use by many threads. Threads wait while another thread reads.
 */
public final class FoldView<S, R> implements View<R> {

  /** The number of frames between two snapshots. */
  static final int FRAMES_PER_SNAPSHOT = 2_000;

  private final StoreHandle log;
  private final FrameStore store;
  private final TopicFilter filter;
  private final Fold<S, R> fold;
  private final ReentrantLock lock = new ReentrantLock();

  // The fields below are guarded by the lock. The state contains every selected frame up to the
  // position. The state is null before the first use and after a failure of the fold.
  private @Nullable S state;
  private @Nullable R result;
  private Position position = Position.START;
  private int framesSinceSnapshot;

  /** The position of the newest frame that was read or appended. */
  private Position newest = Position.START;

  private final Set<Damage> damage = new LinkedHashSet<>();

  /** The skipped erased frames. A notice of these frames needs no new fold. */
  private final Set<String> erased = new HashSet<>();

  /** The position up to which notices of erasures were processed. */
  private Position noticed = Position.START;

  /** Creates a view, which reads on demand. */
  public FoldView(StoreHandle log, TopicFilter filter, Fold<S, R> fold) {
    this.log = log;
    this.store = log.store();
    this.filter = filter;
    this.fold = fold;
  }

  @Override
  public R current() {
    return locked(
        () -> {
          DecisionBasis decision = log.deciding();
          if (state == null || decision == null || !decision.takesKnown(this)) {
            catchUp();
          }
          if (decision != null) {
            decision.restsOn(this, position);
          }
          return result();
        });
  }

  /**
   * Returns the result of the last shared read or a later result; the present result to deciders.
   */
  R seen(SharedReading reading) {
    if (log.deciding() != null) {
      return current();
    }
    return locked(
        () -> {
          catchUp(reading::read);
          return result();
        });
  }

  @Override
  public R at(Frame frame) {
    Objects.requireNonNull(frame, "frame");
    log.checkOwn(frame);
    State past = new State(Position.START, fold.initial());
    Optional<State> snapshot = loadSnapshot();
    if (snapshot.isPresent() && !snapshot.get().position.isAfter(frame.position())) {
      past = snapshot.get();
    }
    S state = past.state;
    try (FrameCursor cursor =
        log.readPlain(Query.of(filter).after(past.position).until(frame.position()))) {
      for (Frame next = cursor.next(); next != null; next = cursor.next()) {
        state = isForFold(next) ? with(state, next) : state;
      }
      note(cursor.damage());
    }
    return fold.result(state);
  }

  @Override
  public R at(Instant time) {
    Objects.requireNonNull(time, "time");
    return log.lastAt(filter, time).map(this::at).orElseGet(() -> fold.result(fold.initial()));
  }

  @Override
  public Position position() {
    return locked(() -> position);
  }

  @Override
  public List<Damage> damage() {
    return locked(() -> List.copyOf(damage));
  }

  private void note(List<Damage> met) {
    if (!met.isEmpty()) {
      locked(() -> damage.addAll(met));
    }
  }

  // ---- for the ledger, which holds the lock while it appends

  TopicFilter filter() {
    return filter;
  }

  <T> T locked(Supplier<T> work) {
    lock.lock();
    try {
      return work.get();
    } finally {
      lock.unlock();
    }
  }

  /** Returns the result of the known state. The caller holds the lock. */
  R result() {
    R shown = result;
    if (shown == null) {
      shown = fold.result(known());
      result = shown;
    }
    return shown;
  }

  /** Reads up to a position again if another thread has failed since. The caller holds the lock. */
  void require(Position read) {
    if (state == null || read.isAfter(position)) {
      catchUp();
    }
  }

  /** Returns whether a state is known, which may be old. The caller holds the lock. */
  boolean isKnown() {
    return state != null;
  }

  /**
   * Reads the new frames. The caller holds the lock.
   *
   * @return whether there were new frames after a known state
   */
  boolean catchUp() {
    return catchUp(log::readPlain);
  }

  private boolean catchUp(Function<Query, FrameCursor> log) {
    boolean wasKnown = state != null;
    Position before = newest;
    if (state == null) {
      State begin = loadSnapshot().orElseGet(() -> new State(Position.START, fold.initial()));
      state = begin.state;
      position = begin.position;
      framesSinceSnapshot = 0;
    }
    while (!readOn(log)) {
      beginAgain();
    }
    return wasKnown && !before.equals(newest);
  }

  /** Folds again from the first frame, because the state contains data of erased frames. */
  private void beginAgain() {
    state = fold.initial();
    result = null;
    position = Position.START;
    framesSinceSnapshot = 0;
    erased.clear();
    damage.clear();
  }

  /**
   * Reads the new frames; returns false if a notice shows that frames of the state were erased. One
   * new fold suffices for all notices, although a compacted log lacks the erased frames.
   */
  private boolean readOn(Function<Query, FrameCursor> log) {
    try (FrameCursor cursor = log.apply(Query.of(filter).after(position))) {
      try {
        Frame last = null;
        boolean isErased = false;
        for (Frame frame = cursor.next(); frame != null; frame = cursor.next()) {
          boolean folded = isForFold(frame);
          isErased |= !folded && tellsOfErasure(frame);
          if (!isErased) { // otherwise only further notices matter
            apply(frame, folded);
            last = frame;
          }
        }
        if (isErased) {
          return false;
        }
        if (cursor.position().isAfter(position)) {
          position = cursor.position();
        }
        damage.addAll(cursor.damage());
        saveSnapshot(last);
        return true;
      } finally {
        damage.addAll(cursor.damage());
      }
    }
  }

  /** Returns whether folds get the frame, which is neither erased nor a notice. */
  private static boolean isForFold(Frame frame) {
    return !frame.isErased() && !frame.isErasureNotice();
  }

  /** Returns whether a frame is the notice of an erasure of frames that the state may contain. */
  private boolean tellsOfErasure(Frame frame) {
    if (frame.isErased()) {
      erased.add(frame.id());
    } else if (frame.position().isAfter(noticed)) {
      noticed = frame.position();
      return !erased.containsAll(frame.erasedIds());
    }
    return false;
  }

  /**
   * Applies appended frames without reading them. The condition of the append proves that the state
   * contains all earlier frames. The caller holds the lock.
   */
  void absorb(List<Frame> appended) {
    Frame last = null;
    for (Frame frame : appended) {
      if (filter.matches(frame.topic())) {
        apply(frame, isForFold(frame));
        last = frame;
      }
    }
    position = last(appended);
    saveSnapshot(last);
  }

  /**
   * Advances the position after an append whose condition proves that the view has no other new
   * frame.
   */
  void passOver(Position read, List<Frame> appended) {
    for (Frame frame : appended) {
      if (filter.matches(frame.topic())) {
        return;
      }
    }
    locked(() -> position = position.equals(read) ? last(appended) : position);
  }

  private static Position last(List<Frame> appended) {
    return appended.get(appended.size() - 1).position();
  }

  /** Returns the state, known after {@link #catchUp}. */
  private S known() {
    return Objects.requireNonNull(state, "the view is not up to date");
  }

  private void apply(Frame frame, boolean folded) {
    if (folded) {
      S before = known();
      state = null; // a failed fold may have changed a part of the state
      result = null;
      state = with(before, frame);
    }
    position = frame.position();
    newest = position;
    framesSinceSnapshot++;
  }

  /** Applies a frame; returns the state unchanged if the content of the frame is damaged. */
  private S with(S before, Frame frame) {
    try {
      return Objects.requireNonNull(fold.apply(before, frame), "the fold returned a null state");
    } catch (DamagedException e) {
      if (!isLost(frame)) {
        throw e;
      }
      Damage lost = Damage.ofContent(frame, e);
      note(List.of(lost));
      log.noteLost(lost);
      return before;
    } catch (RalphException e) {
      throw e.code() == RalphException.Code.INVALID
          ? e.withMessage(failed(frame) + e.getMessage())
          : e; // an exception of the store
    } catch (RuntimeException e) {
      if (isJson(frame)) {
        throw new IllegalStateException(failed(frame) + e, e);
      }
      Damage lost = Damage.ofMeta(frame);
      note(List.of(lost));
      log.noteLost(lost);
      return before;
    }
  }

  /** Returns whether a frame's metadata is valid JSON. Returns false only for forged frames. */
  private static boolean isJson(Frame frame) {
    try {
      Meta.parse(frame.meta().json());
      return true;
    } catch (RalphException forged) {
      return false;
    }
  }

  private String failed(Frame frame) {
    return "the fold "
        + fold.name()
        + " failed at the frame "
        + frame.id()
        + " of "
        + frame.topic()
        + ": ";
  }

  /** Returns whether the content of a frame is damaged, by reading it again. */
  private static boolean isLost(Frame frame) {
    try {
      frame.content();
      return false;
    } catch (DamagedException again) {
      return true;
    }
  }

  // ---- snapshots

  private Optional<State> loadSnapshot() {
    Optional<Fold.Codec<S>> codec = fold.codec();
    if (codec.isEmpty()) {
      return Optional.empty();
    }
    try {
      Optional<Snapshot> snapshot = store.snapshots().load(snapshotKey(fold, filter));
      if (snapshot.isEmpty() || !isOfThisLog(snapshot.get())) {
        return Optional.empty();
      }
      S decoded = codec.get().decode(snapshot.get().state());
      return Optional.of(new State(snapshot.get().position(), decoded));
    } catch (ClosedException closed) {
      throw closed;
    } catch (RuntimeException unreadable) {
      logger()
          .log(
              Level.DEBUG,
              () -> "a snapshot of " + fold.name() + " is unreadable; folding from the first frame",
              unreadable);
      return Optional.empty();
    }
  }

  private boolean isOfThisLog(Snapshot snapshot) {
    Optional<Frame> last = store.get(snapshot.frameId());
    return last.isPresent() && last.get().position().equals(snapshot.position());
  }

  /**
   * Saves a snapshot after enough frames. A state with missing frames is not saved, because a
   * reader that starts from the snapshot would not find the damage, or the frames after a repair.
   */
  private void saveSnapshot(@Nullable Frame last) {
    if (last == null
        || framesSinceSnapshot < FRAMES_PER_SNAPSHOT
        || !damage.isEmpty()
        || fold.codec().isEmpty()) {
      return;
    }
    framesSinceSnapshot = 0;
    try {
      byte[] encoded = fold.codec().get().encode(known());
      store
          .snapshots()
          .save(snapshotKey(fold, filter), new Snapshot(last.id(), last.position(), encoded));
    } catch (RuntimeException unsaved) {
      logger().log(Level.WARNING, () -> "can't save a snapshot of " + fold.name(), unsaved);
    }
  }

  /** Returns the logger, on first use, because loading it would delay short commands. */
  private static System.Logger logger() {
    return System.getLogger(FoldView.class.getName());
  }

  /**
   * Returns the key of snapshots. The key contains the names of the fold's classes, so a different
   * fold with the same name in another program neither reads nor overwrites the snapshots.
   */
  static Snapshot.Key snapshotKey(Fold<?, ?> fold, TopicFilter filter) {
    return new Snapshot.Key(fold.name() + " of " + FoldCode.of(fold), fold.version(), filter);
  }

  /** A state with its position. */
  private final class State {
    private final Position position;
    private final S state;

    State(Position position, S state) {
      this.position = position;
      this.state = state;
    }
  }
}
