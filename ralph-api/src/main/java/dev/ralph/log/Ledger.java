package dev.ralph.log;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A state folded from the log, and changed by decisions. The frames of a decision are appended only
 * if the log has no newer frame on which the decision depends; otherwise the decider runs again. So
 * no two threads or processes decide on the same state, on any store, without a server.
 *
 * <pre>{@code
 * Ledger<Map<String, String>> seats = ralph.ledger(Topic.of("hall.friday.seat"), SEATS);
 * boolean mine = seats.decide("reserving A1", (taken, now) ->
 *     taken.containsKey("A1")
 *         ? Decision.nothing(false)
 *         : Decision.append(Draft.of(topic, Meta.of("seat", "A1").with("by", "Ann")), after -> true));
 * }</pre>
 *
 * <p>{@link dev.ralph.Ralph#ledger} returns a ledger. Reuse the ledger, to keep the folded state.
 * Safe for use by many threads; decisions are serialized.
 *
 * @param <R> the result of the fold
 */
public interface Ledger<R> {

  /**
   * Returns the present state. Reads only the frames appended since the last call.
   *
   * @throws NotFoundException if this is the state after a frame that the store does not have
   * @throws ClosedException if the store is closed
   * @throws RalphException IO if reading fails
   */
  R state();

  /**
   * Returns a read-only ledger with the state right after a frame. The state is read on demand.
   * Decisions fail with UNSUPPORTED.
   */
  Ledger<R> at(Frame frame);

  /**
   * Returns a read-only ledger with the state at a time: after the last frame of the ledger with
   * this time or an earlier time, as {@link View#at(Instant)} defines. The state is read on demand.
   * Decisions fail with UNSUPPORTED.
   */
  Ledger<R> at(Instant time);

  /**
   * Decides on the present state and appends the frames of the decision, as one atomic step.
   *
   * @param what names the operation in error messages, for example "claiming t3"
   * @return the decision's answer. The frames survive a power cut
   * @throws ContendedException if concurrent writers kept changing the state for many attempts and
   *     at least two seconds. Nothing was written
   * @throws RalphException the exception of the decider; INVALID if a frame belongs to another
   *     scope than the ledger or exceeds a limit of the store, if a decider of this ledger calls
   *     this method, or if a decider itself appends frames on which its decision depends;
   *     UNSUPPORTED on a ledger of the past; otherwise as {@link FrameLog#append}. Nothing was
   *     written
   * @throws IndeterminateException if it is unknown whether the frames were written or are durable,
   *     or if they were written and the fold failed at a frame
   * @throws RuntimeException the exception of the decision's reply function, after the frames were
   *     written
   */
  default <T extends @Nullable Object> T decide(String what, Decider<R, T> decider) {
    return decide(what, null, decider);
  }

  /**
   * Works like {@link #decide(String, Decider)} for a decider that also depends on further frames,
   * for example another ledger's state.
   *
   * @param others selects the other frames, which belong to the same scope; null for none. The
   *     decider must read them on each call
   * @throws RalphException INVALID if the filter selects frames of another scope
   */
  <T extends @Nullable Object> T decide(
      String what, @Nullable TopicFilter others, Decider<R, T> decider);

  /**
   * Waits until the state meets a condition. Appended frames of any process wake the thread. The
   * passing of time, such as the end of a lease, does not: choose the timeout accordingly. A state
   * that exists only between two frames of one read may be missed.
   *
   * @param wanted the condition. The waiting thread calls it after each change of the state, and at
   *     the end of the timeout
   * @param timeout the longest time to wait; zero or less tests the condition once. A state of the
   *     past is tested once
   * @return the state that meets the condition, or empty after the timeout
   * @throws InterruptedException if the thread is interrupted while waiting
   * @throws RalphException as {@link #state}
   */
  Optional<R> await(Predicate<? super R> wanted, Duration timeout) throws InterruptedException;

  /** Returns the damage found while reading. The state lacks the lost frames. */
  List<Damage> damage();

  /**
   * A command as a function of a state and the time: {@code (seats, now) -> …}. The function runs
   * again if the log has grown before its frames could be appended; the earlier decision or
   * exception is dropped. So the function must have no side effects, and must not decide on any
   * ledger. The decider may read the states of other ledgers: see {@link Ledger#decide(String,
   * TopicFilter, Decider)}.
   *
   * @param <R> the type of the state
   * @param <T> the type of the answer, which may be null
   */
  @FunctionalInterface
  interface Decider<R, T extends @Nullable Object> {

    /**
     * Returns the decision for a state.
     *
     * @param state the present state
     * @param now the time of the clock of the ledger's {@link dev.ralph.Ralph}
     * @throws RalphException if the state does not allow the command; nothing is appended
     */
    Decision<R, T> decide(R state, Instant now);
  }
}
