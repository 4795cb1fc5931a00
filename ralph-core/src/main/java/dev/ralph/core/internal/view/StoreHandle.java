package dev.ralph.core.internal.view;

import dev.ralph.log.Batch;
import dev.ralph.log.Damage;
import dev.ralph.log.Draft;
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

/** An open store with its clock, the generator of batch ids, and the folds in use. */
public final class StoreHandle {

  private final NumberKeepingStore numbered;
  private final DamageNotingStore store;
  private final Clock clock;
  private final Clock host;
  private final Scru128 batchIds;

  /** The basis of the running decision of each thread. */
  private final ThreadLocal<@Nullable DecisionBasis> deciding = new ThreadLocal<>();

  /** The code of each fold of the host with snapshots, by name, version and topics. */
  private final ConcurrentMap<List<Object>, FoldCode> folds = new ConcurrentHashMap<>();

  /** Creates the handle of a store. */
  public StoreHandle(FrameStore store, Clock host) {
    this.clock = store.clock(host);
    this.host = host;
    this.batchIds = new Scru128(clock);
    this.numbered = new NumberKeepingStore(store, batchIds);
    this.store = new DamageNotingStore(numbered);
  }

  /**
   * Returns the store, which records damage found by reads, and reserves the numbers of erased
   * frames.
   */
  public FrameStore store() {
    return store;
  }

  /** Erases the frames of a deleted session without reserving their numbers. */
  public void eraseWithNumbers(Collection<String> ids) {
    numbered.eraseWithNumbers(ids);
  }

  /** Returns the damage found so far, without duplicates. */
  public List<Damage> damage() {
    return store.damage();
  }

  /** Reads frames for a fold, which {@linkplain #noteLost records} damaged content itself. */
  FrameCursor readPlain(Query query) {
    return store.readPlain(query);
  }

  /**
   * Returns the last selected frame, in the order of the log, with a time at or before the given
   * time. If clocks differ, frames with a later time may precede it.
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

  /** Returns the frame with an id, which records damage of its content. */
  public Optional<Frame> find(String id) {
    return store.get(id);
  }

  /** Records damaged content. */
  void noteLost(Damage content) {
    store.note(List.of(content));
  }

  /** Returns the clock for decisions. */
  public Clock clock() {
    return clock;
  }

  /** Returns the clock of the machine, which agents see. */
  public Clock host() {
    return host;
  }

  /** Returns a new batch id. */
  public String newBatchId() {
    return batchIds.next();
  }

  /** Returns the basis of this thread's running decision, or null. */
  @Nullable DecisionBasis deciding() {
    return deciding.get();
  }

  /** Calls a decider, which must not append frames on which its decision depends. */
  <T> T decide(DecisionBasis basis, Supplier<T> decider) {
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
   * @throws RalphException INVALID if a running decision of this thread depends on these drafts,
   *     which would make it decide and append forever
   */
  void checkOutsideDecision(List<Draft> drafts) {
    for (DecisionBasis basis = deciding.get(); basis != null; basis = basis.outer()) {
      for (Draft draft : drafts) {
        if (basis.relevant().matches(draft.topic())) {
          throw RalphException.invalid(
              "a decider must not append to "
                  + draft.topic()
                  + ", because its decision depends on this topic; return the frames from the"
                  + " decider, or append them after its end");
        }
      }
    }
  }

  /** Appends frames without a condition, and returns them. */
  public List<Frame> append(List<Draft> drafts, boolean synced) {
    checkOutsideDecision(drafts);
    return store.append(Batch.of(newBatchId(), drafts).synced(synced)).frames();
  }

  /**
   * @throws RalphException NOT_FOUND if the store does not have the frame
   */
  public void checkOwn(Frame frame) {
    Optional<Frame> own = store.get(frame.id());
    if (own.isEmpty() || !own.get().position().equals(frame.position())) {
      throw RalphException.notFound(
          "the frame " + frame.id() + " is not in the store " + store.info().location());
    }
  }

  /**
   * Checks a fold of the host. Folds of sessions have reserved names.
   *
   * @throws RalphException INVALID if another fold in use has the same key of snapshots
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
              + ", and would share snapshots: "
              + other
              + " and "
              + code
              + "; change the name or version of a fold, or keep a shared fold in a constant");
    }
  }
}
