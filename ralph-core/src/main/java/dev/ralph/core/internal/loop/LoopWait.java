package dev.ralph.core.internal.loop;

import dev.ralph.log.Follower;
import java.time.Duration;

/**
 * Waits in the loop's thread for an order to the session, a cancellation, or the end of a time box.
 */
final class LoopWait implements AutoCloseable {

  private final Follower orders;
  private final Cancellation cancellation;
  private final LoopClock time;
  private final Runnable waker;

  /**
   * @param orders follows the steering of the session; closed with this object
   * @param time the time source of all waits
   */
  LoopWait(Follower orders, Cancellation cancellation, LoopClock time) {
    this.orders = orders;
    this.cancellation = cancellation;
    this.time = time;
    this.waker = orders::wakeup;
    cancellation.wake(waker);
    time.wake(waker);
  }

  /**
   * Waits until an event occurs; may return early, but never late. An interrupt cancels the loop.
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
