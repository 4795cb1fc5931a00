package dev.ralph.core.internal.step;

import dev.ralph.InterruptedStepException;
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
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;
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

  /** Runs a step; see {@link dev.ralph.Session#step}. */
  public <T> T step(
      String name,
      StepCodec<T> codec,
      Supplier<T> work,
      Function<InterruptedStepException, T> halfDone) {
    RunToken token = RunToken.take();
    try {
      Begin begin = begin(name, token.text());
      String done = begin.done;
      if (done != null) {
        return codec.read(log.get(done).orElseThrow(() -> erased(name)).content());
      }
      InterruptedStepException before = begin.halfDone;
      // If the handler throws, the step stays interrupted.
      T result = before == null ? attempt(name, token.text(), work) : halfDone.apply(before);
      end(name, token.text(), codec.write(result));
      return result;
    } finally {
      token.release();
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

  private <T> T attempt(String name, String token, Supplier<T> work) {
    try {
      return work.get();
    } catch (RuntimeException | Error e) {
      try {
        String reason = TextExcerpt.firstLine(String.valueOf(e.getMessage()), 500);
        Meta failed = frame("fail", name, token).with("reason", reason);
        append("recording the failure of the step", name, token, Draft.of(topic, failed));
      } catch (RuntimeException unsaid) {
        e.addSuppressed(unsaid);
      }
      throw e;
    }
  }

  private void end(String name, String token, String result) {
    append("ending the step", name, token, Draft.of(topic, frame("end", name, token), result));
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
