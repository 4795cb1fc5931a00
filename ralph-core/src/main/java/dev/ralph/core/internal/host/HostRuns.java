package dev.ralph.core.internal.host;

import dev.ralph.log.Follower;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** The runs of a host, and the state of the host. Safe for use by many threads. */
final class HostRuns {

  private final int most;

  /** Guards the following fields. No blocking method is called under this lock. */
  private final ReentrantLock lock = new ReentrantLock();

  private final Condition changed = lock.newCondition();
  private final Map<String, SessionRun> runs = new HashMap<>();
  private final Map<String, Instant> notBefore = new HashMap<>();
  private @Nullable Follower follower;
  private @Nullable Error error;
  private boolean closing;
  private boolean running;

  /**
   * @param most the maximum number of concurrent runs
   */
  HostRuns(int most) {
    this.most = most;
  }

  /** Records the start of the host. */
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

  /**
   * Sets the follower that waits for changes of the log, to wake it after changes here; or null.
   */
  void follow(@Nullable Follower next) {
    lock.lock();
    try {
      follower = next;
    } finally {
      lock.unlock();
    }
  }

  /** Waits for a change, for at most a second. */
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

  /**
   * Returns whether the host may take a session: the host is not closing, has a free run, and does
   * not run the session.
   */
  boolean hasSeat(String session) {
    lock.lock();
    try {
      return !closing && runs.size() < most && !runs.containsKey(session);
    } finally {
      lock.unlock();
    }
  }

  /** Returns the earliest time at which the host may take a session again. */
  Instant notBefore(String session) {
    lock.lock();
    try {
      return notBefore.getOrDefault(session, Instant.MIN);
    } finally {
      lock.unlock();
    }
  }

  /** Starts a run, unless the host is closing. */
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
   * Records the end of a run.
   *
   * @param thrown an unexpected error, which ends the host; or null
   * @param next the earliest time at which the host may take the session again
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

  /** Cancels all runs, and prevents new ones. */
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
   * Waits until all runs have ended, and records the end of the host. An interrupt does not shorten
   * the wait.
   *
   * @return the error thrown by a run, or null
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

  /** Waits for the end of the host. Returns at once on a run's own thread. */
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
