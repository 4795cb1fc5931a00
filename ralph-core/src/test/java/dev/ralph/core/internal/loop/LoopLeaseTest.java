package dev.ralph.core.internal.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ralph.Agent;
import dev.ralph.AgentResult;
import dev.ralph.Control;
import dev.ralph.Iteration;
import dev.ralph.Loop;
import dev.ralph.LoopResult;
import dev.ralph.Ralph;
import dev.ralph.Session;
import dev.ralph.StopReason;
import dev.ralph.Turn;
import dev.ralph.core.internal.loop.run.HandClock;
import dev.ralph.log.Appended;
import dev.ralph.log.Batch;
import dev.ralph.log.ContendedException;
import dev.ralph.log.Draft;
import dev.ralph.log.Follower;
import dev.ralph.log.Frame;
import dev.ralph.log.FrameCursor;
import dev.ralph.log.Meta;
import dev.ralph.log.Query;
import dev.ralph.log.Topic;
import dev.ralph.log.TopicFilter;
import dev.ralph.spi.ForwardingStore;
import dev.ralph.spi.FrameStore;
import dev.ralph.spi.StoreConfig;
import dev.ralph.store.memory.MemoryStoreProvider;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A loop whose lease on its session expires unless the loop renews it. */
@Timeout(120)
class LoopLeaseTest {

  private static final Topic CONTROL = Topic.of("ralph.s.control");
  private static final Duration LONG = Duration.ofHours(1);
  private static final Duration SHORT = Duration.ofMillis(600);

  private final HandClock clock = new HandClock();
  private final HangingStore store =
      new HangingStore(new MemoryStoreProvider().open(StoreConfig.in(null).clock(clock)));
  private final Ralph ralph = Ralph.over(store, clock);
  private final Session session = ralph.session("s");

  @TempDir Path folder;

  @AfterEach
  void close() {
    ralph.close();
  }

  private Loop.Builder loop(Duration lease, Agent agent) {
    return session.loop(agent).directory(folder).grace(Duration.ZERO).lease(lease);
  }

  private Frame append(Meta meta) {
    return ralph.append(List.of(Draft.of(CONTROL, meta))).get(0);
  }

  private Frame startElsewhere(Duration lease) {
    return append(
        Meta.of("action", "loop_start")
            .with("run", "theirs")
            .with("lease", lease.toMillis())
            .with("host", "elsewhere")
            .with("pid", 7));
  }

  private static void awaitEnd() {
    try {
      new CountDownLatch(1).await();
    } catch (InterruptedException ended) {
      Thread.currentThread().interrupt();
    }
  }

  private Frame last() {
    return ralph.log().last(TopicFilter.parse("ralph.s.*")).orElseThrow();
  }

  @Test
  void sessionTakenOver_endsAgentAndStopsWriting() {
    AtomicReference<Frame> taken = new AtomicReference<>();
    AtomicReference<Turn> turn = new AtomicReference<>();
    LoopResult result =
        loop(
                LONG,
                now -> {
                  turn.set(now);
                  taken.set(startElsewhere(LONG));
                  awaitEnd();
                  now.output("too late");
                  return AgentResult.success();
                })
            .run();

    assertThat(result.reason()).isEqualTo(StopReason.LOST);
    assertThat(result.detail())
        .isEqualTo("another loop took over the session, in process 7 on elsewhere");
    assertThat(last()).isEqualTo(taken.get());
    assertThatThrownBy(() -> turn.get().session().tasks().add("too late"))
        .isInstanceOf(ContendedException.class)
        .hasMessageContaining("process 7 on elsewhere");
    assertThat(last()).isEqualTo(taken.get());
  }

  @Test
  void loopDeclaredGone_ends() {
    AtomicReference<Frame> gone = new AtomicReference<>();
    LoopResult result =
        loop(
                LONG,
                now -> {
                  gone.set(append(Meta.of("action", "loop_end").with("reason", "gone")));
                  awaitEnd();
                  return AgentResult.success();
                })
            .run();

    assertThat(result.reason()).isEqualTo(StopReason.LOST);
    assertThat(result.detail()).contains("this loop was declared dead (ralph stop --gone)");
    assertThat(last()).isEqualTo(gone.get());
  }

