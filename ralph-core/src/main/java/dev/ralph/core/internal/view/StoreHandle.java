package dev.ralph.core.internal.view;

import dev.ralph.log.Batch;
import dev.ralph.log.Damage;
import dev.ralph.log.Draft;
import dev.ralph.log.Durability;
import dev.ralph.log.Fold;
import dev.ralph.log.Frame;
import dev.ralph.log.FrameCursor;
import dev.ralph.log.Query;
import dev.ralph.log.RalphException;
import dev.ralph.log.TopicFilter;
import dev.ralph.spi.FrameStore;
import dev.ralph.spi.Scru128;
import java.time.Clock;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A store with what it takes to write to it, the time and ids for batches, and with the folds that
 * are in use on it.
 */
public final class StoreHandle {

  private final NumberKeepingStore numbered;
  private final DamageNotingStore store;
  private final Clock clock;
  private final Clock host;
  private final Scru128 batchIds;

  /** What the decision under way rests on, of each thread. */
  private final ThreadLocal<@Nullable Basis> deciding = new ThreadLocal<>();

  /** The code of each fold of the host's that keeps snapshots, by what these are kept by. */
  private final ConcurrentMap<List<Object>, FoldCode> folds = new ConcurrentHashMap<>();

  /** Makes the handle of a store. */
  public StoreHandle(FrameStore store, Clock host) {
    this.clock = store.clock(host);
    this.host = host;
    this.batchIds = new Scru128(clock);
    this.numbered = new NumberKeepingStore(store, batchIds);
    this.store = new DamageNotingStore(numbered);
  }

  /**
   * Returns the store, which notes the damage that is met in reading it, and keeps the numbers of
   * what it erases.
   */
  public FrameStore store() {
    return store;
  }

  /** Erases frames of what is gone for good, so that its numbers are gone as well. */
  public void eraseWithNumbers(Collection<String> ids) {
    numbered.eraseWithNumbers(ids);
  }

  /** Returns the damage met so far, each piece once. */
  public List<Damage> damage() {
    return store.damage();
  }

  /** Reads for a fold, which {@linkplain #noteLost says} itself what content was lost. */
  FrameCursor readPlain(Query query) {
    return store.readPlain(query);
  }

  /**
   * Returns the last of the selected frames, in the order of the log, that is not later than that
   * time: the end of what was there then. Where clocks differ it may have later frames before it.
   */
  public Optional<Frame> lastAt(TopicFilter filter, Instant time) {
    try (FrameCursor cursor = store.readPlain(Query.of(filter).backward())) {
      Frame frame = cursor.next();
      while (frame != null && frame.time().isAfter(time)) {
        frame = cursor.next();
      }
      return Optional.ofNullable(frame);
    }
  }

  /** Returns the frame of that id; when its content turns out to be lost, that is noted. */
  public Optional<Frame> find(String id) {
    return store.get(id);
  }

  /** Takes note of a lost content. */
  void noteLost(Damage content) {
    store.note(List.of(content));
  }

  /** Returns the source of time for decisions. */
  public Clock clock() {
    return clock;
  }

  /** Returns the machine's own clock, which is the one that an agent looks at. */
  public Clock host() {
    return host;
  }

  /** Returns an id that no batch has had. */
  public String newBatchId() {
    return batchIds.next();
  }

  /** Returns what the decision rests on that this thread is making, or null if it makes none. */
  @Nullable Basis deciding() {
    return deciding.get();
  }

  /** Calls a decider, which must not append itself what its decision depends on. */
  <T> T decide(Basis basis, Supplier<T> decider) {
    deciding.set(basis);
    try {
      return decider.get();
    } finally {
      if (basis.outer() == null) {
        deciding.remove();
      } else {
        deciding.set(basis.outer());
      }
    }
  }

  /**
   * @throws RalphException INVALID if a decider of this thread depends on what these would change:
   *     it would decide again, and append again, for ever
   */
  void checkOutsideDecision(List<Draft> drafts) {
    for (Basis basis = deciding.get(); basis != null; basis = basis.outer()) {
      for (Draft draft : drafts) {
        if (basis.relevant().matches(draft.topic())) {
          throw RalphException.invalid(
              "a decider must not append to "
                  + draft.topic()
                  + " itself, because its decision depends on that; let it return the frames, or"
                  + " append them once it has ended");
        }
      }
    }
  }

  /** Appends frames, whatever stands in the log, and returns them. */
  public List<Frame> append(List<Draft> drafts, Durability durability) {
    checkOutsideDecision(drafts);
    return store.append(Batch.of(newBatchId(), drafts).durability(durability)).frames();
  }

  /**
   * @throws RalphException NOT_FOUND if the frame is not one of the store's
   */
  public void checkOwn(Frame frame) {
    Optional<Frame> own = store.get(frame.id());
    if (own.isEmpty() || !own.get().position().equals(frame.position())) {
      throw RalphException.notFound(
          "the frame " + frame.id() + " is not one of " + store.info().location());
    }
  }

  /**
   * Checks a fold of the host's; those of a session have names of their own.
   *
   * @throws RalphException INVALID if another fold is in use that would keep its snapshots in the
   *     same place
   */
  public void checkAlone(Fold<?, ?> fold, TopicFilter filter) {
    FoldCode code = FoldCode.of(fold);
    if (code == null) {
      return;
    }
    List<Object> place = List.of(fold.name(), fold.version(), filter);
    FoldCode other = folds.putIfAbsent(place, code);
    if (other != null && !other.equals(code)) {
      throw RalphException.invalid(
          "two folds of "
              + filter
              + " are named "
              + RalphException.quote(fold.name())
              + " in version "
              + fold.version()
              + ", and would take each other's snapshots for their own: one is made of "
              + other
              + ", the other of "
              + code
              + "; give one of them another name or version, or, if they are the same, keep it in a"
              + " constant");
    }
  }
}
