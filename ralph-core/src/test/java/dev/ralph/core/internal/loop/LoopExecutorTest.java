package dev.ralph.core.internal.loop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.AgentResult;
import dev.ralph.Gate;
import dev.ralph.Iteration;
import dev.ralph.Loop;
import dev.ralph.LoopEvent;
import dev.ralph.LoopResult;
import dev.ralph.Ralph;
import dev.ralph.StopReason;
import dev.ralph.Verdict;
import dev.ralph.core.internal.loop.agent.AgentRunner;
import dev.ralph.core.internal.loop.run.HandClock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;

/** Loops whose agents and gates run on the host's threads. */
@Timeout(120)
class LoopExecutorTest extends LoopFixture {

  private static final ThreadLocal<String> USER = new ThreadLocal<>();

  private final ExecutorService pool = Executors.newFixedThreadPool(1);

  @AfterEach
  void shutDown() throws InterruptedException {
    pool.shutdownNow();
    assertThat(pool.awaitTermination(20, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void agentAndGates_runInTheExecutorsContext() {
    List<String> users = new CopyOnWriteArrayList<>();
    Executor asAnn =
        work ->
            pool.execute(
                () -> {
                  USER.set("Ann");
                  try {
                    work.run();
                  } finally {
                    USER.remove();
                  }
                });

    LoopResult result =
        loop(turn -> {
              users.add("agent of " + USER.get());
              turn.session().control().complete();
              return AgentResult.success();
            })
            .gate(
                Gate.named(
                    "the user is known",
                    context -> {
                      users.add("gate of " + USER.get());
                      return Verdict.passed();
                    }))
            .executor(asAnn)
            .run();

    assertThat(result.reason()).isEqualTo(StopReason.COMPLETED);
    assertThat(users).containsExactly("agent of Ann", "gate of Ann");
  }

  @Test
  @EnabledForJreRange(min = JRE.JAVA_21)
  void agent_mayRunOnAVirtualThread() throws Exception {
    List<Thread> threads = new CopyOnWriteArrayList<>();
    ExecutorService virtual =
        (ExecutorService) Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
    try {
      runCancelledByItsAgent(
          virtual,
          () -> {
            threads.add(Thread.currentThread());
            new CountDownLatch(1).await();
            return AgentResult.success();
          });
    } finally {
      virtual.shutdown();
    }

    assertThat(statuses()).containsExactly(Iteration.Status.INTERRUPTED);
    assertThat(Thread.class.getMethod("isVirtual").invoke(threads.get(0))).isEqualTo(true);
  }

  @Test
  void closedExecutor_endsTheLoopWithRemedy() {
    pool.shutdown();

    LoopResult result = loop(turn -> AgentResult.success()).executor(pool).run();

    assertThat(result.reason()).isEqualTo(StopReason.FAILURES);
    assertThat(result.iterations()).isEqualTo(1);
    assertThat(result.detail())
        .startsWith("the loop's executor rejected the agent: ")
        .endsWith("; use an open executor with a free thread");
    assertThat(session.control().running()).isEmpty();
  }

  @Test
  void executorOfCallerThread_isRejected() {
    AtomicInteger runs = new AtomicInteger();

    LoopResult result =
        loop(turn -> {
              runs.incrementAndGet();
              return AgentResult.success();
            })
            .executor(Runnable::run)
            .run();

    assertThat(result.reason()).isEqualTo(StopReason.FAILURES);
    assertThat(result.detail()).contains("runs work in the calling thread");
    assertThat(runs).hasValue(0);
  }

  @Test
  void gateRejectedByExecutor_isNotPassed() {
    loop(turn -> {
          turn.session().control().complete();
          pool.shutdown();
          return AgentResult.success();
        })
        .gate(Gate.named("never", context -> Verdict.passed()))
        .executor(pool)
        .maxIterations(1)
        .run();

    assertThat(only(LoopEvent.Type.COMPLETION_REFUSED).message())
        .isEqualTo("completion refused: gate could not be run: never");
  }

  @Test
  void agentNotStartedInTime_neverRuns() throws Exception {
    CountDownLatch busy = new CountDownLatch(1);
    AtomicInteger runs = new AtomicInteger();
    pool.execute(
        () -> {
          try {
            await(busy);
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
        });

    loop(turn -> {
          runs.incrementAndGet();
          return AgentResult.success();
        })
        .executor(pool)
        .iterationTimeLimit(Duration.ofMillis(20))
        .maxIterations(1)
        .run();
    busy.countDown();
    pool.submit(() -> {}).get();

    assertThat(runs).hasValue(0);
    assertThat(session.iterations().last().orElseThrow().summary())
        .isEqualTo("no thread of the loop's executor started the agent in time");
  }

  @Test
  void loopHoldingTheOnlyThread_isReported() throws Exception {
    HandClock clock = new HandClock();
    AtomicReference<Loop> self = new AtomicReference<>();
    try (Ralph timed = Ralph.builder().store("memory").clock(clock).open();
        Loop loop =
            timed
                .session("s")
                .loop(turn -> AgentResult.success())
                .executor(
                    work -> {
                      pool.execute(work);
                      clock.advance(AgentRunner.TAKEN_UP_WITHIN);
                    })
                .onEvent(events::add)
                .onEvent(
                    event -> {
                      if (event.type() == LoopEvent.Type.NOTICE) {
                        self.get().cancel("it was told");
                      }
                    })
                .build()) {
      self.set(loop);
      assertThat(pool.submit(loop::run).get().detail()).isEqualTo("it was told");
    }

    assertThat(only(LoopEvent.Type.NOTICE).message())
        .isEqualTo(
            "no thread of the loop's executor started the agent within 10 s; the executor needs"
                + " a thread besides the stepping thread");
  }

  @Test
  void executorRunningWorkTwice_runsAgentOnce() {
    AtomicReference<Runnable> given = new AtomicReference<>();
    AtomicInteger runs = new AtomicInteger();

    loop(turn -> {
          if (runs.incrementAndGet() == 1) {
            Thread again = new Thread(given.get());
            again.start();
            again.join();
          }
          return AgentResult.success();
        })
        .executor(
            work -> {
              given.set(work);
              pool.execute(work);
            })
        .maxIterations(1)
        .run();

    assertThat(runs).hasValue(1);
  }

  @Test
  void interruptOfAgent_staysWithTheAgent() throws Exception {
    runCancelledByItsAgent(
        pool,
        () -> {
          while (!Thread.currentThread().isInterrupted()) {
            Thread.onSpinWait();
          }
          return AgentResult.success();
        });

    assertThat(pool.submit(() -> Thread.currentThread().isInterrupted()).get()).isFalse();
  }

  /** Runs a loop whose agent cancels it and then does the work. */
  private void runCancelledByItsAgent(Executor executor, Callable<AgentResult> work) {
    AtomicReference<Loop> self = new AtomicReference<>();
    try (Loop loop =
        loop(turn -> {
              self.get().cancel("enough");
              return work.call();
            })
            .executor(executor)
            .build()) {
      self.set(loop);
      loop.run();
    }
  }
}
