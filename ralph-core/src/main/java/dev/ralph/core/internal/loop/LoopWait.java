package dev.ralph.core.internal.loop;

import dev.ralph.log.Follower;
import java.time.Duration;

/**
 * Waits in the loop's own thread until something happens that the loop has to look at: an order to
 * the session, a cancellation, or the end of a time.
 */
final class LoopWait implements AutoCloseable {

  private final Follower orders;
  private final Cancellation cancellation;
  private final Time time;
  private final Runnable waker;

  /**
   * @param orders follows what steers the session; closed with this
   * @param time that all limits of waits are measured in
   */
  LoopWait(Follower orders, Cancellation cancellation, Time time) {
    this.orders = orders;
    this.cancellation = cancellation;
    this.time = time;
    this.waker = orders::wakeup;
    cancellation.wake(waker);
    time.wake(waker);
  }

  /**
   * Waits until there is something to look at; may return too early, never too late. An interrupt
   * cancels the loop.
   */
  void await(TimeBox limit) {
    if (cancellation.isRequested()) {
      return;
    }
    try {
      orders.poll(Duration.ofNanos(limit.waitNanos()));
    } catch (InterruptedException e) {
      cancellation.interrupted();
    }
  }

  /** Ends the wait of the loop's thread. From any thread. */
  void wake() {
    orders.wakeup();
  }

  @Override
  public void close() {
    time.forget(waker);
    cancellation.forget(waker);
    orders.close();
  }
}
