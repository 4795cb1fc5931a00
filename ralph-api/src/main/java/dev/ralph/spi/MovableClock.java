package dev.ralph.spi;

import java.time.Clock;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * A clock that a program moves, so that a test need not wait: given to {@link
 * dev.ralph.Ralph.Builder#clock}, it is the time of the loops too. Their limits are up, and their
 * pauses over, when this clock says so, and a loop that waits looks at it after each move.
 *
 * <p>With every other clock a loop measures by the machine's own time ({@link System#nanoTime}),
 * which nobody can set.
 *
 * <p>Safe for use by many threads, as the methods of a subclass have to be.
 */
public abstract class MovableClock extends Clock {

  private final List<Runnable> listeners = new CopyOnWriteArrayList<>();

  /** For a subclass. */
  protected MovableClock() {}

  /**
   * Calls the listener after each move, in the thread that moves the clock.
   *
   * @param listener returns at once and throws nothing
   */
  public final void onMove(Runnable listener) {
    listeners.add(listener);
  }

  /** Calls the listener no more. */
  public final void forget(Runnable listener) {
    listeners.remove(listener);
  }

  /** Tells the listeners. A subclass calls this after each move, holding no lock. */
  protected final void moved() {
    listeners.forEach(Runnable::run);
  }
}
