package dev.ralph.core.internal.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ralph.Agent;
import dev.ralph.AgentResult;
import dev.ralph.Gate;
import dev.ralph.Iteration;
import dev.ralph.Loop;
import dev.ralph.LoopEvent;
import dev.ralph.LoopResult;
import dev.ralph.Ralph;
import dev.ralph.Session;
import dev.ralph.StopReason;
import dev.ralph.Turn;
import dev.ralph.Verdict;
import dev.ralph.core.internal.loop.run.HandClock;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The clocks of a loop's limits and pauses. */
@Timeout(120)
class LoopTimeTest {

  private static final Duration HOUR = Duration.ofHours(1);

  private final HandClock clock = new HandClock();
  private final Ralph ralph = Ralph.builder().store("memory").clock(clock).open();
  private final Session session = ralph.session("s");
  private final List<LoopEvent> events = new CopyOnWriteArrayList<>();

  @TempDir Path folder;

  @AfterEach
  void close() {
    assertThat(LeftThreads.names()).isEmpty();
    ralph.close();
  }

  private Loop.Builder loop(Agent agent) {
    return session.loop(agent).directory(folder).onEvent(events::add);
  }

  /** Advances the clock at each event of a type, from another thread. */
  private Loop.Builder movingAt(LoopEvent.Type type, Duration by, Loop.Builder builder) {
    return builder.onEvent(
        event -> {
          if (event.type() == type) {
            new Thread(() -> clock.advance(by)).start();
          }
        });
  }

  @Test
  void pause_endsByTheClockOfTheStore() {
    Agent agent =
        turn -> turn.iteration() == 1 ? AgentResult.failure("no luck") : AgentResult.success();

    LoopResult result =
        movingAt(LoopEvent.Type.WAITING, HOUR, loop(agent).failurePause(HOUR).maxIterations(2))
            .run();

    assertThat(result.reason()).isEqualTo(StopReason.MAX_ITERATIONS);
    assertThat(session.iterations().list())
        .extracting(Iteration::status)
        .containsExactly(Iteration.Status.FAILURE, Iteration.Status.SUCCESS);
  }

  @Test
  void iterationTimeLimit_usesTheClockOfTheStore() {
    AtomicReference<Turn> seen = new AtomicReference<>();
    Instant begin = clock.instant();
    Agent hangs =
        turn -> {
          seen.set(turn);
          assertThat(turn.cancelled()).isFalse();
          turn.notice("working");
          new CountDownLatch(1).await();
          return AgentResult.success();
        };

    movingAt(
            LoopEvent.Type.NOTICE,
            HOUR,
            loop(hangs).iterationTimeLimit(HOUR).maxIterations(1).maxFailures(1))
        .run();

    assertThat(seen.get().deadline()).isEqualTo(begin.plus(HOUR));
    assertThat(seen.get().cancelled()).isTrue();
    assertThat(session.iterations().last().orElseThrow().status())
        .isEqualTo(Iteration.Status.TIMEOUT);
    assertThat(events)
        .filteredOn(LoopEvent.IterationEnded.class::isInstance)
        .extracting(event -> ((LoopEvent.IterationEnded) event).took())
        .containsExactly(HOUR);
  }

  @Test
  void timeLimit_endsTheLoopDuringAnIteration() {
    Agent hangs =
        turn -> {
          turn.notice("working");
          new CountDownLatch(1).await();
          return AgentResult.success();
        };

    LoopResult result =
        movingAt(LoopEvent.Type.NOTICE, HOUR, loop(hangs).timeLimit(HOUR).maxFailures(1)).run();

    assertThat(result.reason()).isEqualTo(StopReason.TIME_LIMIT);
    assertThat(session.iterations().list())
        .extracting(Iteration::status)
        .containsExactly(Iteration.Status.TIMEOUT);
  }

  @Test
  void timeLimitDuringGates_runsNoAgent() {
    Gate hangs =
        Gate.named(
            "tests",
            context -> {
              new CountDownLatch(1).await();
              return Verdict.passed();
            });
    LoopResult result =
        movingAt(
                LoopEvent.Type.GATE_STARTED,
                HOUR,
                loop(turn -> AgentResult.success()).doneWhen(s -> true).gate(hangs).timeLimit(HOUR))
            .run();

    assertThat(result.reason()).isEqualTo(StopReason.TIME_LIMIT);
    assertThat(result.detail()).isEqualTo("the gates were still running");
    assertThat(result.iterations()).isZero();
  }

