package dev.ralph.core.internal.loop;

import dev.ralph.log.Follower;

/**
 * Waits in the loop's own thread until something happens that the loop has to look at: an order to
 * the session, a cancellation, or the end of a time.
 */
final class Waiter implements AutoCloseable {

  private final Follower orders;
  private final Cancellation cancellation;

  /**
   * @param orders follows what steers the session; closed with this
   */
  Waiter(Follower orders, Cancellation cancellation) {
    this.orders = orders;
    this.cancellation = cancellation;
    cancellation.wake(orders::wakeup);
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
      orders.poll(limit.left());
    } catch (InterruptedException e) {
      cancellation.interrupted();
    }
  }

  @Override
  public void close() {
    orders.close();
  }
}
