package dev.ralph.store.file;

import dev.ralph.log.Appended;
import dev.ralph.log.Batch;
import dev.ralph.log.RalphException;
import dev.ralph.spi.FrameStore;
import dev.ralph.store.support.StoreLock;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Appends that all wait for the store's lock at the same time. The lock is held until each append
 * waits, so that the appends run in the same order every time.
 */
final class HeldBack implements AutoCloseable {

  private static final Duration PATIENCE = Duration.ofMinutes(1);

  private final StoreLock lock;
  private final List<Append> appends = new ArrayList<>();

  /** An append in its own thread, and its outcome. */
  static final class Append {
    final Batch batch;
    private final Thread thread;
    private volatile @Nullable Appended result;
    private volatile @Nullable RalphException failure;

    private Append(FrameStore store, Batch batch) {
      this.batch = batch;
      this.thread =
          new Thread(
              () -> {
                try {
                  result = store.append(batch);
                } catch (RalphException e) {
                  failure = e;
                }
              },
              "append");
      thread.start();
    }

    boolean isDone() {
      return result != null;
    }

    int newFrames() {
      Appended done = result;
      if (done == null) {
        throw new AssertionError("not appended", failure);
      }
      return done.frames().size();
    }

    RalphException.@Nullable Code failure() {
      RalphException failed = failure;
      return failed == null ? null : failed.code();
    }
  }

  private HeldBack(Path directory) {
    lock = StoreLock.open(directory.resolve("lock"));
    lock.acquire();
  }

  /** Holds the lock of a store until {@link #letGo()}. */
  static HeldBack in(Path directory) {
    return new HeldBack(directory);
  }

  /** Starts an append, and returns when it waits for the lock itself. */
  Append alone(FrameStore store, Batch batch) throws InterruptedException {
    Append append = start(store, batch);
    await(() -> isIn(append.thread, StoreLock.class), "the append does not wait for the lock");
    return append;
  }

  /** Starts an action that acquires the lock, and returns when it waits for the lock. */
  Future<?> alone(Runnable work) throws InterruptedException {
    FutureTask<?> task = new FutureTask<>(work, null);
    Thread thread = new Thread(task, "work");
    thread.start();
    await(() -> isIn(thread, StoreLock.class), "the work does not wait for the lock");
    return task;
  }

  /**
   * Starts synced appends that are written as one group. Two other appends precede them, and one of
   * these blocks the committing thread, so that all further appends are queued.
   */
  List<Append> asOneGroup(FrameStore store, List<Batch> batches) throws InterruptedException {
    alone(store, TestLog.batch(TestLog.OTHER, "ahead"));
    start(store, TestLog.batch(TestLog.OTHER, "ahead as well"));
    await(HeldBack::isCommitterWaiting, "no thread commits");
    List<Append> group = new ArrayList<>();
    for (Batch batch : batches) {
      Append append = start(store, batch);
      await(
          () -> !append.thread.isAlive() || append.thread.getState() == Thread.State.WAITING,
          "the append is not queued");
      group.add(append);
    }
    return group;
  }

  private Append start(FrameStore store, Batch batch) {
    Append append = new Append(store, batch);
    appends.add(append);
    return append;
  }

  /** Releases the lock, and returns when all appends have ended. */
  void letGo() throws InterruptedException {
    lock.release();
    for (Append append : appends) {
      append.thread.join(PATIENCE.toMillis());
      if (append.thread.isAlive()) {
        throw new AssertionError("an append does not come to an end");
      }
    }
  }

  @Override
  public void close() {
    lock.close();
  }

  private static boolean isCommitterWaiting() {
    return Thread.getAllStackTraces().keySet().stream()
        .anyMatch(
            thread ->
                thread.getName().equals("ralph-group-commit") && isIn(thread, StoreLock.class));
  }

  private static boolean isIn(Thread thread, Class<?> type) {
    return Arrays.stream(thread.getStackTrace())
        .anyMatch(frame -> frame.getClassName().startsWith(type.getName()));
  }

  private static void await(BooleanSupplier condition, String whatIsWrong)
      throws InterruptedException {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - deadline > 0) {
        throw new AssertionError(whatIsWrong);
      }
      Thread.sleep(1);
    }
  }
}
