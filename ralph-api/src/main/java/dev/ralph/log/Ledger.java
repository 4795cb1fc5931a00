package dev.ralph.log;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A state that is changed by deciding on it. What is decided is appended only if nothing that it
 * depends on has come since, else it is decided again: so no two threads, and no two processes,
 * ever decide on the same state, on any store, without a server.
 *
 * <pre>{@code
 * Ledger<Map<String, String>> seats = ralph.ledger(Topic.of("hall.friday.seat"), SEATS);
 * boolean mine = seats.decide("reserving A1", (taken, now) ->
 *     taken.containsKey("A1")
 *         ? Decision.nothing(false)
 *         : Decision.append(Draft.of(topic, Meta.of("seat", "A1").with("by", "Ann")), after -> true));
 * }</pre>
 *
 * <p>Got from {@link dev.ralph.Ralph#ledger}. Keep it: it goes on with what it has read. Safe for
 * use by many threads, which decide one after the other.
 *
 * @param <R> what the fold shows
 */
public interface Ledger<R> {

  /**
   * Returns the state, reading only what has been appended since it was last asked.
   *
   * @throws NotFoundException if this is the state after a frame that is not one of the store's
   * @throws ClosedException once the store is closed
   * @throws RalphException IO if reading fails
   */
  R state();

  /**
   * Returns this ledger as it was right after that frame was appended: what takes a ledger can show
   * the past as well. Nothing is read before it is asked for its state. Deciding on it fails with
   * UNSUPPORTED.
   */
  Ledger<R> at(Frame frame);

  /**
   * Returns this ledger as it was at that time: right after the last of its frames that is not
   * later, as {@link View#at(Instant)} says. Nothing is read before it is asked for its state.
   * Deciding on it fails with UNSUPPORTED.
   */
  Ledger<R> at(Instant time);

  /**
   * Decides on the present state and appends what was decided, as one step.
   *
   * @param what is being done, as the error message calls it: "claiming t3"
   * @return the decision's answer, once its frames survive a power cut
   * @throws ContendedException if others kept changing the state, over many attempts and for two
   *     seconds at least. Nothing was written
   * @throws RalphException what the decider threw; INVALID if a frame is of another scope than the
   *     ledger, or breaks a limit of the store, if a decider of this ledger calls, or if a decider
   *     appends itself what its decision depends on; UNSUPPORTED if this is a state of the past;
   *     else as {@link FrameLog#append} says. Nothing was written
   * @throws IndeterminateException if it is not known whether the frames were written, or whether
   *     they last; or if they were, and the fold failed at them
   * @throws RuntimeException what the decision's answer threw, once the frames were written
   */
  default <T extends @Nullable Object> T decide(String what, Decider<R, T> decider) {
    return decide(what, null, decider);
  }

  /**
   * Does what {@link #decide(String, Decider)} does for a decider that looks at other frames as
   * well, such as another ledger's state.
   *
   * @param others selects the frames, of the same scope, that the decider depends on as well; null
   *     for none. It must read them itself, each time it is called
   * @throws RalphException INVALID if these are of another scope
   */
  <T extends @Nullable Object> T decide(
      String what, @Nullable TopicFilter others, Decider<R, T> decider);

  /**
   * Waits until the state is as wanted. Frames wake it up, of any process; the passing of time,
   * such as the end of a lease, does not: wait until then at most. It looks once more when its time
   * is up. A state that is wanted only between two frames that come together may be missed.
   *
   * @param wanted whether the state is; called by this thread, each time the state has changed, and
   *     when the time is up
   * @param timeout how long to wait at most; zero or less asks once. A state of the past is asked
   *     once
   * @return the state that was wanted, or empty if there was none in time
   * @throws InterruptedException if the thread is interrupted while it waits
   * @throws RalphException as {@link #state} does
   */
  Optional<R> await(Predicate<? super R> wanted, Duration timeout) throws InterruptedException;

  /** Returns the damage met while reading; if there is any, the state lacks what was lost. */
  List<Damage> damage();

  /**
   * A command, as a function of a state and the time: {@code (seats, now) -> …}. It is called again
   * whenever the log has moved on before its frames could be appended. Where it has moved on before
   * the call, what it decides or throws is dropped, and it is called again too. So it must have no
   * effect of its own: it must not decide, on this ledger or on another. It may ask other ledgers
   * for their state: see {@link Ledger#decide(String, TopicFilter, Decider)}.
   *
   * @param <R> what is decided on
   * @param <T> the answer, which may be null
   */
  @FunctionalInterface
  interface Decider<R, T extends @Nullable Object> {

    /**
     * Decides.
     *
     * @param state the present state, of every frame so far; what is decided on an older one counts
     *     for nothing
     * @param now what time it is, by the clock of the {@link dev.ralph.Ralph} that the ledger is of
     * @throws RalphException if the command can't be met in this state; nothing is appended then
     */
    Decision<R, T> decide(R state, Instant now);
  }
}
