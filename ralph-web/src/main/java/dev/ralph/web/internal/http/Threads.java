package dev.ralph.web.internal.http;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Threads that end when they have nothing to do. */
final class Threads {

  private static final int IDLE_SECONDS = 10;

  private Threads() {}

  /**
   * Returns at the most so many threads; work beyond them waits. Another one begins only where none
   * of those that are there is idle: what runs on few threads finds them warm.
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

  /** What an idle thread takes, and what waits for one. */
  private static final class Waiting extends LinkedTransferQueue<Runnable> {

    private static final long serialVersionUID = 1L;

    /** Takes work only if an idle thread waits for it; else another one is begun. */
    @Override
    public boolean offer(Runnable work) {
      return tryTransfer(work);
    }

    /** Takes work when there are threads enough. */
    void add(Runnable work, ThreadPoolExecutor threads) {
      if (threads.isShutdown() || !super.offer(work)) {
        throw new RejectedExecutionException("no work is taken any more");
      }
    }
  }

  /** Returns a thread for each piece of work; the caller bounds it. */
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
