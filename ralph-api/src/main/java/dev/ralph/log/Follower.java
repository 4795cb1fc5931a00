package dev.ralph.log;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Frames as they are appended, by any process: each one once, in order, whole batches only, however
 * slowly they are taken. For one thread at a time; {@link #wakeup()} and {@link #close()} are
 * allowed from any thread.
 */
public interface Follower extends AutoCloseable {

  /**
   * Returns the next frame, waiting for one if need be.
   *
   * @param timeout how long to wait at most; zero or less does not wait
   * @return the frame, or null if none came in time or {@link #wakeup()} was called
   * @throws InterruptedException if the thread is interrupted while it waits; nothing is lost
   * @throws ClosedException once closed
   * @throws RalphException UNAVAILABLE if the store can't be reached when the time is up; until
   *     then it waits for that too, and nothing is lost. IO if reading fails
   */
  @Nullable Frame poll(Duration timeout) throws InterruptedException;

  /**
   * Makes the present or the next waiting {@link #poll} of this follower return null at once. A
   * frame that is ready is returned first, and a poll that does not wait does not use the wake-up.
   */
  void wakeup();

  /** Returns up to where the log has been delivered: where a new follower would go on. */
  Position position();

  /** Returns the damage met so far, in order. */
  List<Damage> damage();

  /** Ends it; a thread waiting in {@link #poll} gets {@link ClosedException}. */
  @Override
  void close();
}
