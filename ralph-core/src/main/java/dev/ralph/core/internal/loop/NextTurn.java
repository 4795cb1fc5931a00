package dev.ralph.core.internal.loop;

import dev.ralph.LoopEvent;
import dev.ralph.LoopEvent.Waiting.Reason;
import dev.ralph.core.internal.control.ControlState;
import dev.ralph.core.internal.session.LiveSession;
import dev.ralph.log.Meta;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Waits until the next iteration may begin, and reports the reason to the listeners. Decides claims
 * of completion during the wait.
 */
final class NextTurn implements AutoCloseable {

  /** The interval of looks, like the interval for reports of working agents. */
  private static final Duration LOOKS = Duration.ofSeconds(1);

  private final LoopSession session;
  private final LoopSettings settings;
  private final LoopReporter reporter;
  private final Endings endings;
  private final LiveSession seen;
  private final Cancellation cancellation;
  private final RunLimits limits;
  private volatile @Nullable LoopWait waiter;

  NextTurn(LoopSession session, LoopSettings settings, LoopReporter reporter, Endings endings) {
    this.session = session;
    this.settings = settings;
    this.reporter = reporter;
    this.endings = endings;
    this.seen = session.seen();
    this.cancellation = session.cancellation();
    this.limits = session.limits();
  }

  /** Starts to follow the steering of the session, unless started. */
  void open() {
    if (waiter == null) {
      waiter = new LoopWait(seen.followControl(), cancellation, session.time());
    }
  }

  boolean isOpen() {
    return waiter != null;
  }

  /**
   * Waits until the next iteration may begin, or the loop has to end.
   *
   * @param backoff the backoff of the iteration's agent
   */
  void await(Backoff backoff) {
    try {
      awaitTurn(backoff);
    } finally {
      reporter.activity().end();
    }
  }

  private void awaitTurn(Backoff backoff) {
    boolean saidPaused = false;
    List<String> saidOpen = List.of();
    while (!cancellation.isRequested()) {
      session.look();
      session.checkClaim();
      reporter.conversation().tell();
      ControlState steering = settle();
      if (endings.isDecided()) {
        return;
      }
      session.look();
      if (!seen.control().steering().equals(steering)) {
        continue; // asking the host whether the work is done may have taken long
      }
      if (backoff.isIdlePause() && endings.progress().isStirred()) {
        backoff.cutShort();
      }
      List<String> open = openQuestions();
      if (steering.paused()) {
        if (!saidPaused) {
          say("paused", Reason.PAUSED, null, List.of());
          saidPaused = true;
        }
        orders().await(limits.timeLimit());
      } else if (!open.isEmpty()) {
        if (!open.equals(saidOpen)) {
          say(
              "waiting for "
                  + (open.size() == 1 ? "an answer to " : "answers to ")
                  + String.join(", ", open),
              Reason.QUESTIONS,
              null,
              open);
          saidOpen = open;
        }
        orders().await(limits.timeLimit());
      } else if (!backoff.notBefore().isUp()) {
        Backoff.Notice unsaid = backoff.takeNotice();
        if (unsaid != null) {
          say(unsaid.message(), unsaid.reason(), unsaid.atMost(), List.of());
        }
        orders().await(limits.timeLimit().and(backoff.notBefore()));
      } else {
        return;
      }
    }
  }

  /**
   * Decides whether the loop ends now. First decides a claim of completion, which may take as long
   * as the gates.
   *
   * @return the steering of the session at the time of the decision
   */
  ControlState settle() {
    ControlState steering = seen.control().steering();
    while (endings.between(steering)) {
      endings.judge();
      session.look();
      reporter.conversation().tell();
      steering = seen.control().steering();
    }
    return steering;
  }

  /** Waits until the pause or the time of the run is over, or the loop is cancelled. */
  void pause(TimeBox pause) {
    TimeBox until = limits.timeLimit().and(pause);
    while (!until.isUp() && !cancellation.isRequested()) {
      orders().await(until);
    }
  }

  /** Waits until an event occurs, for at most a second. */
  void awaitNews() {
    orders().await(LoopClock.MACHINE.box(LOOKS));
  }

  /** Wakes the thread that waits here. From any thread. */
  void wake() {
    LoopWait sleeping = waiter;
    if (sleeping != null) {
      sleeping.wake();
    }
  }

  private LoopWait orders() {
    return Objects.requireNonNull(waiter, "the loop has not begun");
  }

  /** Returns the questions whose answers the loop has to await. */
  List<String> openQuestions() {
    return settings.waitForAnswers()
        ? seen.questions().open().stream().map(question -> "q" + question.number()).toList()
        : List.of();
  }

  private void say(String message, Reason reason, @Nullable Duration atMost, List<String> open) {
    if (atMost == null || settings.several() == null) { // each of several agents logs its own
      reporter.activity().await(reason, open, atMost);
    }
    reporter
        .events()
        .emit(
            LoopEvent.Type.WAITING,
            limits.last(),
            message,
            Meta.of("reason", reason.name().toLowerCase(Locale.ROOT))
                .with("millis", atMost == null ? null : atMost.toMillis())
                .with("open", open.isEmpty() ? null : open),
            head -> new LoopEvent.Waiting(head, reason, atMost, open));
  }

  @Override
  public void close() {
    LoopWait open = waiter;
    if (open != null) {
      open.close();
    }
  }
}
