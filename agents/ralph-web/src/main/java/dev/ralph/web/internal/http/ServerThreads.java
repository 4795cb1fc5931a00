package dev.ralph.web.internal.http;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Creates thread pools whose idle threads end. */
final class ServerThreads {

  private static final int IDLE_SECONDS = 10;

  private ServerThreads() {}

  /**
   * Returns a pool with a limit of threads; further work waits. A thread is added only if no thread
   * is idle, because few busy threads have warm caches.
   */
  static ThreadPoolExecutor bounded(String name, int most) {
    Waiting waiting = new Waiting();
    return new ThreadPoolExecutor(
        0,
        most,
        IDLE_SECONDS,
        TimeUnit.SECONDS,
        waiting,
        factory(name),
        (work, threads) -> waiting.add(work, threads));
  }

  /** The queue of the work. */
  private static final class Waiting extends LinkedTransferQueue<Runnable> {

    private static final long serialVersionUID = 1L;

    /** Accepts work only if an idle thread waits. Otherwise the pool adds a thread. */
    @Override
    public boolean offer(Runnable work) {
      return tryTransfer(work);
    }

    /** Enqueues work when the pool has all its threads. */
    void add(Runnable work, ThreadPoolExecutor threads) {
      if (threads.isShutdown() || !super.offer(work)) {
        throw new RejectedExecutionException("the executor is closed");
      }
    }
  }

  /** Returns a pool with a thread per piece of work. The caller limits the work. */
  static ExecutorService unbounded(String name) {
    return new ThreadPoolExecutor(
        0,
        Integer.MAX_VALUE,
        IDLE_SECONDS,
        TimeUnit.SECONDS,
        new SynchronousQueue<>(),
        factory(name));
  }

  private static ThreadFactory factory(String name) {
    AtomicInteger count = new AtomicInteger();
    return task -> {
      Thread thread = new Thread(task, name + "-" + count.incrementAndGet());
      thread.setDaemon(true);
      return thread;
    };
  }
}
