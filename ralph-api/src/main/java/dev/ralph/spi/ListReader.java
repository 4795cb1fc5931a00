package dev.ralph.spi;

import dev.ralph.log.Damage;
import dev.ralph.log.Frame;
import dev.ralph.log.FrameCursor;
import dev.ralph.log.Position;
import dev.ralph.log.Query;
import dev.ralph.log.RalphException;
import java.util.List;
import java.util.concurrent.locks.Lock;
import org.jspecify.annotations.Nullable;

/**
 * The cursor of a store that keeps all its frames in one list under one lock.
 *
 * <p>The list is in the order of positions, and only grows. Looking at it takes the lock, so a
 * store that changes it does so under the lock.
 */
public final class ListReader implements FrameCursor {

  private final List<? extends Frame> log;
  private final Query query;
  private final Lock lock;
  private final Runnable requireOpen;

  /** Up to where the log was read, forward; from where on, backward. */
  private Position position;

  private long left;
  private boolean closed;

  /**
   * Begins to read. To be called under the lock, because a cursor that reads backward begins at the
   * end that the log has then.
   *
   * @param log the store's frames
   * @param query what is wanted of them
   * @param lock the store's lock
   * @param requireOpen throws CLOSED if the store was closed; called under the lock
   */
  public ListReader(List<? extends Frame> log, Query query, Lock lock, Runnable requireOpen) {
    this.log = log;
    this.query = query;
    this.lock = lock;
    this.requireOpen = requireOpen;
    this.left = query.limit();
    this.position = query.isBackward() ? end() : query.after();
  }

  private Position end() {
    Position until = query.until();
    Position last = log.isEmpty() ? Position.START : log.get(log.size() - 1).position();
    return until == null || until.isAfter(last) ? last : until;
  }

  @Override
  public @Nullable Frame next() {
    lock.lock();
    try {
      return look();
    } finally {
      lock.unlock();
    }
  }

  private @Nullable Frame look() {
    requireOpen.run();
    if (closed) {
      throw RalphException.closed("the reader");
    }
    return query.isBackward() ? before() : after();
  }

  private @Nullable Frame after() {
    Position until = query.until();
    for (int i = firstAfter(position); i < log.size() && left > 0; i++) {
      Frame frame = log.get(i);
      if (until != null && frame.position().isAfter(until)) {
        return null;
      }
      position = frame.position();
      if (query.filter().matches(frame.topic())) {
        left--;
        return frame;
      }
    }
    return null;
  }

  private @Nullable Frame before() {
    for (int i = firstAfter(position) - 1; i >= 0 && left > 0; i--) {
      Frame frame = log.get(i);
      if (!frame.position().isAfter(query.after())) {
        return null;
      }
      position = Position.of(frame.position().value() - 1);
      if (query.filter().matches(frame.topic())) {
        left--;
        return frame;
      }
    }
    return null;
  }

  /** Returns the index of the first frame after that position: the log's size if there is none. */
  private int firstAfter(Position position) {
    int from = 0;
    int to = log.size();
    while (from < to) {
      int middle = (from + to) >>> 1;
      if (log.get(middle).position().isAfter(position)) {
        to = middle;
      } else {
        from = middle + 1;
      }
    }
    return from;
  }

  @Override
  public Position position() {
    lock.lock();
    try {
      return position;
    } finally {
      lock.unlock();
    }
  }

  /** Returns nothing: what is in memory is whole. */
  @Override
  public List<Damage> damage() {
    return List.of();
  }

  @Override
  public void close() {
    lock.lock();
    try {
      closed = true;
    } finally {
      lock.unlock();
    }
  }
}
