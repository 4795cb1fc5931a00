package dev.ralph.spi;

import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The followers that wait, and the news that they wait for. One of them, the scout, is woken to
 * read what is new; those with a cursor of their own are all woken.
 *
 * <p>To be called with the lock, but for {@link #appended()} and {@link #news()}.
 */
final class Waiting {

  static final long UNKNOWN = -1;

  /** Guards what followers say that it does. Never held while reading. */
  final ReentrantLock lock;

  private final Runnable onWaiting;
  private final AtomicBoolean isWatched = new AtomicBoolean();

  /** Those who are in a poll that waits, the one that waits longest first. */
  private final Set<TailFollower> waiting = new LinkedHashSet<>();

  /** How many these are, to be asked without the lock. */
  private volatile int waiters;

  /** How many of them have a cursor of their own, and so have to look by themselves. */
  private int waitingAlone;

  /** Who has to look next, of those who wait. */
  private @Nullable TailFollower scout;

  /** How many times the log may have grown. Counted without the lock. */
  private final AtomicLong news = new AtomicLong();

  /** What that number was before the log was last read to its end. */
  private long looked = UNKNOWN;

  private boolean isLooking;

  Waiting(ReentrantLock lock, Runnable onWaiting) {
    this.lock = lock;
    this.onWaiting = onWaiting;
  }

  void appended() {
    news.incrementAndGet();
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
   * Wakes one of those who wait to look, if there is news and nobody is about to look. The one who
   * looked calls this afterwards.
   */
  private void appointScout() {
    if (scout != null || isLooking || !isNews()) {
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

  long news() {
    return news.get();
  }

  /** Whether the log may have grown since it was last read to its end. */
  boolean isNews() {
    return looked != news.get();
  }

  /** Says that the caller looks now; returns the number of news before that. */
  long beginLooking() {
    scout = null;
    isLooking = true;
    return news.get();
  }

  void endLooking() {
    isLooking = false;
  }

  /** Says that the log was read to its end after so many news, or UNKNOWN. */
  void looked(long heard) {
    looked = heard;
  }

  boolean contains(TailFollower follower) {
    return waiting.contains(follower);
  }

  /** Has a follower woken for what is new from now on. */
  void begin(TailFollower follower) {
    waiting.add(follower);
    waiters = waiting.size();
    if (isWatched.compareAndSet(false, true)) {
      unlocked(onWaiting);
      news.incrementAndGet(); // others may have appended before they were watched
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

  /** Lets go of the lock for as long as that runs. */
  void unlocked(Runnable action) {
    lock.unlock();
    try {
      action.run();
    } finally {
      lock.lock();
    }
  }
}
