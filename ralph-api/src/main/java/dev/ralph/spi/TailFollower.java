package dev.ralph.spi;

import dev.ralph.log.Damage;
import dev.ralph.log.Follower;
import dev.ralph.log.Frame;
import dev.ralph.log.FrameCursor;
import dev.ralph.log.Position;
import dev.ralph.log.Query;
import dev.ralph.log.RalphException;
import dev.ralph.log.TopicFilter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * One follower of a store: it reads by itself, or takes what the {@link SharedTail} reads once it
 * has caught up with it.
 */
final class TailFollower implements Follower {

  private static final long UNKNOWN = Waiting.UNKNOWN;

  /** How often it looks whether a store can be reached again. */
  private static final long LONGEST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  private final Followers followers;
  private final SharedTail tail;
  private final Waiting waiting;
  private final ReentrantLock lock;

  private final TopicFilter filter;
  private final Condition changed;

  /** Reads by itself; null while it shares the tail. Changed by its own thread only. */
  private volatile @Nullable FrameCursor own;

  private volatile boolean isClosed;

  /** The damage that cursors of its own have met that it has closed. */
  private List<Damage> metBefore = List.of();

  /** Where its own cursor last came to the end of the log, and the damage that it had met. */
  private @Nullable Position endBefore;

  private List<Damage> metAtEnd = List.of();

  // Guarded by the lock:

  /** Up to where it has taken frames. */
  private Position position;

  /** Up to where it has to read by itself, because the tail was there when it began to share. */
  private Position sharesAfter = Position.START;

  /** The next frame to take, of those that the tail has read. */
  private @Nullable FrameLink next;

  private boolean isWoken;

  TailFollower(Query query, Followers followers, SharedTail tail) {
    this.followers = followers;
    this.tail = tail;
    this.waiting = tail.waiting;
    this.lock = waiting.lock;
    this.changed = lock.newCondition();
    this.filter = query.filter();
    this.position = query.after();
  }

  // ---- sharing, under the lock

  boolean isSharing() {
    return own == null && tail.contains(this);
  }

  /**
   * Begins to share the tail, having read up to a position.
   *
   * @return false if it has to read by itself up to where the tail is, or as long as that can't
   *     begin there
   */
  boolean join(Position upTo) {
    if (!tail.beginAt(upTo)) {
      return false;
    }
    if (tail.add(this, filter)) {
      sharesAfter = tail.end();
    }
    return !sharesAfter.isAfter(upTo);
  }

  void leave() {
    if (!tail.remove(this, filter)) {
      return;
    }
    if (own == null && next == null) {
      position = later(position, tail.end());
    }
    next = null;
    changed.signal();
  }

  /** Whether it has to take frames that lie before that link. */
  boolean isBefore(long link) {
    return next != null && next.number < link;
  }

  /** Gets a frame that one of its patterns matches. */
  void take(FrameLink link) {
    if (next == null) {
      next = link;
      changed.signal();
    }
  }

  void signal() {
    changed.signal();
  }

  void signalIfAlone() {
    if (own != null) {
      changed.signal();
    }
  }

  private @Nullable Frame nextTaken() {
    while (next != null) {
      FrameLink link = next;
      do {
        next = next.next;
      } while (next != null && !filter.matches(next.frame.topic()));
      if (link.frame.position().isAfter(position)) {
        position = link.frame.position();
        return link.frame;
      }
    }
    return null;
  }

  // ---- taking frames

  @Override
  public @Nullable Frame poll(Duration timeout) throws InterruptedException {
    long nanos = TimeUnit.NANOSECONDS.convert(timeout);
    long begun = System.nanoTime();
    for (long left = nanos; ; left = nanos - (System.nanoTime() - begun)) {
      try {
        return poll(Math.max(0, left));
      } catch (RalphException e) {
        if (e.code() != RalphException.Code.UNAVAILABLE || left <= 0) {
          throw e;
        }
      }
      if (awaitStore(Math.min(left, LONGEST_PAUSE_NANOS))) {
        return null;
      }
    }
  }

  /** Waits before it tries again to reach the store; returns whether it was woken. */
  private boolean awaitStore(long nanos) throws InterruptedException {
    lock.lock();
    try {
      if (!isWoken && !isClosed) {
        changed.awaitNanos(nanos);
      }
      boolean woken = isWoken;
      isWoken = false;
      return woken;
    } finally {
      lock.unlock();
    }
  }

