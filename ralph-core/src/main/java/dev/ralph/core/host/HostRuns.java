package dev.ralph.core.host;

import dev.ralph.log.Follower;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** The runs of a host, from its beginning to its end. Safe for use by many threads. */
final class HostRuns {

  private final int most;

  /** Guards what follows; nothing is called while it is held that may wait. */
  private final ReentrantLock lock = new ReentrantLock();

  private final Condition changed = lock.newCondition();
  private final Map<String, SessionRun> runs = new HashMap<>();
  private final Map<String, Instant> notBefore = new HashMap<>();
  private @Nullable Follower follower;
  private @Nullable Error error;
  private boolean closing;
  private boolean running;

  /**
   * @param most how many at the same time
   */
  HostRuns(int most) {
    this.most = most;
  }

  /** The host begins. */
  void begin() {
    lock.lock();
    try {
      running = true;
    } finally {
      lock.unlock();
    }
  }

  boolean isClosing() {
    lock.lock();
    try {
      return closing;
    } finally {
      lock.unlock();
    }
  }

  /** Sets what waits for changes of the log, to be woken when something changes here; or null. */
  void follow(@Nullable Follower next) {
    lock.lock();
    try {
      follower = next;
    } finally {
      lock.unlock();
    }
  }

  /** Waits a second, or until something changes. */
  void pause() throws InterruptedException {
    lock.lock();
    try {
      if (!closing) {
        changed.awaitNanos(TimeUnit.SECONDS.toNanos(1));
      }
    } finally {
      lock.unlock();
    }
  }

  /** Returns whether a session may be taken: it is not, there is a place, and no end. */
  boolean hasSeat(String session) {
    lock.lock();
    try {
      return !closing && runs.size() < most && !runs.containsKey(session);
    } finally {
      lock.unlock();
    }
  }

  /** Returns when a session may be tried again. */
  Instant notBefore(String session) {
    lock.lock();
    try {
      return notBefore.getOrDefault(session, Instant.MIN);
    } finally {
      lock.unlock();
    }
  }

  /** Starts a run, unless the host ends. */
  void start(SessionRun run) {
    lock.lock();
    try {
      if (closing) {
        return;
      }
      runs.put(run.name(), run);
    } finally {
      lock.unlock();
    }
    run.start();
  }

  /**
   * Takes note that a run has ended.
   *
   * @param thrown what it must not throw, which ends the host; or null
   * @param next when its session may be tried again
   */
  void ended(SessionRun run, @Nullable Error thrown, Instant next) {
    lock.lock();
    try {
      runs.remove(run.name());
      notBefore.put(run.name(), next);
      if (thrown != null && error == null) {
        error = thrown;
        closing = true;
      }
      wake();
    } finally {
      lock.unlock();
    }
  }

  private void wake() {
    changed.signalAll();
    if (follower != null) {
      follower.wakeup();
    }
  }

  /** Ends all runs soon, and lets none begin. */
  void cancel() {
    List<SessionRun> all;
    lock.lock();
    try {
      closing = true;
      all = List.copyOf(runs.values());
      wake();
    } finally {
      lock.unlock();
    }
    all.forEach(SessionRun::cancel);
  }

  /**
   * Waits until all runs have ended; the host has then. An interrupt does not cut that short.
   *
   * @return what a run has thrown, or null
   */
  @Nullable Error finish() {
    boolean interrupted = false;
    lock.lock();
    try {
      while (!runs.isEmpty()) {
        interrupted |= isInterruptedWhileWaiting();
      }
      running = false;
      changed.signalAll();
      return error;
    } finally {
      lock.unlock();
      restore(interrupted);
    }
  }

  /** Waits until the host has ended, unless it is a thread of a run that asks. */
  void awaitEnd() {
    boolean interrupted = false;
    lock.lock();
    try {
      while (running && runs.values().stream().noneMatch(SessionRun::isCurrentThread)) {
        interrupted |= isInterruptedWhileWaiting();
      }
    } finally {
      lock.unlock();
      restore(interrupted);
    }
  }

  private boolean isInterruptedWhileWaiting() {
    try {
      changed.await();
      return false;
    } catch (InterruptedException e) {
      return true;
    }
  }

  private static void restore(boolean interrupted) {
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
