package dev.ralph.core.internal.view;

import dev.ralph.RalphException;
import dev.ralph.log.Appended;
import dev.ralph.log.Batch;
import dev.ralph.log.Condition;
import dev.ralph.log.Damage;
import dev.ralph.log.Decider;
import dev.ralph.log.Decision;
import dev.ralph.log.Fold;
import dev.ralph.log.Follower;
import dev.ralph.log.Frame;
import dev.ralph.log.IndeterminateException;
import dev.ralph.log.Ledger;
import dev.ralph.log.Position;
import dev.ralph.log.Query;
import dev.ralph.log.TopicFilter;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The one place where a decision becomes frames: catch up, decide, and append on condition that
 * nothing has come in between; else decide again.
 */
public final class FoldLedger<S, R> implements Ledger<R> {

  private static final Duration PATIENCE = Duration.ofSeconds(2);

  /** On a busy machine an attempt takes so long that few of them fit into that time. */
  private static final int FEWEST_ATTEMPTS = 24;

  private static final Duration LONGEST_WAIT = Duration.ofNanos(Long.MAX_VALUE);

  private static final long LONGEST_PAUSE_NANOS = 32_000_000;

  private final StoreHandle log;
  private final FoldView<S, R> view;

  /**
   * Makes a ledger of one fold over the frames that the filter selects.
   *
   * @throws RalphException INVALID if they may be of several scopes, or if another fold is in use
   *     that would keep its snapshots in the same place
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
  public Ledger<R> at(Frame frame) {
    return new PastLedger<>(this, () -> view.at(frame));
  }

  @Override
  public Ledger<R> at(Instant time) {
    return new PastLedger<>(this, () -> view.at(time));
  }

  @Override
  public List<Damage> damage() {
    return view.damage();
  }

  @Override
  public Optional<R> await(Predicate<? super R> wanted, Duration timeout)
      throws InterruptedException {
    long begun = System.nanoTime();
    long patience = timeout.compareTo(LONGEST_WAIT) < 0 ? timeout.toNanos() : Long.MAX_VALUE;
    Seen<R> seen = see();
    if (wanted.test(seen.state)) {
      return Optional.of(seen.state);
    }
    try (Follower follower = log.store().follow(Query.of(view.filter()).after(seen.position))) {
      for (long left = patience; left > 0; left = patience - (System.nanoTime() - begun)) {
        Frame news = follower.poll(Duration.ofNanos(left));
        if (news == null || !news.position().isAfter(seen.position)) {
          continue;
        }
        seen = see();
        if (wanted.test(seen.state)) {
          return Optional.of(seen.state);
        }
      }
    }
    return Optional.empty();
  }

  /** A state, and how much of the log is in it. */
  private record Seen<R>(R state, Position position) {}

  private Seen<R> see() {
    return view.locked(
        () -> {
          view.catchUp();
          return new Seen<>(view.result(), view.position());
        });
  }

  @Override
  public <T> T decide(String what, @Nullable TopicFilter others, Decider<R, T> decider) {
    TopicFilter relevant = others == null ? view.filter() : view.filter().or(others);
    Attempt<T> attempt = new Attempt<>(relevant, decider);
    long firstConflict = 0;
    long pause = 500_000;
    for (int attempts = 1; !view.locked(attempt::succeeds); attempts++) {
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
    return Objects.requireNonNull(attempt.reply, "an attempt that succeeded has a reply");
  }

  /** One command on its way into the log. */
  private final class Attempt<T> {
    private final TopicFilter relevant;
    private final Decider<R, T> decider;
    private boolean wasIndeterminate;
    private @Nullable T reply;

    Attempt(TopicFilter relevant, Decider<R, T> decider) {
      this.relevant = relevant;
      this.decider = decider;
    }

    /** Tries once, under the view's lock; returns false if others appended meanwhile. */
    boolean succeeds() {
      view.catchUp();
      Decision<R, T> decision = decider.decide(view.result(), log.clock().instant());
      List<Frame> frames = List.of();
      if (!decision.drafts().isEmpty()) {
        Batch batch =
            Batch.of(log.newBatchId(), decision.drafts())
                .onlyIf(new Condition(relevant, view.position()));
        try {
          Appended appended = log.store().append(batch);
          if (appended.isConflict()) {
            return false;
          }
          frames = appended.frames();
          view.absorb(frames);
        } catch (IndeterminateException unknown) {
          Optional<List<Frame>> found = resolve(unknown);
          if (found.isEmpty()) {
            return false;
          }
          frames = found.get();
          view.catchUp();
        }
      }
      reply = decision.reply(view.result(), frames);
      return true;
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