  private @Nullable Frame poll(long nanos) throws InterruptedException {
    FrameCursor mine = own;
    Frame frame = mine == null ? null : mine.next();
    if (frame != null) {
      return frame;
    }
    lock.lock();
    try {
      return await(nanos);
    } finally {
      waiting.end(this);
      lock.unlock();
    }
  }

  /** Lets go of the lock while it reads or waits. */
  private @Nullable Frame await(long nanos) throws InterruptedException {
    long deadline = System.nanoTime() + Math.max(0, nanos);
    long overSince = UNKNOWN;
    while (true) {
      long heard = waiting.news();
      Frame frame = next();
      if (frame != null) {
        return frame;
      }
      boolean shares = isSharing();
      long left = nanos <= 0 ? 0 : deadline - System.nanoTime();
      if (overSince == UNKNOWN && (isWoken || left <= 0)) {
        overSince = tail.begun(); // what was there by now goes before
      } else if (overSince != UNKNOWN && (!shares || tail.ended() > overSince)) {
        isWoken &= nanos <= 0;
        return null;
      } else if (shares && (overSince != UNKNOWN || waiting.isNews())) {
        tail.look(overSince == UNKNOWN ? tail.begun() : overSince);
      } else if (!waiting.contains(this)) {
        waiting.begin(this);
      } else if (shares) {
        changed.awaitNanos(left);
      } else if (heard == waiting.news()) {
        waiting.awaitAlone(changed, left);
      }
    }
  }

  /** Returns the next frame there is. Lets go of the lock while it reads by itself. */
  private @Nullable Frame next() {
    while (true) {
      if (isClosed) {
        throw RalphException.closed(followers.isClosed() ? "the store" : "the follower");
      }
      if (isSharing()) {
        return nextTaken();
      }
      FrameCursor mine = own;
      lock.unlock();
      Frame frame;
      Position upTo;
      List<Damage> met;
      try {
        mine = mine == null ? begin() : mine;
        frame = mine.next();
        upTo = mine.position();
        met = frame == null ? mine.damage() : List.of();
      } finally {
        lock.lock();
      }
      if (frame != null || !catchesUp(mine, upTo, met)) {
        return frame;
      }
    }
  }

  /** Begins to read by itself. */
  private FrameCursor begin() {
    FrameCursor mine = tail.open(Query.of(filter).after(position));
    own = mine;
    if (isClosed) {
      mine.close();
    }
    return mine;
  }

  /**
   * Shares the tail if its own cursor is at the end of the log.
   *
   * @param upTo where that cursor is
   * @param met the damage that it has met
   * @return whether there may be more to take now
   */
  private boolean catchesUp(FrameCursor mine, Position upTo, List<Damage> met) {
    // Another cursor would not know what to expect behind damage, so a whole batch must follow.
    boolean isClean =
        met.isEmpty() || met.equals(metAtEnd) && endBefore != null && upTo.isAfter(endBefore);
    metAtEnd = met;
    endBefore = upTo;
    boolean shared = tail.contains(this);
    if (isClean && join(upTo)) {
      metBefore = both(metBefore, met);
      position = upTo;
      own = null;
      waiting.unlocked(mine::close);
      return true;
    }
    return !shared && tail.contains(this);
  }

  // ---- from any thread

  @Override
  public void wakeup() {
    lock.lock();
    try {
      isWoken = true;
      changed.signal();
    } finally {
      lock.unlock();
    }
  }

  @Override
  public Position position() {
    FrameCursor mine = own;
    if (mine != null) {
      return mine.position();
    }
    lock.lock();
    try {
      return next == null && tail.contains(this) ? later(position, tail.end()) : position;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public List<Damage> damage() {
    FrameCursor mine = own;
    return mine == null ? metBefore : both(metBefore, mine.damage());
  }

  @Override
  public void close() {
    boolean isLast;
    lock.lock();
    try {
      isClosed = true;
      followers.remove(this);
      leave();
      isLast = tail.isEmpty();
      changed.signal();
    } finally {
      lock.unlock();
    }
    FrameCursor mine = own;
    if (mine != null) {
      mine.close();
    }
    if (isLast) {
      tail.release();
    }
  }

  private static List<Damage> both(List<Damage> first, List<Damage> second) {
    if (first.isEmpty() || second.isEmpty()) {
      return first.isEmpty() ? second : first;
    }
    List<Damage> both = new ArrayList<>(first);
    both.addAll(second);
    return List.copyOf(both);
  }

  private static Position later(Position one, Position other) {
    return one.isAfter(other) ? one : other;
  }
}
