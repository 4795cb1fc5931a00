package dev.ralph.core.internal.loop;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import javax.annotation.Nullable;

/** One piece of work on a thread of its own, that another thread waits for and may cut off. */
final class Worker<T> {

  /** Why waiting ended. */
  enum Cause {
    /** The work is done, well or not. */
    DONE,
    /** Its time was up. */
    TIMEOUT,
    /** The work or the loop was cancelled. */
    CANCELLED
  }

  private static final long TICK_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final Thread thread;
  private boolean done;
  @Nullable private T value;
  @Nullable private Throwable failure;
  @Nullable private Runnable afterwards;

  Worker(String name, Callable<T> work) {
    thread = new Thread(() -> work(work), name);
    thread.setDaemon(true);
  }

  void start() {
    thread.start();
  }

  private void work(Callable<T> work) {
    T made = null;
    Throwable thrown = null;
    try {
      made = work.call();
    } catch (Throwable anything) {
      thrown = anything;
    }
    Runnable next;
    lock.lock();
    try {
      done = true;
      value = made;
      failure = thrown;
      next = afterwards;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    if (next != null) {
      // The interrupt was for the work.
      Thread.interrupted();
      next.run();
    }
  }

  /** Runs what is to follow, on the thread of the work when that is done; here if it is. */
  void whenDone(Runnable next) {
    lock.lock();
    try {
      if (!done) {
        afterwards = next;
        return;
      }
    } finally {
      lock.unlock();
    }
    next.run();
  }

  /**
   * Waits until the work is done, its time is up, or it is cancelled. An interrupt of the waiting
   * thread cancels the loop.
   *
   * @param loop the cancellation of the loop
   * @param own the cancellation of this work alone
   * @param tick called about every second meanwhile
   */
  Cause await(TimeBox limit, Cancellation loop, Cancellation own, Runnable tick) {
    Runnable waker = this::signal;
    loop.wake(waker);
    own.wake(waker);
    try {
      while (true) {
        if (awaitOnce(Math.min(limit.leftNanos(), TICK_NANOS), loop, own)) {
          return Cause.DONE;
        }
        if (loop.isRequested() || own.isRequested()) {
          return Cause.CANCELLED;
        }
        if (limit.isUp()) {
          return Cause.TIMEOUT;
        }
        tick.run();
      }
    } finally {
      loop.forget(waker);
      own.forget(waker);
    }
  }

  /** Waits once; returns whether the work is done. */
  private boolean awaitOnce(long nanos, Cancellation loop, Cancellation own) {
    lock.lock();
    try {
      if (!done && !loop.isRequested() && !own.isRequested() && nanos > 0) {
        changed.awaitNanos(nanos);
      }
      return done;
    } catch (InterruptedException e) {
      loop.interrupted();
      return false;
    } finally {
      lock.unlock();
    }
  }

  private void signal() {
    lock.lock();
    try {
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Interrupts the work. */
  void interrupt() {
    thread.interrupt();
  }

  /** Waits until the thread has ended, for so long at the most, interrupted or not. */
  boolean awaitEnd(Duration limit) {
    TimeBox box = TimeBox.of(limit);
    boolean interrupted = false;
    while (thread.isAlive() && !box.isUp()) {
      try {
        TimeUnit.NANOSECONDS.timedJoin(thread, box.leftNanos());
      } catch (InterruptedException keptForLater) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    return !thread.isAlive();
  }

  boolean isCurrentThread() {
    return Thread.currentThread() == thread;
  }

  /** Returns what the work made, or null if it is not done or failed. */
  @Nullable
  T value() {
    lock.lock();
    try {
      return value;
    } finally {
      lock.unlock();
    }
  }

  /** Returns what the work threw, or null. */
  @Nullable
  Throwable failure() {
    lock.lock();
    try {
      return failure;
    } finally {
      lock.unlock();
    }
  }
}
