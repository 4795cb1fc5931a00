package dev.ralph.store.support.internal.segment;

import dev.ralph.log.Appended;
import dev.ralph.log.LockedException;
import dev.ralph.log.RalphException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Lets concurrent appends share a sync.
 *
 * <p>The calling thread writes an append without a sync, because a thread switch would cost more
 * than the append. The calling thread also writes and syncs an append if no other append is
 * running. Otherwise a background thread writes all waiting appends and syncs once. The background
 * thread ends when it is idle. Every waiting caller is released, even if the thread fails.
 */
public final class GroupCommit<R extends PendingAppend> {

  private static final int MOST_IN_GROUP = 256;
  private static final long IDLE_MILLIS = 200;
  private static final int LONELY_GROUPS = 8;

  private final Committer<R> committer;
  private final LinkedBlockingQueue<Waiting<R>> queue = new LinkedBlockingQueue<>();
  private final AtomicBoolean alone = new AtomicBoolean();
  private final ReentrantLock threadLock = new ReentrantLock();

  private volatile boolean grouping;
  private boolean closed;
  private @Nullable Thread thread;

  /** Writes appends and makes them durable. */
  public interface Committer<R extends PendingAppend> {

    /**
     * Writes each batch separately. Afterwards each append has a result or a failure.
     *
     * @param since the time at which the first caller began to wait, as {@link System#nanoTime};
     *     see {@link StoreLock#acquire(long)}
     */
    void write(Collection<R> appends, long since);

    /** Makes the written appends durable; appends that can't be synced get a failure. */
    void sync(Collection<R> appends);
  }

  private static final class Waiting<R extends PendingAppend> {
    final R request;
    final long since;
    final Thread caller = Thread.currentThread();
    volatile boolean done;

    Waiting(R request, long since) {
      this.request = request;
      this.since = since;
    }

    boolean isFinished() {
      return done;
    }

    void finish() {
      done = true;
      LockSupport.unpark(caller);
    }
  }

  /** Creates a group commit over a committer. */
  public GroupCommit(Committer<R> committer) {
    this.committer = committer;
  }

  /**
   * Carries out an append.
   *
   * @return the result of the append
   * @throws RalphException the failure of the append; CLOSED after {@link #close()}
   */
  public Appended append(R request) {
    long since = System.nanoTime();
    if (!request.batch().isSynced()) {
      commit(List.of(request), since, false);
    } else if (!grouping && alone.compareAndSet(false, true)) {
      try {
        commit(List.of(request), since, true);
      } finally {
        alone.set(false);
      }
    } else {
      await(new Waiting<>(request, since));
    }
    return request.outcome();
  }

  /** Writes and syncs. Any throwable leaves the outcome of all these appends open. */
  private void commit(List<R> requests, long since, boolean sync) {
    try {
      committer.write(requests, since);
      if (sync) {
        committer.sync(requests);
      }
    } catch (Throwable e) {
      for (R request : requests) {
        request.leaveOpen(e);
      }
    }
  }

  private void await(Waiting<R> waiting) {
    enqueue(waiting);
    boolean interrupted = false;
    while (!waiting.done) {
      LockSupport.park(this);
      interrupted |= Thread.interrupted();
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private void enqueue(Waiting<R> waiting) {
    threadLock.lock();
    try {
      if (closed) {
        throw RalphException.closed("the store");
      }
      if (thread == null) {
        List<Waiting<R>> group = new ArrayList<>(MOST_IN_GROUP);
        Thread started = new Thread(() -> run(group), "ralph-group-commit");
        started.setDaemon(true);
        started.start();
        thread = started;
      }
      queue.add(waiting);
    } finally {
      threadLock.unlock();
    }
  }

  private void run(List<Waiting<R>> group) {
    try {
      serve(group);
    } catch (Throwable e) {
      giveUp(group, e);
    }
  }

  private void serve(List<Waiting<R>> group) {
    int lonely = 0;
    while (true) {
      Waiting<R> first = poll();
      if (first == null) {
        if (mayEnd()) {
          return;
        }
        continue;
      }
      group.add(first);
      queue.drainTo(group, MOST_IN_GROUP - 1);
      lonely = group.size() > 1 ? 0 : lonely + 1;
      grouping = lonely < LONELY_GROUPS;
      while (!group.isEmpty()) {
        carryOut(group);
        group.removeIf(Waiting::isFinished);
      }
    }
  }

  private @Nullable Waiting<R> poll() {
    try {
      return queue.poll(IDLE_MILLIS, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      return null; // the store is being closed
    }
  }

  private boolean mayEnd() {
    threadLock.lock();
    try {
      grouping = false;
      if (!queue.isEmpty()) {
        return false;
      }
      thread = null;
      return true;
    } finally {
      threadLock.unlock();
    }
  }

  /**
   * Releases all callers when the thread ends by a failure. The next append starts a new thread.
   */
  private void giveUp(List<Waiting<R>> group, Throwable cause) {
    threadLock.lock();
    try {
      grouping = false;
      thread = null;
      for (Waiting<R> waiting : group) {
        giveUp(waiting, cause);
      }
      for (Waiting<R> next = queue.poll(); next != null; next = queue.poll()) {
        giveUp(next, cause);
      }
    } finally {
      threadLock.unlock();
    }
  }

  private static void giveUp(Waiting<?> waiting, Throwable cause) {
    try {
      waiting.request.leaveOpen(new IllegalStateException("the writing thread ended", cause));
    } catch (Throwable e) {
      cause.addSuppressed(e); // the append has no outcome, and outcome() throws
    } finally {
      waiting.finish();
    }
  }

  /** Writes and syncs a group. Finishes every append with an outcome, even after a failure. */
  private void carryOut(List<Waiting<R>> group) {
    List<R> requests = new ArrayList<>(group.size());
    long since = group.get(0).since;
    for (Waiting<R> waiting : group) {
      requests.add(waiting.request);
    }
    commit(requests, since, true);
    for (Waiting<R> waiting : group) {
      boolean cameLater = waiting.since - since > 0;
      if (cameLater && waiting.request.failure() instanceof LockedException) {
        // the lock timed out for the first append, which began to wait earlier
        waiting.request.retry();
      } else {
        waiting.finish();
      }
    }
  }

  /** Rejects further appends, and waits until the thread has completed its work and ended. */
  public void close() {
    Thread running;
    threadLock.lock();
    try {
      closed = true;
      running = thread;
    } finally {
      threadLock.unlock();
    }
    boolean interrupted = false;
    while (running != null && running.isAlive()) {
      try {
        running.interrupt(); // the thread may wait for further appends
        running.join(IDLE_MILLIS);
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
