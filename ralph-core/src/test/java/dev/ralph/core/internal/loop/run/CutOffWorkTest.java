package dev.ralph.core.internal.loop.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ralph.AgentResult;
import dev.ralph.Loop;
import dev.ralph.LoopResult;
import dev.ralph.Ralph;
import dev.ralph.Session;
import dev.ralph.StopReason;
import dev.ralph.core.internal.loop.run.CutOffWork.Cause;
import java.lang.reflect.Method;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Work that is cut off or outlives its loop, on each kind of host thread. */
@Timeout(300)
class CutOffWorkTest {

  /** A kind of threads; closing {@code end} ends them. */
  private record Threads(String name, Executor executor, AutoCloseable end) {

    @Override
    public String toString() {
      return name;
    }
  }

  private static final AutoCloseable NOTHING = () -> {};

  /** Own threads, a thread pool and, on later JDKs, virtual threads. */
  static Stream<Threads> threads() throws Exception {
    List<Threads> all = new ArrayList<>();
    all.add(new Threads("own thread", CutOffWork.ownThread("work"), NOTHING));
    ExecutorService pool = Executors.newCachedThreadPool();
    all.add(new Threads("pool", pool, pool::shutdownNow));
    Method virtual = virtualThreads();
    if (virtual != null) {
      ExecutorService each = (ExecutorService) virtual.invoke(null);
      all.add(new Threads("virtual threads", each, each::shutdownNow));
    }
    return all.stream();
  }

  /** Returns the factory method for virtual threads, or null before JDK 21. */
  private static @Nullable Method virtualThreads() {
    try {
      return Executors.class.getMethod("newVirtualThreadPerTaskExecutor");
    } catch (NoSuchMethodException earlierJdk) {
      return null;
    }
  }

  @TempDir Path folder;

  private final CountDownLatch begun = new CountDownLatch(1);
  private final CountDownLatch mayEnd = new CountDownLatch(1);
  private final Cancellation loop = new Cancellation();
  private final Cancellation own = new Cancellation();
  private final HandClock clock = new HandClock();
  private final LoopClock time = LoopClock.of(clock);

  @AfterEach
  void letGo() {
    mayEnd.countDown();
  }

  private static void await(CountDownLatch latch) throws InterruptedException {
    assertThat(latch.await(60, TimeUnit.SECONDS)).isTrue();
  }

  private String stubborn() {
    begun.countDown();
    while (true) {
      try {
        mayEnd.await();
        return "late";
      } catch (InterruptedException ignored) {
        // ignores the interrupt
      }
    }
  }

  private Cause await(CutOffWork<?> work, TimeBox limit) {
    return work.await(time, limit, loop, own, () -> {});
  }

  @ParameterizedTest
  @MethodSource("threads")
  void endedWork_hasItsValueOrFailure(Threads threads) throws Exception {
    CutOffWork<String> good = new CutOffWork<>(threads.executor(), () -> "made");
    IllegalStateException fault = new IllegalStateException("odd");
    Callable<String> failing =
        () -> {
          throw fault;
        };
    CutOffWork<String> bad = new CutOffWork<>(threads.executor(), failing);
    good.start();
    bad.start();

    assertThat(await(good, time.box(null))).isEqualTo(Cause.DONE);
    assertThat(await(bad, time.box(null))).isEqualTo(Cause.DONE);
    assertThat(good.value()).isEqualTo("made");
    assertThat(good.failure()).isNull();
    assertThat(bad.value()).isNull();
    assertThat(bad.failure()).isSameAs(fault);
    threads.end().close();
  }

  @ParameterizedTest
  @MethodSource("threads")
  void interruptedWork_endsAndLeavesTheThreadClean(Threads threads) throws Exception {
    AtomicReference<Thread> worker = new AtomicReference<>();
    CutOffWork<String> work =
        new CutOffWork<>(
            threads.executor(),
            () -> {
              worker.set(Thread.currentThread());
              begun.countDown();
              while (!Thread.currentThread().isInterrupted()) {
                Thread.onSpinWait();
              }
              return "told to end"; // with the interrupt pending
            });
    AtomicBoolean pending = new AtomicBoolean(true);
    CountDownLatch ended = new CountDownLatch(1);
    work.whenDone(
        () -> {
          pending.set(Thread.currentThread().isInterrupted());
          ended.countDown();
        });
    work.start();
    await(begun);
    own.request("enough");
    assertThat(await(work, time.box(null))).isEqualTo(Cause.CANCELLED);

    work.interrupt();

    assertThat(work.awaitEnd(Duration.ofSeconds(60))).isTrue();
    await(ended);
    assertThat(pending).as("interrupt of the host's thread").isFalse();
    assertThat(work.value()).isEqualTo("told to end");
    threads.end().close();
  }

