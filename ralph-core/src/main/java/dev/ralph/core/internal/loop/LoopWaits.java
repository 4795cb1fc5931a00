package dev.ralph.core.internal.loop;

import dev.ralph.core.internal.loop.agent.AgentTurns;
import dev.ralph.core.internal.loop.policy.NextAction;
import dev.ralph.core.internal.loop.policy.WaitNotice;
import dev.ralph.core.internal.loop.run.LoopClock;
import dev.ralph.core.internal.loop.run.LoopReporter;
import dev.ralph.core.internal.loop.run.LoopSession;
import dev.ralph.core.internal.loop.run.TimeBox;
import dev.ralph.log.Follower;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Waits between iterations, and reports each wait once. Used by the thread that steps, except
 * {@link #wake}.
 */
final class LoopWaits implements AutoCloseable {

  /** The interval of reads while agents work, like the interval of their reports. */
  private static final Duration READ_INTERVAL = Duration.ofSeconds(1);

  private final LoopSession session;
  private final LoopReporter reporter;

  /** Whether a single agent's waits are activities of the run; each worker reports its own. */
  private final boolean isAlone;

  /** Ends a wait after a cancellation, or a jump of the time. */
  private final Runnable waker = this::wake;

  private volatile @Nullable Follower orders;
  private boolean isWaiting;
  private @Nullable WaitNotice said;

  LoopWaits(LoopSession session, LoopReporter reporter, boolean isAlone) {
    this.session = session;
    this.reporter = reporter;
    this.isAlone = isAlone;
  }

  /** Starts to follow the orders of the session, unless started. Before the first append. */
  void open() {
    if (orders == null) {
      orders = session.seen().followControl();
      session.cancellation().wake(waker);
      session.time().wake(waker);
    }
  }

  boolean isOpen() {
    return orders != null;
  }

  /**
   * Ends a period of waits, if there is one: the next pause and questions are reported again. While
   * a merge runs, the activity of the run belongs to the merge queue.
   */
  void end() {
    if (isWaiting) {
      isWaiting = false;
      said = null;
      reporter.activity().end();
    }
  }

  /**
   * Waits once. Reports each delay, and a wait for a person unless it was the last reported wait.
   *
   * @param agent the turns of the agent that waits
   */
  void await(NextAction.Wait wait, AgentTurns agent) {
    isWaiting = true;
    WaitNotice notice = wait.notice();
    if (notice != null && (notice.atMost() != null || !notice.equals(said))) {
      said = notice;
      agent.reported(notice);
      reportWait(notice);
    }
    await(new TimeBox(session.time(), wait.until()));
  }

  /** Waits for agents or a merge, for at most a second of real time. */
  void awaitWork() {
    end();
    await(LoopClock.MACHINE.box(READ_INTERVAL));
  }

  /** Waits until a pause or the time of the run is over, or the loop is cancelled. */
  void pause(TimeBox pause) {
    TimeBox until = session.limits().timeLimit().and(pause);
    while (!until.isUp() && !session.cancellation().isRequested()) {
      await(until);
    }
  }

  /** Waits until an event occurs; may return early. An interrupt cancels the loop. */
  private void await(TimeBox limit) {
    try {
      if (!session.cancellation().isRequested()) {
        Follower following = Objects.requireNonNull(orders, "the loop has not begun");
        following.poll(Duration.ofNanos(limit.waitNanos()));
      }
    } catch (InterruptedException e) {
      session.cancellation().interrupted();
    }
  }

  /** Wakes the thread that waits here. From any thread. */
  void wake() {
    Follower following = orders;
    if (following != null) {
      following.wakeup();
    }
  }

  private void reportWait(WaitNotice notice) {
    Duration atMost = notice.atMost();
    if (atMost == null || isAlone) {
      reporter.activity().await(notice.reason(), notice.open(), atMost);
    }
    reporter.events().waiting(session.limits().last(), notice);
  }

  @Override
  public void close() {
    Follower following = orders;
    if (following != null) {
      session.time().forget(waker);
      session.cancellation().forget(waker);
      following.close();
    }
  }
}
