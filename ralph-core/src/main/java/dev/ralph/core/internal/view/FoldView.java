package dev.ralph.core.internal.view;

import dev.ralph.log.ClosedException;
import dev.ralph.log.Damage;
import dev.ralph.log.DamagedException;
import dev.ralph.log.Erasure;
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
 * A fold kept up to date with a store. Each time it is asked it reads what has come since, with a
 * cursor that it closes again, so that a view that nobody asks any more holds nothing open.
 *
 * <p>Safe for use by many threads; they wait for each other while one of them reads.
 */
public final class FoldView<S, R> implements View<R> {

  /** After how many frames a snapshot is worth its writing. */
  static final int FRAMES_PER_SNAPSHOT = 2_000;

  private final StoreHandle log;
  private final FrameStore store;
  private final TopicFilter filter;
  private final Fold<S, R> fold;
  private final ReentrantLock lock = new ReentrantLock();

  // All that follows is guarded by the lock. The state contains every selected frame up to the
  // position; before first use, and after a fold that failed half-way, there is no state.
  private @Nullable S state;
  private @Nullable R result;
  private Position position = Position.START;
  private int framesSinceSnapshot;

  /** Where the newest frame stands that was read or appended. */
  private Position newest = Position.START;

  private final Set<Damage> damage = new LinkedHashSet<>();

  /** The erased frames that were passed over, so that a notice of them tells nothing new. */
  private final Set<String> erased = new HashSet<>();

  /** Notices up to there are taken account of. */
  private Position noticed = Position.START;

  /** Makes a view; nothing is read before it is asked. */
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
          Basis decision = log.deciding();
          if (state == null || decision == null || !decision.takesKnown(this)) {
            catchUp();
          }
          if (decision != null) {
            decision.restsOn(this, position);
          }
          return result();
        });
  }

  /** Returns the result as of the last look, or later; the present one to a decider. */
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

  // ---- for the ledger, which appends while it holds the lock

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

  /** Returns what is shown of the state as far as it was read. Only under the lock. */
  R result() {
    R shown = result;
    if (shown == null) {
      shown = fold.result(known());
      result = shown;
    }
    return shown;
  }

  /** Reads again what was read before, if another thread then failed at it. Only under the lock. */
  void require(Position read) {
    if (state == null || read.isAfter(position)) {
      catchUp();
    }
  }

  /** Returns whether there is a state, which need not be the present one. Only under the lock. */
  boolean isKnown() {
    return state != null;
  }

  /**
   * Reads what has come since. Only under the lock.
   *
   * @return whether anything has since a state was known
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

  /** Begins at the first frame: the state holds something of frames that were erased since. */
  private void beginAgain() {
    state = fold.initial();
    result = null;
    position = Position.START;
    framesSinceSnapshot = 0;
    erased.clear();
    damage.clear();
  }

  /** Reads what has come since; returns false as soon as it turns out that frames were erased. */
  private boolean readOn(Function<Query, FrameCursor> log) {
    try (FrameCursor cursor = log.apply(Query.of(filter).after(position))) {
      try {
        Frame last = null;
        for (Frame frame = cursor.next(); frame != null; frame = cursor.next()) {
          boolean folded = isForFold(frame);
          if (!folded && tellsOfErasure(frame)) {
            return false;
          }
          apply(frame, folded);
          last = frame;
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

  /** Returns whether a fold sees the frame: not what was erased, and no notice of that. */
  private static boolean isForFold(Frame frame) {
    return !frame.isErased() && !Erasure.isNotice(frame);
  }

  /**
   * Returns whether a frame that is not for the fold says that others were erased which the state
   * may contain.
   */
  private boolean tellsOfErasure(Frame frame) {
    if (frame.isErased()) {
      erased.add(frame.id());
    } else if (frame.position().isAfter(noticed)) {
      noticed = frame.position();
      return !erased.containsAll(Erasure.ids(frame));
    }
    return false;
  }

  /**
   * Takes over frames that were just appended on condition that the state is of all before them, so
   * that they need not be read. Only under the lock.
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
   * Takes note that frames were appended on condition that nothing of the view had come after that
   * position.
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

  /** Returns the state, which is there once it was caught up with. */
  private S known() {
    return Objects.requireNonNull(state, "the view was not caught up");
  }

  private void apply(Frame frame, boolean folded) {
    if (folded) {
      S before = known();
      state = null; // a fold that fails may leave the state half changed
      result = null;
      state = with(before, frame);
    }
    position = frame.position();
    newest = position;
    framesSinceSnapshot++;
  }

  /** Returns the state with one more frame, or without it if its content is lost. */
  private S with(S before, Frame frame) {
    try {
      return Objects.requireNonNull(fold.apply(before, frame), "it returned null for a state");
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
          : e; // the store's, which says itself what is wrong
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

  /** Returns whether a frame's meta data are what a store takes; none but forged ones are not. */
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

  /** Returns whether it was the frame's content that failed, as it does again then. */
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
   * Keeps a snapshot if it is worth it. A state that lacks frames is not kept: a reader that went
   * on from it would not meet the damage any more, and so not know of it, even once it is repaired.
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
      logger()
          .log(Level.WARNING, () -> "no snapshot of " + fold.name() + " could be kept", unsaved);
    }
  }

  /** Got only when there is something to say, because it would slow down the start of a command. */
  private static System.Logger logger() {
    return System.getLogger(FoldView.class.getName());
  }

  /**
   * Returns what snapshots are kept by. The code's names are part of it, so that a fold which only
   * happens to have the same name in another program finds none, and overwrites none.
   */
  static Snapshot.Key snapshotKey(Fold<?, ?> fold, TopicFilter filter) {
    return new Snapshot.Key(fold.name() + " of " + FoldCode.of(fold), fold.version(), filter);
  }

  /** A state of all selected frames up to a position. */
  private final class State {
    private final Position position;
    private final S state;

    State(Position position, S state) {
      this.position = position;
      this.state = state;
    }
  }
}
