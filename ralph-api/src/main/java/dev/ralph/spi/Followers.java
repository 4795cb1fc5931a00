package dev.ralph.spi;

import dev.ralph.log.Follower;
import dev.ralph.log.FrameCursor;
import dev.ralph.log.Query;
import dev.ralph.log.RalphException;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The followers of one open store. They share a cursor at the end of the log, so each new frame is
 * read once for all followers, and wakes only followers whose filter selects the frame. A follower
 * reads with a separate cursor if far behind or at damage, until caught up.
 *
 * <p>A store creates one instance, calls {@link #appended()} after each append, and closes the
 * instance without holding a lock that reading needs. Safe for use by many threads.
 */
public final class Followers implements AutoCloseable {

  private final Function<Query, FrameCursor> read;
  private final Runnable onWaiting;

  /** Guards the shared state of the followers. Never held while reading. */
  private final ReentrantLock lock = new ReentrantLock();

  private final Set<TailFollower> open = new LinkedHashSet<>();
  private boolean closed;

  /** Null until the first call of {@link #follow}, because most short commands do not follow. */
  private volatile @Nullable SharedTail tail;

  /**
   * Creates the followers of a store to which no other process appends.
   *
   * @param read the store's {@link FrameStore#read}; called by many threads
   */
  public Followers(Function<Query, FrameCursor> read) {
    this(read, () -> {});
  }

  /**
   * Creates the followers of a store.
   *
   * @param read the store's {@link FrameStore#read}; called by many threads
   * @param onWaiting runs once, on the polling thread, before a follower waits for the first time.
   *     For a store with several processes, starts the calls of {@link #appended()} for the appends
   *     of other processes, for example on a thread that checks for new frames
   */
  public Followers(Function<Query, FrameCursor> read, Runnable onWaiting) {
    this.read = read;
    this.onWaiting = onWaiting;
  }

  /**
   * Follows the log after the position {@link Query#after()}, like {@link FrameStore#follow}.
   *
   * @throws RalphException CLOSED after {@link #close()}
   */
  public Follower follow(Query query) {
    lock.lock();
    try {
      if (closed) {
        throw RalphException.closed("the store");
      }
      SharedTail shared = tail;
      if (shared == null) {
        shared = new SharedTail(read, new WaitingFollowers(lock, onWaiting));
        tail = shared;
      }
      TailFollower follower = new TailFollower(query, this, shared);
      open.add(follower);
      if (shared.isEmpty() || !shared.end().isAfter(query.after())) {
        follower.join(query.after());
      }
      return follower;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Notifies the followers that any process has, or may have, appended frames. One waiting follower
   * reads the frames and wakes all followers with a matching filter. Cheap if no follower waits.
   * The caller may hold the store's lock.
   */
  public void appended() {
    SharedTail shared = tail;
    if (shared != null) {
      shared.waiting.appended();
    }
  }

  /** Removes a follower. The caller holds the lock. */
  void remove(TailFollower follower) {
    open.remove(follower);
  }

  boolean isClosed() {
    return closed;
  }

  @Override
  public void close() {
    List<TailFollower> all;
    lock.lock();
    try {
      closed = true;
      all = List.copyOf(open);
    } finally {
      lock.unlock();
    }
    all.forEach(TailFollower::close);
  }
}
