package dev.ralph.spi;

import dev.ralph.log.FrameLog;
import java.time.Clock;

/**
 * A place where a log lives: what a backend implements. A host sees the {@link FrameLog} of it.
 * After {@link #close()} every method throws {@link dev.ralph.log.ClosedException}.
 */
public interface FrameStore extends FrameLog, AutoCloseable {

  /**
   * Returns the clock that decisions on this log go by: leases, deadlines, what is due. Programs of
   * several machines that share a log have one time, whatever their own clocks say; it never goes
   * back, and to read it asks nobody. A log on this machine goes by the clock that it is given.
   *
   * @param host the machine's, or one that the program has set
   */
  default Clock clock(Clock host) {
    return host;
  }

  /** Returns where states derived from this log may be kept. */
  SnapshotStore snapshots();

  /**
   * Closes the store, its cursors and its followers. A {@link SnapshotStore} got from it, and the
   * content of frames got from it, may still be readable afterwards, or not. Closing again does
   * nothing.
   */
  @Override
  void close();
}
