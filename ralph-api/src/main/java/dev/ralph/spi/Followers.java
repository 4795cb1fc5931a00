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
 * The followers of one open store. They share one cursor at the end of the log: what is appended is
 * read once, however many follow, and only those who want it are woken. A follower that is far
 * behind, or that meets damage, reads with a cursor of its own until it has caught up.
 *
 * <p>A store makes one of these, calls {@link #appended()} after each append, and closes it. Safe
 * for use by many threads.
 */
public final class Followers implements AutoCloseable {

  private final Function<Query, FrameCursor> read;
  private final Runnable onWaiting;

  /** Guards what followers share. Never held while reading. */
  private final ReentrantLock lock = new ReentrantLock();

  private final Set<TailFollower> open = new LinkedHashSet<>();
  private boolean closed;

  /** Made for the first follower: most short commands have none. */
  private volatile @Nullable SharedTail tail;

  /**
   * Makes the followers of a store that no other process appends to.
   *
   * @param read the store's {@link FrameStore#read}; called from many threads
   */
  public Followers(Function<Query, FrameCursor> read) {
    this(read, () -> {});
  }

  /**
   * Makes the followers of a store.
   *
   * @param read the store's {@link FrameStore#read}; called from many threads
   * @param onWaiting run once, before a follower waits for the first time
   */
  public Followers(Function<Query, FrameCursor> read, Runnable onWaiting) {
    this.read = read;
    this.onWaiting = onWaiting;
  }

  /**
   * Follows the log from the query's {@link Query#after()} on, as {@link FrameStore#follow} does.
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
        shared = new SharedTail(read, new Waiting(lock, onWaiting));
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
   * Says that something was appended, or may have been, by whatever process: one of those who wait
   * will read it, and wake the others who want it. Costs next to nothing while nobody waits.
   */
  public void appended() {
    SharedTail shared = tail;
    if (shared != null) {
      shared.waiting.appended();
    }
  }

  /** To be called with the lock, as {@link #isClosed()}. */
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
