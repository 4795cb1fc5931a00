package dev.ralph.core.internal.tool;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;
import javax.annotation.concurrent.GuardedBy;

/** Tells a client every few seconds how far a long call is, from a thread of its own. */
final class Heartbeat {

  private static final Duration PAUSE = Duration.ofSeconds(5);

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition ending = lock.newCondition();

  @GuardedBy("lock")
  private boolean ended;

  /**
   * Begins to tell, at once.
   *
   * @param told what is told
   * @param client whom it is told
   */
  Heartbeat(Supplier<String> told, Consumer<String> client) {
    Thread thread = new Thread(() -> beat(told, client), "ralph-tool-progress");
    thread.setDaemon(true);
    thread.start();
  }

  private void beat(Supplier<String> told, Consumer<String> client) {
    lock.lock();
    try {
      while (!ended) {
        client.accept(told.get());
        boolean unused = ending.await(PAUSE.toMillis(), TimeUnit.MILLISECONDS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      lock.unlock();
    }
  }

  /** Ends it. What is being told is told to its end before this returns. */
  void end() {
    lock.lock();
    try {
      ended = true;
      ending.signal();
    } finally {
      lock.unlock();
    }
  }
}
