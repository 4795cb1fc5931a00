package dev.ralph.core.internal.loop;

import dev.ralph.LoopEvent;
import dev.ralph.LoopEvent.Waiting.Reason;
import dev.ralph.core.internal.loop.policy.Backoff;
import dev.ralph.core.internal.loop.policy.LoopDeadline;
import dev.ralph.core.internal.loop.policy.NextAction;
import dev.ralph.log.Meta;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Waits between iterations, and reports each wait once. Used by the thread that steps, except
 * {@link #wake}.
 */
final class LoopWaits implements AutoCloseable {

  /** The interval of looks while agents work, like the interval of their reports. */
  private static final Duration LOOKS = Duration.ofSeconds(1);

  private final LoopSession session;
  private final LoopReporter reporter;

  /** Whether a single agent's waits are activities of the run; each worker reports its own. */
  private final boolean isAlone;

  private volatile @Nullable LoopWait waiter;
  private boolean isWaiting;
  private boolean saidPaused;
  private List<String> saidOpen = List.of();

  LoopWaits(LoopSession session, LoopReporter reporter, boolean isAlone) {
    this.session = session;
    this.reporter = reporter;
    this.isAlone = isAlone;
  }

  /** Starts to follow the orders of the session, unless started. Before the first append. */
  void open() {
    if (waiter == null) {
      waiter = new LoopWait(session.seen().followControl(), session.cancellation(), session.time());
    }
  }

  boolean isOpen() {
    return waiter != null;
  }

  /**
   * Ends a period of waits, if there is one: the next pause and questions are reported again. While
   * a merge runs, the activity of the run belongs to the merge queue.
   */
  void end() {
    if (isWaiting) {
      isWaiting = false;
      saidPaused = false;
      saidOpen = List.of();
      reporter.activity().end();
    }
  }

  /**
   * Waits once, for at most the time of the wait.
   *
   * @param pauses the backoff of the agent that waits
   */
  void await(NextAction.Wait wait, AgentPauses pauses) {
    if (wait instanceof NextAction.WaitForWork) {
      end();
      orders().await(LoopClock.MACHINE.box(LOOKS)); // real time, as agents report
      return;
    }
    isWaiting = true;
    if (wait instanceof NextAction.WaitForResume paused) {
      if (!saidPaused) {
        saidPaused = true;
        say("paused", Reason.PAUSED, null, List.of());
      }
      await(paused.until());
    } else if (wait instanceof NextAction.WaitForAnswers answers) {
      List<String> open = answers.questions();
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
      await(answers.until());
    } else if (wait instanceof NextAction.WaitForBackoff backoff) {
      Backoff.Notice notice = backoff.notice();
      if (notice != null) {
        pauses.reported();
        say(notice.message(), notice.reason(), notice.atMost(), List.of());
      }
      await(backoff.until());
    } else {
      throw new IllegalStateException("unknown wait: " + wait);
    }
  }

  private void await(LoopDeadline until) {
    orders().await(new TimeBox(session.time(), until));
  }

  /** Waits until a pause or the time of the run is over, or the loop is cancelled. */
  void pause(TimeBox pause) {
    TimeBox until = session.limits().timeLimit().and(pause);
    while (!until.isUp() && !session.cancellation().isRequested()) {
      orders().await(until);
    }
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

  private void say(String message, Reason reason, @Nullable Duration atMost, List<String> open) {
    if (atMost == null || isAlone) {
      reporter.activity().await(reason, open, atMost);
    }
    reporter
        .events()
        .emit(
            LoopEvent.Type.WAITING,
            session.limits().last(),
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
