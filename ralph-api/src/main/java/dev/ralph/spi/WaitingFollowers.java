package dev.ralph.spi;

import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The waiting followers, and the number of appends so far. An append wakes one follower that shares
 * the tail, the scout, to read for all of them, and each follower with an own cursor.
 *
 * <p>Callers hold the lock, except for {@link #appended()} and {@link #appends()}.
 */
final class WaitingFollowers {

  static final long UNKNOWN = -1;

  /** The lock of {@link Followers}. Never held while reading. */
  final ReentrantLock lock;

  private final Runnable onWaiting;
  private final AtomicBoolean isWatched = new AtomicBoolean();

  /** The followers in a waiting poll, the longest waiting follower first. */
  private final Set<TailFollower> waiting = new LinkedHashSet<>();

  /** The number of waiting followers, for reads without the lock. */
  private volatile int waiters;

  /** The number of waiting followers with an own cursor. */
  private int waitingAlone;

  /** The waiting follower that reads next, or null. */
  private @Nullable TailFollower scout;

  /** The number of notified appends. Counted without the lock. */
  private final AtomicLong appends = new AtomicLong();

  /** The number of appends before the last read that reached the end of the log. */
  private long looked = UNKNOWN;

  private boolean isReading;

  WaitingFollowers(ReentrantLock lock, Runnable onWaiting) {
    this.lock = lock;
    this.onWaiting = onWaiting;
  }

  void appended() {
    appends.incrementAndGet();
    if (waiters > 0) {
      lock.lock();
      try {
        signalThoseAlone();
        appointScout();
      } finally {
        lock.unlock();
      }
    }
  }

  private void signalThoseAlone() {
    if (waitingAlone > 0) {
      waiting.forEach(TailFollower::signalIfAlone);
    }
  }

  /**
   * Wakes one waiting follower to read, if the log may have grown and no follower reads. Called
   * again after each read.
   */
  private void appointScout() {
    if (scout != null || isReading || !mayHaveGrown()) {
      return;
    }
    for (TailFollower follower : waiting) {
      if (follower.isSharing()) {
        scout = follower;
        follower.signal();
        return;
      }
    }
  }

  long appends() {
    return appends.get();
  }

  /** Returns whether the log may have grown since the last read up to the end. */
  boolean mayHaveGrown() {
    return looked != appends.get();
  }

  /** Marks the begin of a read, and returns the number of appends before it. */
  long beginRead() {
    scout = null;
    isReading = true;
    return appends.get();
  }

  void endRead() {
    isReading = false;
  }

  /** Records the number of appends before a read that reached the end of the log, or UNKNOWN. */
  void looked(long heard) {
    looked = heard;
  }

  boolean contains(TailFollower follower) {
    return waiting.contains(follower);
  }

  /** Adds a waiting follower. */
  void begin(TailFollower follower) {
    waiting.add(follower);
    waiters = waiting.size();
    if (isWatched.compareAndSet(false, true)) {
      unlocked(onWaiting);
      appends.incrementAndGet(); // others may have appended before they were watched
    }
  }

  void awaitAlone(Condition changed, long nanos) throws InterruptedException {
    waitingAlone++;
    try {
      changed.awaitNanos(nanos);
    } finally {
      waitingAlone--;
    }
  }

  void end(TailFollower follower) {
    if (waiting.remove(follower)) {
      waiters = waiting.size();
    }
    if (scout == follower) {
      scout = null;
    }
    appointScout();
  }

  /** Releases the lock while the action runs. */
  void unlocked(Runnable action) {
    lock.unlock();
    try {
      action.run();
    } finally {
      lock.lock();
    }
  }
}
