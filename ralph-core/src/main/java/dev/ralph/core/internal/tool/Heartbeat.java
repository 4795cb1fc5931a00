package dev.ralph.core.internal.tool;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;
import javax.annotation.concurrent.GuardedBy;

/** Reports the progress of a long call to a client every few seconds, in a separate thread. */
final class Heartbeat {

  private static final Duration PAUSE = Duration.ofSeconds(5);

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition ending = lock.newCondition();

  @GuardedBy("lock")
  private boolean ended;

  /**
   * Starts reporting, with a first report immediately.
   *
   * @param report supplies the report
   * @param client receives the report
   */
  Heartbeat(Supplier<String> report, Consumer<String> client) {
    Thread thread = new Thread(() -> beat(report, client), "ralph-tool-progress");
    thread.setDaemon(true);
    thread.start();
  }

  private void beat(Supplier<String> report, Consumer<String> client) {
    lock.lock();
    try {
      while (!ended) {
        client.accept(report.get());
        boolean unused = ending.await(PAUSE.toMillis(), TimeUnit.MILLISECONDS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      lock.unlock();
    }
  }

  /** Stops reporting, after a report in progress has ended. */
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
