package dev.ralph.core.internal.step;

import dev.ralph.InterruptedStepException;
import dev.ralph.Step;
import dev.ralph.StepCodec;
import dev.ralph.core.internal.control.RunToken;
import dev.ralph.core.internal.text.TextExcerpt;
import dev.ralph.domain.ProcessIdentity;
import dev.ralph.log.Decision;
import dev.ralph.log.Draft;
import dev.ralph.log.FrameLog;
import dev.ralph.log.Ledger;
import dev.ralph.log.Meta;
import dev.ralph.log.RalphException;
import dev.ralph.log.Topic;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The steps of a session. Safe for use by many threads. */
public final class LedgerSteps {

  private final Ledger<Map<String, StepState>> ledger;
  private final Topic topic;
  private final FrameLog log;

  /**
   * The state at the beginning of an attempt: the result's frame of a completed step, the report of
   * an interrupted step, or neither.
   */
  private record Begin(@Nullable String done, @Nullable InterruptedStepException halfDone) {}

  /**
   * Creates the steps.
   *
   * @param log the log of the ledger's frames
   */
  public LedgerSteps(Ledger<Map<String, StepState>> ledger, Topic topic, FrameLog log) {
    this.ledger = ledger;
    this.topic = topic;
    this.log = log;
  }

  /** Returns a step with one attempt. */
  public Step step(String name) {
    Objects.requireNonNull(name, "name");
    return new LedgerStep(this, name, 1, Duration.ZERO, failure -> true);
  }

  /** Runs a step; see {@link Step#call}. */
  <T, X extends Exception> T step(
      LedgerStep step, StepCodec<T> codec, Step.Work<T, X> work, Step.Recovery<T, X> recovery)
      throws X {
    String name = step.name();
    for (int attempt = 1; ; attempt++) {
      RunToken token = RunToken.take();
      try {
        Begin begin = begin(name, token.text());
        String done = begin.done;
        if (done != null) {
          String text = log.get(done).orElseThrow(() -> erased(name)).content();
          return required(codec.read(text), "the codec of the step " + RalphException.quote(name));
        }
        InterruptedStepException before = begin.halfDone;
        if (before != null) {
          // If the recovery throws, the step stays interrupted.
          return end(name, token.text(), codec, "recovery", recovery.recover(before));
        }
        T result;
        try {
          result = work.run();
        } catch (Throwable failure) {
          if (fail(name, token.text(), failure) && step.isRetried(attempt, failure)) {
            continue;
          }
          throw failure;
        }
        return end(name, token.text(), codec, "work", result);
      } finally {
        token.release();
      }
    }
  }

  private Begin begin(String name, String token) {
    Meta own = ProcessIdentity.current().in(frame("begin", name, token));
    return ledger.decide(
        "beginning the step " + RalphException.quote(name),
        (steps, now) -> {
          StepState step = steps.get(name);
          if (step != null && step.result() != null) {
            return Decision.nothing(new Begin(step.result(), null));
          }
          if (step != null && isUnderWay(step)) {
            throw RalphException.contended(
                "the step " + RalphException.quote(name) + " is running" + by(step));
          }
          InterruptedStepException halfDone = step == null ? null : halfDone(name, step);
          return Decision.append(Draft.of(topic, own), after -> new Begin(null, halfDone));
        });
  }

  /**
   * Returns whether the attempt is running. Attempts on other machines can't be checked and count
   * as interrupted.
   */
  private static boolean isUnderWay(StepState step) {
    ProcessIdentity by = step.by();
    String token = step.token();
    if (by == null || token == null || !by.isHere()) {
      return false;
    }
    return by.isCurrent() ? RunToken.isHeld(token) : by.isLive();
  }

  private static InterruptedStepException halfDone(String name, StepState step) {
    return new InterruptedStepException(
        "the step "
            + RalphException.quote(name)
            + " was started at "
            + step.begun()
            + by(step)
            + ", but its outcome is unknown",
        name,
        step.begun());
  }

  private static String by(StepState step) {
    ProcessIdentity by = step.by();
    return by == null ? "" : " in the process " + by.pid() + " on " + by.host();
  }

  /** Records a failure. Returns false if the log refuses the record. */
  private boolean fail(String name, String token, Throwable failure) {
    try {
      String reason = TextExcerpt.firstLine(String.valueOf(failure.getMessage()), 500);
      Meta failed = frame("fail", name, token).with("reason", reason);
      append("recording the failure of the step", name, token, Draft.of(topic, failed));
      return true;
    } catch (RuntimeException unsaid) {
      failure.addSuppressed(unsaid);
      return false;
    }
  }

  /**
   * Records the end of a step.
   *
   * @param source the origin of the result, for the message about null
   */
  private <T> T end(
      String name, String token, StepCodec<T> codec, String source, @Nullable T result) {
    String of = " of the step " + RalphException.quote(name);
    T present = required(result, "the " + source + of);
    String text = required(codec.write(present), "the codec" + of);
    append("ending the step", name, token, Draft.of(topic, frame("end", name, token), text));
    return present;
  }

  private static <T> T required(@Nullable T value, String source) {
    if (value == null) {
      throw RalphException.invalid(
          source + " returned null. Return a value, or use Step.run for work without a result");
    }
    return value;
  }

  private void append(String what, String name, String token, Draft draft) {
    ledger.decide(
        what + " " + RalphException.quote(name),
        (steps, now) -> {
          StepState step = steps.get(name);
          if (step == null || !token.equals(step.token())) {
            throw RalphException.contended(
                "the step "
                    + RalphException.quote(name)
                    + " was taken over while running; its result is discarded");
          }
          return Decision.append(draft, after -> true);
        });
  }

  private static Meta frame(String action, String name, String token) {
    return Meta.of("action", action).with("name", name).with("token", token);
  }

  private static RalphException erased(String name) {
    return RalphException.notFound(
        "the result of the step " + RalphException.quote(name) + " was erased");
  }
}
