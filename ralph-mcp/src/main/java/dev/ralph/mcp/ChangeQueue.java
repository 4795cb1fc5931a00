package dev.ralph.mcp;

import java.util.ArrayDeque;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Runs calls that change something one after the other, in the order in which they were added. Safe
 * for use by many threads.
 */
final class ChangeQueue {

  private final Executor workers;
  private final ReentrantLock lock = new ReentrantLock();
  private final ArrayDeque<Runnable> waiting = new ArrayDeque<>();
  private boolean running;

  /**
   * @param workers run the calls, one of them at a time
   */
  ChangeQueue(Executor workers) {
    this.workers = workers;
  }

  /**
   * Adds a call.
   *
   * @param call must not throw
   */
  void add(Runnable call) {
    lock.lock();
    try {
      waiting.add(call);
      if (running) {
        return;
      }
      running = true;
    } finally {
      lock.unlock();
    }
    workers.execute(this::runAll);
  }

  /** Returns a latch that opens when all calls that were added so far have run. */
  CountDownLatch passed() {
    lock.lock();
    try {
      CountDownLatch passed = new CountDownLatch(running ? 1 : 0);
      if (running) {
        waiting.add(passed::countDown);
      }
      return passed;
    } finally {
      lock.unlock();
    }
  }

  private void runAll() {
    for (Runnable call = next(); call != null; call = next()) {
      call.run();
    }
  }

  private @Nullable Runnable next() {
    lock.lock();
    try {
      Runnable next = waiting.poll();
      running = next != null;
      return next;
    } finally {
      lock.unlock();
    }
  }
}
