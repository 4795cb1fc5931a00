package dev.ralph.web.internal.http;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Threads that end when they have nothing to do. */
final class Threads {

  private static final int IDLE_SECONDS = 10;

  private Threads() {}

  /** Returns at the most so many threads; work beyond them waits. */
  static ExecutorService bounded(String name, int most) {
    ThreadPoolExecutor threads =
        new ThreadPoolExecutor(
            most, most, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), factory(name));
    threads.allowCoreThreadTimeOut(true);
    return threads;
  }

  /** Returns a thread for each piece of work; whoever gives it bounds it. */
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
