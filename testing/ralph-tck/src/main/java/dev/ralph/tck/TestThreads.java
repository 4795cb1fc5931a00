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

/** Threads of a test; a failure in a thread fails the test. */
final class TestThreads implements AutoCloseable {

  /** The time after which a running thread is taken to wait in native code. */
  private static final Duration TO_WAIT_NATIVELY = Duration.ofMillis(100);

  private final ThreadFactory factory;
  private final List<Thread> threads = new ArrayList<>();
  private final List<FutureTask<?>> tasks = new ArrayList<>();
  private final AtomicReference<Throwable> failure = new AtomicReference<>();

  TestThreads() {
    this(Thread::new);
  }

  private TestThreads(ThreadFactory factory) {
    this.factory = factory;
  }

  /** Returns an instance with virtual threads, or with platform threads before Java 21. */
  static TestThreads ofVirtualThreads() {
    try {
      Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
      Class<?> type = Class.forName("java.lang.Thread$Builder");
      return new TestThreads((ThreadFactory) type.getMethod("factory").invoke(builder));
    } catch (NoSuchMethodException before21) {
      return new TestThreads();
    } catch (ReflectiveOperationException e) {
      throw new AssertionError(e);
    }
  }

  /** Starts work; {@link #join} reports the failure. */
  void start(String name, Callable<?> work) {
    tasks.add(begin(name, work));
  }

  /** Starts work and returns its result as a future. */
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
   * Starts work and returns when its thread waits. A thread that waits in native code, for example
   * in a selector, is reported as running, so the caller must not rely on the wait.
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
        "the thread is blocked instead of waiting",
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

  /** Waits for all work, and fails with the first failure. */
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
