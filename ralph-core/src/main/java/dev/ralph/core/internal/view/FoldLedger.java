package dev.ralph.core.internal.view;

import dev.ralph.log.Appended;
import dev.ralph.log.Batch;
import dev.ralph.log.Damage;
import dev.ralph.log.Decision;
import dev.ralph.log.Fold;
import dev.ralph.log.Follower;
import dev.ralph.log.Frame;
import dev.ralph.log.IndeterminateException;
import dev.ralph.log.Ledger;
import dev.ralph.log.Position;
import dev.ralph.log.Query;
import dev.ralph.log.RalphException;
import dev.ralph.log.TopicFilter;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import java.util.function.Supplier;
import javax.annotation.concurrent.GuardedBy;
import org.jspecify.annotations.Nullable;

/**
 * Implements decisions: calls the decider, and appends the frames on the condition that the log has
 * no newer relevant frame. If the condition fails, the decider runs again.
 *
 * <p>Both reading and appending ask the store. So the ledger first decides on the known state, and
 * the append detects an old state. The ledger reads first if no state is known, if the decision
 * appends nothing, or if other writers keep appending.
 */
public final class FoldLedger<S, R> implements LiveLedger<R> {

  private static final Duration PATIENCE = Duration.ofSeconds(2);

  /** The least number of attempts, because attempts take long on a busy machine. */
  private static final int FEWEST_ATTEMPTS = 24;

  /** The pause before the next attempt to reach the store. */
  private static final Duration STORE_PAUSE = Duration.ofMillis(100);

  private static final Duration LONGEST_WAIT = Duration.ofNanos(Long.MAX_VALUE);

  private static final long LONGEST_PAUSE_NANOS = 32_000_000;

  private final StoreHandle log;
  private final FoldView<S, R> view;

  /**
   * Serializes the decisions of this process. Deciders run under this lock only, so they may read
   * the states of other ledgers whose deciders read this ledger.
   */
  private final ReentrantLock deciding = new ReentrantLock();

  /** Whether other writers append to the topics. Then a read before an append avoids conflicts. */
  @GuardedBy("deciding")
  private boolean isShared;

  /**
   * Creates a ledger of a fold over the frames that the filter selects.
   *
   * @throws RalphException INVALID if the frames may have several scopes
   */
  public FoldLedger(StoreHandle log, TopicFilter filter, Fold<S, R> fold) {
    if (filter.scope().isEmpty()) {
      throw RalphException.invalid(
          "a ledger must stay within one scope, the unit of order in a store; "
              + filter
              + " may select several scopes");
    }
    this.log = log;
    this.view = new FoldView<>(log, filter, fold);
  }

  @Override
  public R state() {
    return view.current();
  }

  @Override
  public R seen(SharedReading reading) {
    return view.seen(reading);
  }

  @Override
  public Ledger<R> at(Frame frame) {
    Objects.requireNonNull(frame, "frame");
    return new PastLedger<>(this, () -> view.at(frame));
  }

  @Override
  public Ledger<R> at(Instant time) {
    Objects.requireNonNull(time, "time");
    return new PastLedger<>(this, () -> view.at(time));
  }

  @Override
  public List<Damage> damage() {
    return view.damage();
  }

  @Override
  public Optional<R> await(Predicate<? super R> wanted, Duration timeout)
      throws InterruptedException {
    Objects.requireNonNull(wanted, "wanted");
    Objects.requireNonNull(timeout, "timeout");
    long begun = System.nanoTime();
    long patience = timeout.compareTo(LONGEST_WAIT) < 0 ? timeout.toNanos() : Long.MAX_VALUE;
    Seen<R> seen = readStateInTime(begun, patience);
    if (wanted.test(seen.state)) {
      return Optional.of(seen.state);
    }
    if (patience <= 0) {
      return Optional.empty();
    }
    try (Follower follower = log.store().follow(Query.of(view.filter()).after(seen.position))) {
      for (long left = patience; left > 0; left = patience - (System.nanoTime() - begun)) {
        Frame news = follower.poll(Duration.ofNanos(left));
        if (news == null || !news.position().isAfter(seen.position)) {
          continue;
        }
        seen = readStateInTime(begun, patience);
        if (wanted.test(seen.state)) {
          return Optional.of(seen.state);
        }
      }
    }
    R last = state(); // the notification of a new frame may be late
    return wanted.test(last) ? Optional.of(last) : Optional.empty();
  }

  /** Retries an unreachable store until the timeout. */
  private Seen<R> readStateInTime(long begun, long patience) throws InterruptedException {
    while (true) {
      try {
        return readState();
      } catch (RalphException e) {
        boolean isOver = System.nanoTime() - begun >= patience;
        if (e.code() != RalphException.Code.UNAVAILABLE || isOver) {
          throw e;
        }
      }
      Thread.sleep(STORE_PAUSE.toMillis());
    }
  }

  /**
   * A state and its position.
   *
   * @param isNews whether the read found new frames
   */
  private record Seen<R>(R state, Position position, boolean isNews) {}

  private Seen<R> readState() {
    return view.locked(
        () -> {
          boolean isNews = view.catchUp();
          return new Seen<>(view.result(), view.position(), isNews);
        });
  }

  private @Nullable Seen<R> known() {
    return view.locked(
        () -> view.isKnown() ? new Seen<>(view.result(), view.position(), false) : null);
  }

