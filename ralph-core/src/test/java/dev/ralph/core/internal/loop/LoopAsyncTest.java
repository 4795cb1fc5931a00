package dev.ralph.core.internal.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ralph.Agent;
import dev.ralph.AgentResult;
import dev.ralph.Loop;
import dev.ralph.LoopEvent;
import dev.ralph.LoopResult;
import dev.ralph.Ralph;
import dev.ralph.StopReason;
import dev.ralph.internal.BackgroundRun;
import dev.ralph.log.ClosedException;
import dev.ralph.log.RalphException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;

/** Loops that run on a thread of their own. */
@Timeout(120)
class LoopAsyncTest extends LoopFixture {

  private static final long SECONDS = 60;

  private static LoopResult await(CompletionStage<LoopResult> stage) throws Exception {
    return stage.toCompletableFuture().get(SECONDS, TimeUnit.SECONDS);
  }

  /** Returns an agent that works until its interrupt, and counts the latch down at its begin. */
  private static Agent waiting(CountDownLatch begun) {
    return turn -> {
      begun.countDown();
      new CountDownLatch(1).await();
      return AgentResult.success();
    };
  }

  @Test
  void startedLoop_completesStageWithResult() throws Exception {
    CountDownLatch begin = new CountDownLatch(1);
    try (Loop loop =
        loop(turn -> {
              begin.await();
              return AgentResult.success();
            })
            .maxIterations(2)
            .build()) {
      CompletionStage<LoopResult> ended = loop.start();
      assertThat(ended.toCompletableFuture()).isNotDone();
      assertThat(loop.result()).isEmpty();
      begin.countDown();

      assertThat(await(ended).reason()).isEqualTo(StopReason.MAX_ITERATIONS);
      assertThat(loop.result()).contains(await(ended));
      assertThat(await(loop.start())).as("started after the end").isEqualTo(await(ended));
    }
  }

