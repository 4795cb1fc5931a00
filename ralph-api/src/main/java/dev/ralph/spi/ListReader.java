package dev.ralph.spi;

import dev.ralph.RalphException;
import dev.ralph.log.Damage;
import dev.ralph.log.Follower;
import dev.ralph.log.Frame;
import dev.ralph.log.FrameCursor;
import dev.ralph.log.Position;
import dev.ralph.log.Query;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import org.jspecify.annotations.Nullable;

/**
 * The cursor, and the follower, of a store that keeps all its frames in one list under one lock.
 *
 * <p>The list is in the order of positions, and only grows. Looking at it takes the lock, so a
 * store that changes it does so under the lock, and signals the condition.
 */
public final class ListReader implements FrameCursor, Follower {

  private final List<? extends Frame> log;
  private final Query query;
  private final Lock lock;
  private final Condition changed;
  private final Runnable requireOpen;

  /** Up to where the log was read, forward; from where on, backward. */
  private Position position;

  private long left;
  private boolean woken;
  private boolean closed;

  /**
   * Begins to read. To be called under the lock, because a cursor that reads backward begins at the
   * end that the log has then.
   *
   * @param log the store's frames
   * @param query what is wanted of them; a follower takes neither an end nor a limit, and goes
   *     forward
   * @param lock the store's lock; {@code changed} is a condition of it
   * @param changed signalled by the store when it has added frames and when it has been closed
   * @param requireOpen throws CLOSED if the store was closed; called under the lock
   */
  public ListReader(
      List<? extends Frame> log, Query query, Lock lock, Condition changed, Runnable requireOpen) {
    this.log = log;
    this.query = query;
    this.lock = lock;
    this.changed = changed;
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

  @Override
  public @Nullable Frame poll(Duration timeout) throws InterruptedException {
    long nanos = TimeUnit.NANOSECONDS.convert(timeout);
    lock.lock();
    try {
      while (true) {
        Frame frame = look();
        if (frame != null || nanos <= 0) {
          return frame;
        }
        if (woken) {
          woken = false;
          return null;
        }
        nanos = changed.awaitNanos(nanos);
      }
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
  public void wakeup() {
    tell(() -> woken = true);
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
    tell(() -> closed = true);
  }

  private void tell(Runnable change) {
    lock.lock();
    try {
      change.run();
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }
}
