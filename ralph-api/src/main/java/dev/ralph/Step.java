package dev.ralph;

import dev.ralph.log.ContendedException;
import dev.ralph.log.RalphException;
import java.time.Duration;
import java.util.function.Predicate;

/**
 * A step of a session: work that must not run twice, for example a payment, a mail or an expensive
 * call. The log keeps the result. Later calls with the name of the step, by any process, return the
 * result and do nothing.
 *
 * <pre>{@code
 * String receipt =
 *     session
 *         .step("charge card")
 *         .attempts(3)
 *         .delay(Duration.ofSeconds(2))
 *         .retryIf(failure -> failure instanceof IOException)
 *         .call(StepCodec.text(), () -> bank.charge(card, 20), interrupted -> bank.lastReceipt());
 * session.step("send mail").run(() -> mail.send(receipt));
 * }</pre>
 *
 * <p>If the process is killed during the step, its progress is unknown. The next call runs the
 * recovery, which finds or repeats the result; without a recovery it throws an {@link
 * InterruptedStepException}. An exception of the recovery is passed on, and the step stays
 * interrupted. An unfinished step of another machine counts as interrupted, because its process
 * can't be checked.
 *
 * <p>If the work throws, the log records the failure and the exception is passed on, so the step
 * can run again. If the work or the recovery returns null, or the codec fails, the step stays
 * interrupted, because the work has run.
 *
 * <p>Usage that the work reports to {@link Turn#usage} belongs to the iteration that runs the step,
 * and is not reported again.
 *
 * <p>Immutable: the setters return copies. The exceptions of all calls:
 *
 * <ul>
 *   <li>{@link InterruptedStepException} as described above
 *   <li>{@link ContendedException} if the step is running in this process or another process of
 *       this machine
 *   <li>{@link RalphException} of the log; INVALID for a null result; UNSUPPORTED for a past
 *       session
 * </ul>
 */
public interface Step {

  /**
   * Returns a copy with a number of attempts in one call; 1 if not set. The log records each failed
   * attempt. Later calls have all attempts again. No attempt follows if the thread is interrupted,
   * or the log refuses the record.
   *
   * @throws RalphException INVALID if the number is less than 1
   */
  Step attempts(int attempts);

  /**
   * Returns a copy with a pause between two attempts; none if not set. During the pause, the step
   * is not running, so another process may run it; then the call returns the result of that
   * process. An interrupt ends the pause: the call throws the last failure, and the interrupt
   * status stays set.
   *
   * @throws RalphException INVALID if the delay is negative
   */
  Step delay(Duration delay);

  /**
   * Returns a copy that retries the accepted failures only; all exceptions if not set. An {@link
   * Error} and an {@link InterruptedException} are never retried. If the predicate throws, its
   * exception is passed on.
   */
  Step retryIf(Predicate<? super Exception> failures);

  /**
   * Runs work without a result.
   *
   * @throws X the exception of the work's last attempt
   */
  <X extends Exception> void run(Action<X> work) throws X;

  /**
   * Runs work without a result.
   *
   * @param recovery runs after an interrupted call: checks the outcome or repeats the work
   * @throws X the exception of the recovery or of the work's last attempt
   */
  <X extends Exception> void run(Action<X> work, Action<X> recovery) throws X;

  /**
   * Runs work with a result.
   *
   * @return the result; a kept result is decoded by the codec
   * @throws X the exception of the work's last attempt
   */
  <T, X extends Exception> T call(StepCodec<T> codec, Work<T, X> work) throws X;

  /**
   * Runs work with a result.
   *
   * @return the result; a kept result is decoded by the codec
   * @throws X the exception of the recovery or of the work's last attempt
   */
  <T, X extends Exception> T call(StepCodec<T> codec, Work<T, X> work, Recovery<T, X> recovery)
      throws X;

  /**
   * Work with a result.
   *
   * @param <T> the type of the result
   * @param <X> the type of its exceptions; RuntimeException for none
   */
  @FunctionalInterface
  interface Work<T, X extends Exception> {

    /** Does the work and returns the result, not null. */
    T run() throws X;
  }

  /**
   * Work without a result.
   *
   * @param <X> the type of its exceptions; RuntimeException for none
   */
  @FunctionalInterface
  interface Action<X extends Exception> {

    /** Does the work. */
    void run() throws X;
  }

  /**
   * Finds or repeats the result of an interrupted step.
   *
   * @param <T> the type of the result
   * @param <X> the type of its exceptions; RuntimeException for none
   */
  @FunctionalInterface
  interface Recovery<T, X extends Exception> {

    /** Returns the result, not null. */
    T recover(InterruptedStepException interrupted) throws X;
  }
}
