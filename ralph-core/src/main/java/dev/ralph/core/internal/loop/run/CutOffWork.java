package dev.ralph.core.internal.loop.run;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import javax.annotation.concurrent.GuardedBy;
import org.jspecify.annotations.Nullable;

/**
 * Work on a thread of an executor. A second thread waits for the work, and may cancel the work. An
 * interrupt of the work is cleared at its end, because the thread may belong to the host.
 */
public final class CutOffWork<T> {

  /** The cause of the end of a wait. */
  public enum Cause {
    /** The work has ended, successfully or not. */
    DONE,
    /** The time limit was reached. */
    TIMEOUT,
    /** The work or the loop was cancelled. */
    CANCELLED
  }

  private static final long TICK_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final Executor executor;
  private final Callable<T> work;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();

  /** The thread that submits the work, during the submission. */
  private volatile @Nullable Thread starter;

  /** The thread that runs the work, during the run. */
  private volatile @Nullable Thread thread;

  // Written by the thread that holds the lock; the result is written before the end.
  private volatile boolean begun;
  private volatile boolean done;
  private volatile @Nullable T value;
  private volatile @Nullable Throwable failure;

  @GuardedBy("lock")
  private boolean interrupted;

  @GuardedBy("lock")
  private @Nullable Runnable afterwards;

  public CutOffWork(Executor executor, Callable<T> work) {
    this.executor = executor;
    this.work = work;
  }

  /** Returns an executor that runs each work on a new daemon thread with a name. */
  public static Executor ownThread(String name) {
    return work -> {
      Thread thread = new Thread(work, name);
      thread.setDaemon(true);
      thread.start();
    };
  }

  /**
   * Submits the work.
   *
   * @throws RejectedExecutionException if the executor rejects the work, or runs it in the calling
   *     thread, which could not be cancelled
   */
  public void start() {
    starter = Thread.currentThread();
    try {
      executor.execute(this::run);
    } finally {
      starter = null;
    }
    if (failure() instanceof RejectedExecutionException refused && !hasBegun()) {
      throw refused;
    }
  }

  private void run() {
    if (!begin()) {
      return;
    }
    T made = null;
    Throwable thrown = null;
    try {
      made = work.call();
    } catch (Throwable anything) {
      thrown = anything;
    }
    Runnable next = end(made, thrown);
    if (next != null) {
      next.run();
    }
  }

  private boolean begin() {
    lock.lock();
    try {
      if (begun || done) {
        return false; // cancelled before, or run a second time
      }
      if (Thread.currentThread() == starter) {
        failure =
            new RejectedExecutionException(
                "the executor runs work in the calling thread, so the work can't be ended");
        done = true;
        return false;
      }
      begun = true;
      thread = Thread.currentThread();
      return true;
    } finally {
      lock.unlock();
    }
  }

  private @Nullable Runnable end(@Nullable T made, @Nullable Throwable thrown) {
    lock.lock();
    try {
      thread = null;
      if (interrupted) {
        Thread.interrupted();
      }
      value = made;
      failure = thrown;
      done = true;
      changed.signalAll();
      return afterwards;
    } finally {
      lock.unlock();
    }
  }

  /** Runs an action on the thread of the work at its end, or immediately if the work has ended. */
  public void whenDone(Runnable next) {
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
   * Waits until the work ends, its time limit is reached, or it is cancelled. An interrupt of the
   * waiting thread cancels the loop.
   *
   * @param time the time source of the limit
   * @param loop the cancellation of the loop
   * @param own the cancellation of this work alone
   * @param tick called about every second during the wait
   */
  public Cause await(
      LoopClock time, TimeBox limit, Cancellation loop, Cancellation own, Runnable tick) {
    Runnable waker = this::signal;
    time.wake(waker);
    loop.wake(waker);
    own.wake(waker);
    try {
      while (true) {
        if (awaitOnce(limit, loop, own)) {
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
      time.forget(waker);
      loop.forget(waker);
      own.forget(waker);
    }
  }

  /** Waits once; returns whether the work has ended. */
  private boolean awaitOnce(TimeBox limit, Cancellation loop, Cancellation own) {
    lock.lock();
    try {
      long nanos = Math.min(limit.waitNanos(), TICK_NANOS);
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

  /** Interrupts the work, or prevents its start. */
  public void interrupt() {
    lock.lock();
    try {
      Thread running = thread;
      if (running != null) {
        interrupted = true;
        running.interrupt();
      } else {
        done = true;
        changed.signalAll();
      }
    } finally {
      lock.unlock();
    }
  }

  public boolean isDone() {
    return done;
  }

  /** Waits until the work ends, for at most the limit, regardless of interrupts. */
  public boolean awaitEnd(Duration limit) {
    TimeBox box = LoopClock.MACHINE.box(limit);
    boolean wasInterrupted = false;
    lock.lock();
    try {
      while (!done && !box.isUp()) {
        try {
          changed.awaitNanos(box.waitNanos());
        } catch (InterruptedException keptForLater) {
          wasInterrupted = true;
        }
      }
      return done;
    } finally {
      lock.unlock();
      if (wasInterrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  boolean isCurrentThread() {
    return Thread.currentThread() == thread;
  }

  /** Returns whether a thread has started the work. */
  public boolean hasBegun() {
    return begun;
  }

  /** Returns the result of the work, or null if it has not ended or has failed. */
  public @Nullable T value() {
    return value;
  }

  /** Returns the exception of the work, or null. */
  public @Nullable Throwable failure() {
    return failure;
  }
}
