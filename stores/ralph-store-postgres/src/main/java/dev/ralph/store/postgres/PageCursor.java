package dev.ralph.store.postgres;

import dev.ralph.log.Damage;
import dev.ralph.log.Frame;
import dev.ralph.log.FrameCursor;
import dev.ralph.log.Position;
import dev.ralph.log.Query;
import dev.ralph.log.RalphException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** Reads frames page by page. The cursor holds no connection between pages. */
final class PageCursor implements FrameCursor {

  private static final int FIRST_PAGE = 64;
  private static final int LARGEST_PAGE = 2_048;

  private final PostgresFrameStore store;
  private final Query query;
  private final Duration retryTime;
  private final ReentrantLock lock = new ReentrantLock();
  private final Deque<Frame> page = new ArrayDeque<>();
  private int pageSize = FIRST_PAGE;
  private long left;

  /** The last position returned (forward), or the next position to return (backward). */
  private long position;

  /** The position up to which frames were fetched. */
  private long fetched;

  private boolean closed;

  /**
   * Creates a cursor.
   *
   * @param retryTime the time for which a read is retried if the server can't be reached
   */
  PageCursor(PostgresFrameStore store, Query query, Duration retryTime) {
    this.store = store;
    this.retryTime = retryTime;
    this.query = query;
    this.left = query.limit();
    this.position =
        query.isBackward() ? Math.min(store.end(query, retryTime), until()) : query.after().value();
    this.fetched = position;
  }

  private long until() {
    Position until = query.until();
    return until == null ? Long.MAX_VALUE : until.value();
  }

  @Override
  public @Nullable Frame next() {
    lock.lock();
    try {
      store.requireOpen();
      if (closed) {
        throw RalphException.closed("the reader");
      }
      if (left == 0) {
        return null;
      }
      if (page.isEmpty()) {
        fetch();
      }
      Frame frame = page.pollFirst();
      if (frame == null) {
        position = query.isBackward() ? position : Math.max(position, fetched);
        return null;
      }
      position = query.isBackward() ? frame.position().value() - 1 : frame.position().value();
      left--;
      return frame;
    } finally {
      lock.unlock();
    }
  }

  private void fetch() {
    int most = (int) Math.min(pageSize, left);
    pageSize = Math.min(2 * pageSize, LARGEST_PAGE);
    fetched =
        query.isBackward()
            ? store.before(query, fetched, most, page, retryTime)
            : store.after(query, fetched, until(), most, page, retryTime);
  }

  @Override
  public Position position() {
    lock.lock();
    try {
      return Position.of(position);
    } finally {
      lock.unlock();
    }
  }

  /** Returns an empty list, because a database either returns a row or fails. */
  @Override
  public List<Damage> damage() {
    return List.of();
  }

  @Override
  public void close() {
    lock.lock();
    try {
      closed = true;
      page.clear();
    } finally {
      lock.unlock();
    }
  }
}
