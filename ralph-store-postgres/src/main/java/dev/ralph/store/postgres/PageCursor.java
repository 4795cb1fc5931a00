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

/** Frames as they are read, a page at a time; no connection is held between pages. */
final class PageCursor implements FrameCursor {

  private static final int FIRST_PAGE = 64;
  private static final int LARGEST_PAGE = 2_048;

  private final PostgresFrameStore store;
  private final Query query;
  private final Duration patience;
  private final ReentrantLock lock = new ReentrantLock();
  private final Deque<Frame> page = new ArrayDeque<>();
  private int pageSize = FIRST_PAGE;
  private long left;

  /** Up to where frames were returned, forward; from where on, backward. */
  private long position;

  /** Up to where they were fetched. */
  private long fetched;

  private boolean closed;

  /**
   * @param patience how long it waits for a server that can't be reached
   */
  PageCursor(PostgresFrameStore store, Query query, Duration patience) {
    this.store = store;
    this.patience = patience;
    this.query = query;
    this.left = query.limit();
    this.position =
        query.isBackward() ? Math.min(store.end(query, patience), until()) : query.after().value();
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
            ? store.before(query, fetched, most, page, patience)
            : store.after(query, fetched, until(), most, page, patience);
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

  /** Returns nothing: a database answers, or fails. */
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
