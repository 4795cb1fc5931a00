package dev.ralph.spi;

import dev.ralph.log.FrameLog;
import java.time.Clock;

/**
 * A storage backend of a log. Backends implement this interface; other programs use {@link
 * FrameLog}. After {@link #close()} every method throws {@link dev.ralph.log.ClosedException}. The
 * default methods suit a store on this machine that neither leaves files nor erases frames.
 */
public interface FrameStore extends FrameLog, AutoCloseable {

  /**
   * Returns the clock for decisions on this log, such as leases, deadlines and schedules. If
   * several machines share the log, all of them get the same time, independent of their own clocks.
   * The clock never goes back, and reading it needs no I/O. A store on this machine returns {@code
   * host}.
   *
   * @param host the clock of the machine, or a clock that the program has set
   */
  default Clock clock(Clock host) {
    return host;
  }

  /** Returns the snapshots of states folded from this log. */
  SnapshotStore snapshots();

  /**
   * Closes the store with all cursors and followers. Afterwards its {@link SnapshotStore} and the
   * contents of its frames may or may not be readable. Further calls have no effect.
   */
  @Override
  void close();
}
