package dev.ralph.spi;

import dev.ralph.log.FrameLog;

/**
 * A place where a log lives: what a backend implements. A host sees the {@link FrameLog} of it.
 * After {@link #close()} every method throws {@link dev.ralph.log.ClosedException}.
 */
public interface FrameStore extends FrameLog, AutoCloseable {

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
