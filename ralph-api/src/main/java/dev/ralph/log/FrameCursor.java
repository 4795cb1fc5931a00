package dev.ralph.log;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Frames as they are read, one at a time, whole batches only. For one thread at a time; closing is
 * allowed from any thread.
 */
public interface FrameCursor extends AutoCloseable {

  /**
   * Returns the next frame, or null when there is none. A forward cursor that has returned null may
   * be asked again once more has been appended.
   *
   * @throws ClosedException after {@link #close()}
   * @throws RalphException IO if reading fails
   */
  @Nullable Frame next();

  /**
   * Returns how far the log has been read. A forward cursor has returned every wanted frame up to
   * here. Once {@link #next()} has returned null, this is the log's last position, or where the
   * limit or {@link Query#until()} stopped the cursor. It has no meaning for a cursor that reads
   * backward.
   */
  Position position();

  /** Returns the damage met so far, in order. */
  List<Damage> damage();

  @Override
  void close();
}