  @Test
  void waitingLoop_endsIfTheSessionIsTakenOver() {
    LoopResult result =
        loop(
                LONG,
                now -> {
                  now.session().questions().ask("Which one?");
                  return AgentResult.success();
                })
            .waitForAnswers(true)
            .onEvent(
                event -> {
                  if (event.message().startsWith("waiting for an answer")) {
                    startElsewhere(LONG);
                  }
                })
            .run();

    assertThat(result.reason()).isEqualTo(StopReason.LOST);
  }

  @Test
  void hangingStore_endsTheAgentBeforeTheLease() {
    AtomicInteger runs = new AtomicInteger();
    AtomicReference<Duration> took = new AtomicReference<>();
    LoopResult result =
        loop(
                SHORT,
                now -> {
                  if (runs.incrementAndGet() == 1) {
                    long begun = System.nanoTime();
                    store.hang();
                    awaitEnd();
                    took.set(Duration.ofNanos(System.nanoTime() - begun));
                    assertThat(now.cancelled()).isTrue();
                    store.goOn();
                    throw new InterruptedException();
                  }
                  return AgentResult.success();
                })
            .maxIterations(2)
            .run();

    assertThat(took.get()).isLessThan(SHORT);
    assertThat(result.reason()).isEqualTo(StopReason.MAX_ITERATIONS);
    assertThat(session.iterations().list())
        .extracting(Iteration::status)
        .containsExactly(Iteration.Status.INTERRUPTED, Iteration.Status.SUCCESS);
    assertThat(session.iterations().list().get(0).summary())
        .contains("the store accepted no heartbeat for 300 ms");
  }

  @Test
  void runningLoop_sendsHeartbeats() {
    loop(
            SHORT,
            now -> {
              try (Follower signs = ralph.log().follow(Query.of(TopicFilter.of(CONTROL)))) {
                assertThat(action(signs)).isEqualTo("loop_start");
                assertThat(action(signs)).isEqualTo("loop_alive");
                assertThat(action(signs)).isEqualTo("loop_alive");
              }
              return AgentResult.success();
            })
        .maxIterations(1)
        .run();

    assertThat(last().meta().string("action")).isEqualTo("loop_end");
  }

  @Test
  void expiredLeaseOfRemoteLoop_isTakenOver() {
    Frame start = startElsewhere(Duration.ofSeconds(60));
    Control.RunningLoop there = session.control().running().orElseThrow();
    assertThat(there.live()).isTrue();
    assertThat(there.until()).isEqualTo(start.time().plusSeconds(60));
    assertThatThrownBy(() -> loop(LONG, now -> AgentResult.success()).run())
        .isInstanceOf(ContendedException.class)
        .hasMessageContaining("in process 7 on elsewhere")
        .hasMessageContaining("if not renewed");

    clock.advance(Duration.ofSeconds(60));
    assertThat(session.control().running().orElseThrow().live()).isFalse();
    assertThat(loop(LONG, now -> AgentResult.success()).maxIterations(1).run().reason())
        .isEqualTo(StopReason.MAX_ITERATIONS);
  }

  private static String action(Follower control) throws InterruptedException {
    Frame next = control.poll(Duration.ofSeconds(60));
    assertThat(next).isNotNull();
    return next.meta().string("action");
  }

  /** A store that is unreachable for a while and blocks its callers. */
  private static final class HangingStore extends ForwardingStore {

    private volatile CountDownLatch reached = new CountDownLatch(0);

    HangingStore(FrameStore store) {
      super(store);
    }

    void hang() {
      reached = new CountDownLatch(1);
    }

    void goOn() {
      reached.countDown();
    }

    private void reach() {
      boolean interrupted = false;
      while (true) {
        try {
          reached.await();
          break;
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }

    @Override
    public Appended append(Batch batch) {
      reach();
      return super.append(batch);
    }

    @Override
    public FrameCursor read(Query query) {
      reach();
      return super.read(query);
    }
  }
}
