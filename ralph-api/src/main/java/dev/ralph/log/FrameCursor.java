package dev.ralph.log;

import java.util.List;
import java.util.concurrent.locks.Lock;
import org.jspecify.annotations.Nullable;

/**
 * Reads frames one at a time. All frames of a batch become visible together. A batch with a damaged
 * frame is skipped, and {@link #damage()} lists the damage; if only the content of a frame is lost,
 * a store may skip this frame alone. Not thread-safe; any thread may close the cursor.
 */
public interface FrameCursor extends AutoCloseable {

  /**
   * Returns the cursor of a store that keeps all frames in one list, in the order of positions. The
   * list only grows; an erased frame replaces its original. The cursor reads the list under the
   * store's lock, so the store must also change the list under the lock. The caller holds the lock,
   * because a backward cursor begins at the present end of the log.
   *
   * @param log the store's frames
   * @param query selects the frames
   * @param lock the store's lock
   * @param requireOpen throws CLOSED if the store is closed; called under the lock
   */
  static FrameCursor of(List<? extends Frame> log, Query query, Lock lock, Runnable requireOpen) {
    return new ListReader(log, query, lock, requireOpen);
  }

  /**
   * Returns the next frame, or null at the end of the log or at the limit of the query. A forward
   * cursor that has returned null at the end of the log returns frames again after an append.
   *
   * @throws ClosedException after {@link #close()}
   * @throws RalphException IO if reading fails
   */
  @Nullable Frame next();

  /**
   * Returns the position up to which the log was read. A forward cursor has returned every selected
   * frame up to this position. After {@link #next()} has returned null, the position is the end of
   * the log, or the place at which the limit or {@link Query#until()} stopped the cursor. The
   * position of a backward cursor has no meaning.
   */
  Position position();

  /** Returns the damage found so far, in order. */
  List<Damage> damage();

  @Override
  void close();
}