  @ParameterizedTest
  @MethodSource("threads")
  void workBeyondItsLimit_isLeftBehindUntilItEnds(Threads threads) throws Exception {
    CutOffWork<String> work = new CutOffWork<>(threads.executor(), this::stubborn);
    AtomicInteger calls = new AtomicInteger();
    CountDownLatch ended = new CountDownLatch(1);
    work.start();
    await(begun);
    TimeBox limit = time.box(Duration.ofMinutes(1));
    clock.advance(Duration.ofMinutes(1));

    assertThat(await(work, limit)).isEqualTo(Cause.TIMEOUT);
    work.interrupt();
    assertThat(work.awaitEnd(Duration.ofMillis(20))).isFalse();
    assertThat(work.isDone()).isFalse();
    work.whenDone(
        () -> {
          calls.incrementAndGet();
          ended.countDown();
        });
    assertThat(calls).hasValue(0);

    mayEnd.countDown();
    await(ended);
    assertThat(work.awaitEnd(Duration.ofSeconds(60))).isTrue();
    assertThat(work.value()).isEqualTo("late");
    assertThat(calls).hasValue(1);
    work.whenDone(calls::incrementAndGet);
    assertThat(calls).as("called at once after the end").hasValue(2);
    threads.end().close();
  }

  @Test
  void workThatNoThreadTookUp_neverBegins() {
    AtomicReference<Runnable> taken = new AtomicReference<>();
    AtomicBoolean ran = new AtomicBoolean();
    CutOffWork<String> work =
        new CutOffWork<>(
            taken::set,
            () -> {
              ran.set(true);
              return "made";
            });
    work.start();
    loop.request("closed");
    assertThat(await(work, time.box(null))).isEqualTo(Cause.CANCELLED);

    work.interrupt();
    assertThat(work.isDone()).isTrue();
    taken.get().run();

    assertThat(ran).isFalse();
    assertThat(work.hasBegun()).isFalse();
    assertThat(work.value()).isNull();
  }

  @Test
  void executorOfTheCallingThread_isRejected() {
    CutOffWork<String> work = new CutOffWork<>(Runnable::run, () -> "made");

    assertThatThrownBy(work::start).isInstanceOf(RejectedExecutionException.class);
    assertThat(work.hasBegun()).isFalse();
  }

  @Test
  void workThatTheExecutorRunsTwice_isDoneOnce() throws Exception {
    AtomicInteger runs = new AtomicInteger();
    Executor twice =
        work -> {
          new Thread(work).start();
          new Thread(work).start();
        };
    CutOffWork<Integer> work = new CutOffWork<>(twice, runs::incrementAndGet);
    work.start();

    assertThat(work.awaitEnd(Duration.ofSeconds(60))).isTrue();
    assertThat(work.value()).isEqualTo(1);
    assertThat(runs).hasValue(1);
  }

  @Test
  void interruptOfTheWaitingThread_cancelsTheLoop() throws Exception {
    CutOffWork<String> work = new CutOffWork<>(CutOffWork.ownThread("work"), this::stubborn);
    work.start();
    await(begun);
    Thread.currentThread().interrupt();

    assertThat(await(work, time.box(null))).isEqualTo(Cause.CANCELLED);
    assertThat(loop.isRequested()).isTrue();
    assertThat(Thread.interrupted()).isFalse();
    Thread.currentThread().interrupt();
    assertThat(work.awaitEnd(Duration.ofMillis(20))).isFalse();
    assertThat(Thread.interrupted()).as("the interrupt is kept").isTrue();
  }

  // ---- in a loop

  /** The session stays in use until the agent that outlives its loop has ended. */
  @ParameterizedTest
  @MethodSource("threads")
  void agentThatOutlivesItsLoop_keepsTheSession(Threads threads) throws Exception {
    try (Ralph ralph = Ralph.inMemory()) {
      Session session = ralph.session("s");
      LoopResult result;
      try (Loop running =
          session
              .loop(
                  turn -> {
                    stubborn();
                    return AgentResult.success();
                  })
              .directory(folder)
              .executor(threads.executor())
              .grace(Duration.ofMillis(1))
              .build()) {
        Thread canceller =
            new Thread(
                () -> {
                  try {
                    await(begun);
                  } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                  }
                  running.cancel("enough");
                });
        canceller.start();
        result = running.run();
        canceller.join();
      }

      assertThat(result.reason()).isEqualTo(StopReason.INTERRUPTED);
      assertThat(result.detail()).isEqualTo("enough");
      assertThat(session.control().running().isPresent()).as("in use by the agent").isTrue();
      mayEnd.countDown();
      long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
      while (session.control().running().isPresent() && System.nanoTime() < deadline) {
        Thread.sleep(5);
      }
      assertThat(session.control().running().isPresent()).isFalse();
    }
    threads.end().close();
  }
}
