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
 * A follower of a store. Reads with a separate cursor until caught up, and then takes frames from
 * the {@link SharedTail}.
 */
final class TailFollower implements Follower {

  private static final long UNKNOWN = WaitingFollowers.UNKNOWN;

  /** The longest pause between two attempts to reach an unavailable store. */
  private static final long LONGEST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  private final Followers followers;
  private final SharedTail tail;
  private final WaitingFollowers waiting;
  private final ReentrantLock lock;

  private final TopicFilter filter;
  private final Condition changed;

  /**
   * The follower's own cursor; null while it shares the tail. Changed only by the follower's own
   * thread.
   */
  private volatile @Nullable FrameCursor own;

  private volatile boolean isClosed;

  /** The damage found by this follower's closed cursors. */
  private List<Damage> metBefore = List.of();

  /**
   * The last end of the log that the follower's own cursor reached, with the damage found before.
   */
  private @Nullable Position endBefore;

  private List<Damage> metAtEnd = List.of();

  // Guarded by the lock:

  /** The position of the last frame taken. */
  private Position position;

  /**
   * The position of the tail when this follower joined it: earlier frames are read by the own
   * cursor.
   */
  private Position sharesAfter = Position.START;

  /** The next frame of the tail to take, or null. */
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
   * Joins the tail after reading up to a position.
   *
   * @return false if the follower must first read up to the position of the tail, or the tail can't
   *     begin at the position
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

  /** Returns whether the follower has not yet taken the frame of a link. */
  boolean isBefore(long link) {
    return next != null && next.number < link;
  }

  /** Receives a frame that the filter selects. */
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

  // ---- the follower's own thread

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

  /** Waits before the next attempt to reach the store; returns true if a wake-up ended the wait. */
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

  /**
   * Returns the next frame, or null after the timeout. Releases the lock while reading or waiting.
   */
  private @Nullable Frame await(long nanos) throws InterruptedException {
    long deadline = System.nanoTime() + Math.max(0, nanos);
    long overSince = UNKNOWN;
    while (true) {
      long heard = waiting.appends();
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
      } else if (shares && (overSince != UNKNOWN || waiting.mayHaveGrown())) {
        tail.readNewFrames(overSince == UNKNOWN ? tail.begun() : overSince);
      } else if (!waiting.contains(this)) {
        waiting.begin(this);
      } else if (shares) {
        changed.awaitNanos(left);
      } else if (heard == waiting.appends()) {
        waiting.awaitAlone(changed, left);
      }
    }
  }

  /** Returns the next available frame, or null. Releases the lock while reading. */
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

  /** Opens the own cursor. */
  private FrameCursor begin() {
    FrameCursor mine = tail.open(Query.of(filter).after(position));
    own = mine;
    if (isClosed) {
      mine.close();
    }
    return mine;
  }

  /**
   * Joins the tail if the own cursor is at the end of the log.
   *
   * @param upTo the position of the cursor
   * @param met the damage that the cursor has found
   * @return whether more frames may be available now
   */
  private boolean catchesUp(FrameCursor mine, Position upTo, List<Damage> met) {
    // A new cursor right after damage could not detect a gap, so an intact batch must come first.
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

  // ---- any thread

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
