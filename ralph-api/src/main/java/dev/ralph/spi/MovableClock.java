package dev.ralph.spi;

import java.time.Clock;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * A clock moved by a program, for tests without waiting. If {@link dev.ralph.Ralph.Builder#clock}
 * gets such a clock, loops use it for their limits and pauses, and a waiting loop reads the clock
 * after each move. With any other clock, loops measure with {@link System#nanoTime}.
 *
 * <p>Safe for use by many threads; the methods of a subclass must be too.
 */
public abstract class MovableClock extends Clock {

  private final List<Runnable> listeners = new CopyOnWriteArrayList<>();

  /** Creates a clock. */
  protected MovableClock() {}

  /**
   * Adds a listener. The thread that moves the clock calls it after each move.
   *
   * @param listener must return at once and throw nothing
   */
  public final void onMove(Runnable listener) {
    listeners.add(listener);
  }

  /** Removes a listener. */
  public final void forget(Runnable listener) {
    listeners.remove(listener);
  }

  /** Calls the listeners. A subclass calls this method after each move, without holding a lock. */
  protected final void moved() {
    listeners.forEach(Runnable::run);
  }
}