  @Test
  void doneWhenBeyondTheTimeLimit_completes() {
    LoopResult result =
        loop(turn -> AgentResult.success())
            .doneWhen(
                done -> {
                  clock.advance(HOUR);
                  return true;
                })
            .timeLimit(HOUR)
            .run();

    assertThat(result.reason()).isEqualTo(StopReason.COMPLETED);
    assertThat(result.iterations()).isZero();
  }

  @Test
  void agentIgnoringItsEnd_preventsASecondAgent() throws Exception {
    CountDownLatch release = new CountDownLatch(1);
    List<Thread> runs = new CopyOnWriteArrayList<>();
    Agent deaf =
        turn -> {
          runs.add(Thread.currentThread());
          turn.notice("working");
          boolean released = false;
          while (!released) {
            try {
              released = release.await(1, TimeUnit.MINUTES);
            } catch (InterruptedException heardAndIgnored) {
              // This agent ignores the interrupt, against its contract.
            }
          }
          turn.output("too late");
          return AgentResult.success();
        };

    LoopResult result =
        movingAt(
                LoopEvent.Type.NOTICE,
                HOUR,
                loop(deaf).iterationTimeLimit(HOUR).grace(Duration.ofMillis(20)))
            .run();

    assertThat(result.reason()).isEqualTo(StopReason.FAILURES);
    assertThat(result.detail()).contains("of iteration 1 was told to end but still runs");
    assertThatThrownBy(() -> loop(turn -> AgentResult.success()).run())
        .as("a loop beside an agent that still runs")
        .hasMessageContaining("wait until the loop and all its agents have ended");

    release.countDown();
    assertThat(runs).hasSize(1);
    runs.get(0).join();
    assertThat(events).extracting(LoopEvent::type).doesNotContain(LoopEvent.Type.OUTPUT);
    assertThat(session.control().running()).isEmpty();
    assertThat(loop(turn -> AgentResult.success()).maxIterations(1).run().reason())
        .isEqualTo(StopReason.MAX_ITERATIONS);
  }

  @Test
  void timeLimit_endsAPausedLoop() {
    session.control().pause();

    LoopResult result =
        movingAt(
                LoopEvent.Type.WAITING,
                HOUR,
                loop(turn -> AgentResult.success()).timeLimit(HOUR).maxIterations(1))
            .run();

    assertThat(result.reason()).isEqualTo(StopReason.TIME_LIMIT);
    assertThat(result.iterations()).isZero();
  }

  @Test
  void stoppedClock_exceedsNoTimeLimit() {
    LoopResult result =
        loop(turn -> {
              long end = System.nanoTime() + Duration.ofMillis(50).toNanos();
              while (System.nanoTime() < end) {
                Thread.onSpinWait();
              }
              return AgentResult.success();
            })
            .timeLimit(Duration.ofNanos(1))
            .iterationTimeLimit(Duration.ofNanos(1))
            .maxIterations(2)
            .run();

    assertThat(result.reason()).isEqualTo(StopReason.MAX_ITERATIONS);
  }

  @Test
  void clockSetBack_delaysNoTimeLimit() {
    AtomicReference<Duration> set = new AtomicReference<>(Duration.ZERO);
    Clock wrong =
        new Clock() {
          @Override
          public ZoneId getZone() {
            return ZoneOffset.UTC;
          }

          @Override
          public Clock withZone(ZoneId zone) {
            return this;
          }

          @Override
          public Instant instant() {
            return Instant.now().plus(set.get());
          }
        };
    try (Ralph store = Ralph.builder().store("memory").clock(wrong).open()) {
      LoopResult result =
          store
              .session("s")
              .loop(
                  turn -> {
                    set.set(Duration.ofDays(-1));
                    new CountDownLatch(1).await();
                    return AgentResult.success();
                  })
              .directory(folder)
              .iterationTimeLimit(Duration.ofMillis(30))
              .failurePause(Duration.ofMillis(1))
              .maxFailures(2)
              .run();

      assertThat(result.reason()).isEqualTo(StopReason.FAILURES);
      assertThat(result.iterations()).isEqualTo(2);
    }
  }
}
