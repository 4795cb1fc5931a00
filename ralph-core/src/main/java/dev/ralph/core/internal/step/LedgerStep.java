package dev.ralph.core.internal.step;

import dev.ralph.Step;
import dev.ralph.StepCodec;
import dev.ralph.log.RalphException;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/**
 * A step with its retry policy.
 *
 * @param steps runs the attempts
 * @param failures accepts the exceptions to retry
 */
record LedgerStep(
    LedgerSteps steps,
    String name,
    int attempts,
    Duration delay,
    Predicate<? super Exception> failures)
    implements Step {

  /** The codec of work without a result, which stores an empty text. */
  private static final StepCodec<Boolean> NO_RESULT = StepCodec.of(done -> "", text -> true);

  @Override
  public Step attempts(int attempts) {
    if (attempts < 1) {
      throw RalphException.invalid("a step needs at least 1 attempt, not " + attempts);
    }
    return new LedgerStep(steps, name, attempts, delay, failures);
  }

  @Override
  public Step delay(Duration delay) {
    if (Objects.requireNonNull(delay, "delay").isNegative()) {
      throw RalphException.invalid("the delay of a step must not be negative: " + delay);
    }
    return new LedgerStep(steps, name, attempts, delay, failures);
  }

  @Override
  public Step retryIf(Predicate<? super Exception> failures) {
    Objects.requireNonNull(failures, "failures");
    return new LedgerStep(steps, name, attempts, delay, failures);
  }

  @Override
  public <X extends Exception> void run(Action<X> work) throws X {
    Objects.requireNonNull(work, "work");
    call(NO_RESULT, asWork(work));
  }

  @Override
  public <X extends Exception> void run(Action<X> work, Action<X> recovery) throws X {
    Objects.requireNonNull(work, "work");
    Objects.requireNonNull(recovery, "recovery");
    Work<Boolean, X> repeated = asWork(recovery);
    call(NO_RESULT, asWork(work), interrupted -> repeated.run());
  }

  private static <X extends Exception> Work<Boolean, X> asWork(Action<X> action) {
    return () -> {
      action.run();
      return true;
    };
  }

  @Override
  public <T, X extends Exception> T call(StepCodec<T> codec, Work<T, X> work) throws X {
    return call(
        codec,
        work,
        interrupted -> {
          throw interrupted;
        });
  }

  @Override
  public <T, X extends Exception> T call(
      StepCodec<T> codec, Work<T, X> work, Recovery<T, X> recovery) throws X {
    Objects.requireNonNull(codec, "codec");
    Objects.requireNonNull(work, "work");
    Objects.requireNonNull(recovery, "recovery");
    return steps.step(this, codec, work, recovery);
  }

  /**
   * Decides whether a failed attempt is repeated, and waits for the delay.
   *
   * @param attempt the number of the failed attempt, from 1
   */
  boolean isRetried(int attempt, Throwable failure) {
    return attempt < attempts
        && failure instanceof Exception exception
        && !(failure instanceof InterruptedException)
        && failures.test(exception)
        && !Thread.currentThread().isInterrupted()
        && pause();
  }

  /** Returns false if the thread is interrupted. */
  private boolean pause() {
    try {
      TimeUnit.NANOSECONDS.sleep(TimeUnit.NANOSECONDS.convert(delay));
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