  @Test
  void cancel_completesStageWithResult() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    try (Loop loop = loop(waiting(begun)).build()) {
      CompletionStage<LoopResult> ended = loop.start();
      assertThat(begun.await(SECONDS, TimeUnit.SECONDS)).isTrue();

      loop.cancel("enough");

      LoopResult result = await(ended);
      assertThat(result.reason()).isEqualTo(StopReason.INTERRUPTED);
      assertThat(result.detail()).isEqualTo("enough");
    }
  }

  @Test
  void cancelBeforeStart_completesStageWithoutIteration() throws Exception {
    try (Loop loop = loop(turn -> AgentResult.success()).build()) {
      loop.cancel("never mind");

      LoopResult result = await(loop.start());

      assertThat(result.reason()).isEqualTo(StopReason.INTERRUPTED);
      assertThat(result.iterations()).isZero();
    }
  }

  @Test
  void close_completesStageWithResult() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    CompletionStage<LoopResult> ended;
    try (Loop loop = loop(waiting(begun)).build()) {
      ended = loop.start();
      assertThat(begun.await(SECONDS, TimeUnit.SECONDS)).isTrue();
    }
    assertThat(await(ended).reason()).isEqualTo(StopReason.INTERRUPTED);
  }

  @Test
  void secondStart_isRefusedDuringStep() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    try (Loop loop = loop(waiting(begun)).build()) {
      CompletionStage<LoopResult> ended = loop.start();
      assertThat(begun.await(SECONDS, TimeUnit.SECONDS)).isTrue();

      assertThatThrownBy(() -> await(loop.start()))
          .isInstanceOf(ExecutionException.class)
          .hasCauseInstanceOf(RalphException.class)
          .hasMessageContaining("another thread runs a step");

      loop.cancel("enough");
      assertThat(await(ended).reason()).isEqualTo(StopReason.INTERRUPTED);
    }
  }

  @Test
  void startDuringClose_completesWithResult() throws Exception {
    CountDownLatch closing = new CountDownLatch(1);
    CountDownLatch started = new CountDownLatch(1);
    Loop loop =
        loop(turn -> AgentResult.success())
            .onEvent(
                event -> {
                  if (event.type() == LoopEvent.Type.LOOP_ENDED) {
                    closing.countDown();
                    awaitQuietly(started);
                  }
                })
            .build();
    loop.step();
    Thread closer = new Thread(loop::close);
    closer.start();
    assertThat(closing.await(SECONDS, TimeUnit.SECONDS)).isTrue();

    CompletableFuture<Thread> runner = new CompletableFuture<>();
    CompletionStage<LoopResult> ended =
        BackgroundRun.start(
            () -> {
              runner.complete(Thread.currentThread());
              return loop.run();
            },
            null);
    Thread running = runner.get(SECONDS, TimeUnit.SECONDS);
    while (running.isAlive() && running.getState() != Thread.State.WAITING) {
      Thread.onSpinWait();
    }
    started.countDown();

    assertThat(await(ended).reason()).isEqualTo(StopReason.INTERRUPTED);
    closer.join(SECONDS * 1_000);
    assertThat(closer.isAlive()).isFalse();
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  void errorOfAgent_failsStage() {
    AssertionError broken = new AssertionError("broken");
    Agent agent =
        turn -> {
          throw broken;
        };
    try (Loop loop = loop(agent).build()) {
      assertThatThrownBy(() -> await(loop.start())).hasCause(broken);
    }
  }

  @Test
  void closedStore_failsStage() {
    Loop loop;
    try (Ralph other = Ralph.inMemory()) {
      loop = other.session("s").loop(turn -> AgentResult.success()).build();
    }
    assertThatThrownBy(() -> await(loop.start())).hasCauseInstanceOf(ClosedException.class);
  }

  @Test
  void caller_cannotCompleteStage() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    try (Loop loop = loop(waiting(begun)).build()) {
      CompletionStage<LoopResult> ended = loop.start();
      CompletableFuture<LoopResult> copy = ended.toCompletableFuture();
      assertThat(copy.cancel(true)).isTrue();

      assertThat(begun.await(SECONDS, TimeUnit.SECONDS)).isTrue();
      loop.cancel("enough");
      assertThat(await(ended).detail()).isEqualTo("enough");
    }
  }

  @Test
  void executor_runsLoopAndDependents() throws Exception {
    List<String> threads = new CopyOnWriteArrayList<>();
    ExecutorService pool = Executors.newFixedThreadPool(2, work -> new Thread(work, "host"));
    try (Loop loop =
        loop(turn -> AgentResult.success())
            .executor(pool)
            .onEvent(event -> threads.add(Thread.currentThread().getName()))
            .maxIterations(1)
            .build()) {
      await(loop.start());
      assertThat(threads).isNotEmpty().containsOnly("host");
    } finally {
      pool.shutdown();
      assertThat(pool.awaitTermination(SECONDS, TimeUnit.SECONDS)).isTrue();
    }
  }

  @Test
  void closedExecutor_failsStage() {
    ExecutorService pool = Executors.newFixedThreadPool(2);
    pool.shutdown();
    try (Loop loop = loop(turn -> AgentResult.success()).executor(pool).build()) {
      assertThatThrownBy(() -> await(loop.start()))
          .hasCauseInstanceOf(RalphException.class)
          .hasMessageContaining("the executor rejected the loop");
      assertThat(loop.result()).isEmpty();
    }
  }

  @Test
  @EnabledForJreRange(min = JRE.JAVA_21)
  void manyLoops_runOnVirtualThreads() throws Exception {
    ExecutorService virtual =
        (ExecutorService) Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
    List<CompletionStage<LoopResult>> ended = new CopyOnWriteArrayList<>();
    try {
      for (int i = 0; i < 50; i++) {
        ended.add(
            ralph
                .session("s" + i)
                .loop(turn -> AgentResult.success())
                .executor(virtual)
                .maxIterations(2)
                .build()
                .start());
      }
      for (CompletionStage<LoopResult> each : ended) {
        assertThat(await(each).reason()).isEqualTo(StopReason.MAX_ITERATIONS);
      }
    } finally {
      virtual.shutdown();
    }
  }
}
