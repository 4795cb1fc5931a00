package dev.ralph.core.internal.view;

import dev.ralph.log.Appended;
import dev.ralph.log.Batch;
import dev.ralph.log.Damage;
import dev.ralph.log.Decision;
import dev.ralph.log.Durability;
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
 * The one place where a decision becomes frames: decide, and append on condition that nothing has
 * come in between; else decide again.
 *
 * <p>To read what has come asks the store, and so does the append, which says whether anything has.
 * So it decides on the state as far as it is known, and reads first where that won't do: where
 * nothing is known, or was decided, or others keep appending.
 */
public final class FoldLedger<S, R> implements LiveLedger<R> {

  private static final Duration PATIENCE = Duration.ofSeconds(2);

  /** On a busy machine an attempt takes so long that few of them fit into that time. */
  private static final int FEWEST_ATTEMPTS = 24;

  /** How long it waits before it tries again to reach the store. */
  private static final Duration STORE_PAUSE = Duration.ofMillis(100);

  private static final Duration LONGEST_WAIT = Duration.ofNanos(Long.MAX_VALUE);

  private static final long LONGEST_PAUSE_NANOS = 32_000_000;

  private final StoreHandle log;
  private final FoldView<S, R> view;

  /**
   * Lets the threads of this process decide one after the other. A decider is called under this
   * lock and no other: so it may ask other ledgers for their states while theirs ask this one.
   */
  private final ReentrantLock deciding = new ReentrantLock();

  /** Whether others append as well: then to read first costs less than to be refused. */
  @GuardedBy("deciding")
  private boolean isShared;

  /**
   * Makes a ledger of one fold over the frames that the filter selects.
   *
   * @throws RalphException INVALID if they may be of several scopes
   */
  public FoldLedger(StoreHandle log, TopicFilter filter, Fold<S, R> fold) {
    if (filter.scope().isEmpty()) {
      throw RalphException.invalid(
          "a ledger must stay within one scope, because that is what a store keeps in order; "
              + filter
              + " may be of several");
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
    Seen<R> seen = seeInTime(begun, patience);
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
        seen = seeInTime(begun, patience);
        if (wanted.test(seen.state)) {
          return Optional.of(seen.state);
        }
      }
    }
    R last = state(); // what has just come need not have been told yet
    return wanted.test(last) ? Optional.of(last) : Optional.empty();
  }

  /** Waits for a store that can't be reached, until the time is up. */
  private Seen<R> seeInTime(long begun, long patience) throws InterruptedException {
    while (true) {
      try {
        return see();
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
   * A state, and how much of the log is in it.
   *
   * @param isNews whether anything of it had come since the state was known last
   */
  private record Seen<R>(R state, Position position, boolean isNews) {}

  private Seen<R> see() {
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
      String what,
      @Nullable TopicFilter others,
      Durability durability,
      Ledger.Decider<R, T> decider) {
    Objects.requireNonNull(what, "what");
    Objects.requireNonNull(decider, "decider");
    if (deciding.isHeldByCurrentThread()) {
      throw RalphException.invalid(
          what
              + ": a decider must not decide on the same ledger; let it return all frames, or decide"
              + " once it has ended");
    }
    TopicFilter relevant = others == null ? view.filter() : view.filter().or(others);
    Attempt<T> attempt = new Attempt<>(what, relevant, durability, decider);
    long firstConflict = 0;
    long pause = 500_000;
    for (int attempts = 1; !succeeds(attempt); attempts++) {
      long now = System.nanoTime();
      if (attempts == 1) {
        firstConflict = now; // what came before may have been the store's own preparations
      } else if (attempts >= FEWEST_ATTEMPTS && now - firstConflict > PATIENCE.toNanos()) {
        throw RalphException.contended(
            what
                + " did not get through in "
                + attempts
                + " attempts, because others kept writing to "
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
      Seen<R> seen = see();
      isShared = seen.isNews;
      boolean succeeds = attempt.succeedsOn(seen, true);
      isShared |= !succeeds;
      return succeeds;
    } finally {
      deciding.unlock();
    }
  }

  /** What was written, and the state right after it. */
  private record Written<R>(R state, List<Frame> frames) {}

  /** One command on its way into the log. */
  private final class Attempt<T extends @Nullable Object> {
    private final String what;
    private final TopicFilter relevant;
    private final Durability durability;
    private final Ledger.Decider<R, T> decider;
    private boolean wasIndeterminate;
    private @Nullable Supplier<T> reply;

    Attempt(
        String what, TopicFilter relevant, Durability durability, Ledger.Decider<R, T> decider) {
      this.what = what;
      this.relevant = relevant;
      this.durability = durability;
      this.decider = decider;
    }

    /** Returns what the decision answered, once an attempt has succeeded. */
    T answer() {
      return Objects.requireNonNull(reply, "an attempt that succeeded has a reply").get();
    }

    /**
     * Tries once; returns false if others appended meanwhile.
     *
     * @param isFresh whether the state was read for this decision; only of such a one is it told
     *     that there is nothing to do, or that the command can't be met
     */
    boolean succeedsOn(Seen<R> seen, boolean isFresh) {
      Basis basis = new Basis(log.deciding(), relevant, seen.position, isFresh);
      Decision<R, T> decision;
      try {
        decision =
            Objects.requireNonNull(
                log.decide(basis, () -> decider.decide(seen.state, log.clock().instant())),
                () -> what + ": the decider returned null; Decision.nothing says to do nothing");
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
          Batch.of(log.newBatchId(), decision.drafts())
              .durability(durability)
              .onlyIf(basis.condition());
      Optional<Written<R>> written = view.locked(() -> write(batch, seen.position));
      if (written.isEmpty()) {
        return false;
      }
      Written<R> done = written.get();
      basis.appended(done.frames);
      reply = () -> decision.reply(done.state, done.frames);
      return true;
    }

    /** Appends, under the view's lock so that nobody reads on; empty if others did before. */
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
     * Returns the state with what was written; nobody may take a failure at that for nothing done.
     */
    private Written<R> written(Batch batch, Position seen, List<Frame> frames, Runnable takeIn) {
      try {
        takeIn.run();
        return new Written<>(view.result(), frames);
      } catch (RuntimeException | Error e) {
        throw new IndeterminateException(
            what
                + " was written, but the state behind it can't be told: "
                + (e instanceof RalphException ? e.getMessage() : e),
            batch.id(),
            seen,
            true,
            e);
      }
    }

    /**
     * Returns the frames if the batch was written after all, or empty to decide again. What was
     * written but may not last is the caller's to know: to find it would confirm nothing.
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
