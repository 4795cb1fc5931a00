package dev.ralph.log;

import java.util.List;
import java.util.concurrent.locks.Lock;
import org.jspecify.annotations.Nullable;

/** Reads a list of frames; see {@link FrameCursor#of}. */
final class ListReader implements FrameCursor {

  private final List<? extends Frame> log;
  private final Query query;
  private final Lock lock;
  private final Runnable requireOpen;

  /** The position of the last frame read; backward, the position before that frame. */
  private Position position;

  private long left;
  private boolean closed;

  ListReader(List<? extends Frame> log, Query query, Lock lock, Runnable requireOpen) {
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
      return readNext();
    } finally {
      lock.unlock();
    }
  }

  private @Nullable Frame readNext() {
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

  /** Returns the index of the first frame after a position, or the size of the log. */
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

  /** Returns an empty list, because frames in memory are never damaged. */
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