  @Override
  public <T extends @Nullable Object> T decide(
      String what, @Nullable TopicFilter others, boolean synced, Ledger.Decider<R, T> decider) {
    Objects.requireNonNull(what, "what");
    Objects.requireNonNull(decider, "decider");
    if (deciding.isHeldByCurrentThread()) {
      throw RalphException.invalid(
          what
              + ": a decider must not decide on the same ledger; return all frames from the"
              + " decider, or decide after its end");
    }
    TopicFilter relevant = others == null ? view.filter() : view.filter().or(others);
    Attempt<T> attempt = new Attempt<>(what, relevant, synced, decider);
    long firstConflict = 0;
    long pause = 500_000;
    for (int attempts = 1; !succeeds(attempt); attempts++) {
      long now = System.nanoTime();
      if (attempts == 1) {
        firstConflict = now; // earlier time may have been preparations of the store
      } else if (attempts >= FEWEST_ATTEMPTS && now - firstConflict > PATIENCE.toNanos()) {
        throw RalphException.contended(
            what
                + " failed after "
                + attempts
                + " attempts, because of concurrent writers to "
                + relevant
                + "; nothing was written, try again");
      }
      LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(pause));
      pause = Math.min(2 * pause, LONGEST_PAUSE_NANOS);
    }
    return attempt.answer();
  }

  private boolean succeeds(Attempt<?> attempt) {
    deciding.lock();
    try {
      Seen<R> known = isShared ? null : known();
      if (known != null && attempt.succeedsOn(known, false)) {
        return true;
      }
      Seen<R> seen = readState();
      isShared = seen.isNews;
      boolean succeeds = attempt.succeedsOn(seen, true);
      isShared |= !succeeds;
      return succeeds;
    } finally {
      deciding.unlock();
    }
  }

  /** The written frames and the state after them. */
  private record Written<R>(R state, List<Frame> frames) {}

  /** The attempts of one decision. */
  private final class Attempt<T extends @Nullable Object> {
    private final String what;
    private final TopicFilter relevant;
    private final boolean synced;
    private final Ledger.Decider<R, T> decider;
    private boolean wasIndeterminate;
    private @Nullable Supplier<T> reply;

    Attempt(String what, TopicFilter relevant, boolean synced, Ledger.Decider<R, T> decider) {
      this.what = what;
      this.relevant = relevant;
      this.synced = synced;
      this.decider = decider;
    }

    /** Returns the answer of the decision after a successful attempt. */
    T answer() {
      return Objects.requireNonNull(reply, "an attempt that succeeded has a reply").get();
    }

    /**
     * Makes one attempt; returns false if another writer appended before.
     *
     * @param isFresh whether the state was read for this decision. Only a fresh state can prove
     *     that the decision appends nothing or that the command is not allowed
     */
    boolean succeedsOn(Seen<R> seen, boolean isFresh) {
      DecisionBasis basis = new DecisionBasis(log.deciding(), relevant, seen.position, isFresh);
      Decision<R, T> decision;
      try {
        decision =
            Objects.requireNonNull(
                log.decide(basis, () -> decider.decide(seen.state, log.clock().instant())),
                () ->
                    what
                        + ": the decider returned null; return Decision.nothing to append"
                        + " nothing");
      } catch (RuntimeException e) {
        if (isFresh) {
          throw e;
        }
        return false;
      }
      if (decision.drafts().isEmpty()) {
        reply = () -> decision.reply(seen.state, List.of());
        return isFresh;
      }
      log.checkOutsideDecision(decision.drafts());
      Batch batch =
          Batch.of(log.newBatchId(), decision.drafts()).synced(synced).onlyIf(basis.condition());
      Optional<Written<R>> written = view.locked(() -> write(batch, seen.position));
      if (written.isEmpty()) {
        return false;
      }
      Written<R> done = written.get();
      basis.appended(done.frames);
      reply = () -> decision.reply(done.state, done.frames);
      return true;
    }

    /**
     * Appends under the view's lock, which blocks readers; empty if another writer appended before.
     */
    private Optional<Written<R>> write(Batch batch, Position seen) {
      view.require(seen);
      Appended appended;
      try {
        appended = log.store().append(batch);
      } catch (IndeterminateException unknown) {
        return resolve(unknown).map(found -> written(batch, seen, found, view::catchUp));
      }
      return appended.isConflict()
          ? Optional.empty()
          : Optional.of(
              written(batch, seen, appended.frames(), () -> view.absorb(appended.frames())));
    }

    /**
     * Returns the state with the written frames. A failure of the fold is reported as
     * IndeterminateException.
     */
    private Written<R> written(Batch batch, Position seen, List<Frame> frames, Runnable takeIn) {
      try {
        takeIn.run();
        return new Written<>(view.result(), frames);
      } catch (RuntimeException | Error e) {
        throw new IndeterminateException(
            what
                + " was written, but the resulting state is unknown: "
                + (e instanceof RalphException ? e.getMessage() : e),
            batch.id(),
            seen,
            true,
            e);
      }
    }

    /**
     * Returns the frames if the batch was written, or empty to decide again. Throws if the batch
     * was written and may not be durable, because reading it would not prove its durability.
     */
    private Optional<List<Frame>> resolve(IndeterminateException unknown) {
      if (unknown.isWritten() || wasIndeterminate) {
        throw unknown;
      }
      wasIndeterminate = true;
      try {
        return log.store().findBatch(unknown.batchId(), unknown.since());
      } catch (RalphException unresolved) {
        unknown.addSuppressed(unresolved);
        throw unknown;
      }
    }
  }
}
