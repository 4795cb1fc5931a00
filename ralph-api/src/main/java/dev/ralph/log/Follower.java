package dev.ralph.log;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Delivers the frames that any process appends: each frame once, in order, and never a part of a
 * batch. A slow reader loses no frame. Not thread-safe; any thread may call {@link #wakeup()} and
 * {@link #close()}.
 */
public interface Follower extends AutoCloseable {

  /**
   * Returns the next frame. Waits for an append if necessary.
   *
   * @param timeout the longest time to wait; zero or less does not wait
   * @return the frame, or null after the timeout or a {@link #wakeup()}
   * @throws InterruptedException if the thread is interrupted while waiting; no frame is lost
   * @throws ClosedException if the follower is closed
   * @throws RalphException UNAVAILABLE if the store is still unreachable at the end of the timeout;
   *     no frame is lost. IO if reading fails
   */
  @Nullable Frame poll(Duration timeout) throws InterruptedException;

  /**
   * Makes the present or the next waiting {@link #poll} of this follower return null at once. A
   * frame that is ready is returned first. A poll that does not wait leaves the wake-up for the
   * next poll.
   */
  void wakeup();

  /**
   * Returns the position after the last delivered frame, at which a new follower would continue.
   */
  Position position();

  /** Returns the damage found so far, in order. */
  List<Damage> damage();

  /** Closes the follower. A thread that waits in {@link #poll} gets {@link ClosedException}. */
  @Override
  void close();
}
