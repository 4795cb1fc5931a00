package dev.ralph.tck;

import dev.ralph.tck.internal.TimeLimit;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;

/** Threads that work at the same time, and whose failures are the test's failures. */
final class Crew implements AutoCloseable {

  /** After this long a thread that does not wait in Java is taken to wait in what lies below. */
  private static final Duration TO_WAIT_NATIVELY = Duration.ofMillis(100);

  private final ThreadFactory factory;
  private final List<Thread> threads = new ArrayList<>();
  private final List<FutureTask<?>> tasks = new ArrayList<>();
  private final AtomicReference<Throwable> failure = new AtomicReference<>();

  Crew() {
    this(Thread::new);
  }

  private Crew(ThreadFactory factory) {
    this.factory = factory;
  }

  /** Returns a crew of virtual threads, or of others where a JVM has none. */
  static Crew ofVirtualThreads() {
    try {
      Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
      Class<?> type = Class.forName("java.lang.Thread$Builder");
      return new Crew((ThreadFactory) type.getMethod("factory").invoke(builder));
    } catch (NoSuchMethodException before21) {
      return new Crew();
    } catch (ReflectiveOperationException e) {
      throw new AssertionError(e);
    }
  }

  /** Starts work whose failure {@link #join} tells. */
  void start(String name, Callable<?> work) {
    tasks.add(begin(name, work));
  }

  /** Starts work whose result is wanted. */
  <T> FutureTask<T> call(String name, Callable<T> work) {
    FutureTask<T> task = begin(name, work);
    tasks.add(task);
    return task;
  }

  private <T> FutureTask<T> begin(String name, Callable<T> work) {
    FutureTask<T> task =
        new FutureTask<>(
            () -> {
              try {
                return work.call();
              } catch (Exception | AssertionError e) {
                failure.compareAndSet(null, e);
                throw e;
              }
            });
    Thread thread = factory.newThread(task);
    thread.setName("tck-" + name);
    thread.setDaemon(true);
    threads.add(thread);
    thread.start();
    return task;
  }

  /**
   * Starts the work and returns when its thread waits for something. A thread that waits natively,
   * as in a selector, looks as if it ran; so what follows must be right whether it waits or not.
   */
  <T> FutureTask<T> startWaiting(Callable<T> work) throws InterruptedException {
    CountDownLatch started = new CountDownLatch(1);
    FutureTask<T> task =
        call(
            "waiting",
            () -> {
              started.countDown();
              return work.call();
            });
    Thread thread = threads.get(threads.size() - 1);
    started.await();
    TimeLimit natively = TimeLimit.in(TO_WAIT_NATIVELY);
    TimeLimit.await(
        "the thread does not wait, but is blocked",
        () ->
            thread.getState() == Thread.State.TIMED_WAITING
                || thread.getState() == Thread.State.WAITING
                || thread.getState() == Thread.State.RUNNABLE && natively.left().isZero()
                || task.isDone());
    return task;
  }

  List<Thread> threads() {
    return threads;
  }

  /** Waits until all are done, or until one of them has failed, and fails as that one did. */
  void join() throws Exception {
    TimeLimit.await(
        "a thread hangs", () -> failure.get() != null || tasks.stream().allMatch(Future::isDone));
    if (failure.get() != null) {
      throw new AssertionError("a thread failed: " + failure.get(), failure.get());
    }
  }

  static <T> T await(FutureTask<T> task, Duration patience) throws Exception {
    try {
      return task.get(patience.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException failed) {
      throw new AssertionError("a thread failed: " + failed.getCause(), failed.getCause());
    } catch (TimeoutException tooLong) {
      throw new AssertionError("a thread hangs", tooLong);
    }
  }

  @Override
  public void close() {
    threads.forEach(Thread::interrupt);
  }
}
