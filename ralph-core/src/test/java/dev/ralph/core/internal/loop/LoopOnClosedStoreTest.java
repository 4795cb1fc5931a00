package dev.ralph.core.internal.loop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.Agent;
import dev.ralph.AgentResult;
import dev.ralph.Loop;
import dev.ralph.LoopEvent;
import dev.ralph.LoopResult;
import dev.ralph.Ralph;
import dev.ralph.Session;
import dev.ralph.StopReason;
import dev.ralph.log.RalphException;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A host that closes its {@link Ralph} while a loop runs on it in another thread. */
@Timeout(120)
class LoopOnClosedStoreTest {

  private final Ralph ralph = Ralph.inMemory();
  private final Session session = ralph.session("s");

  @TempDir Path folder;

  @Test
  void closedStore_endsTheAgentAndTheLoop() throws Exception {
    CountDownLatch works = new CountDownLatch(1);
    CountDownLatch interrupted = new CountDownLatch(1);

    LoopResult result =
        closeDuring(
            works,
            turn -> {
              works.countDown();
              try {
                new CountDownLatch(1).await();
              } catch (InterruptedException e) {
                interrupted.countDown();
              }
              return AgentResult.success();
            });

    assertThat(interrupted.getCount()).isZero();
    assertThat(result.reason()).isEqualTo(StopReason.STORE_FAILED);
  }

  @Test
  void closedStore_endsAWaitingLoop() throws Exception {
    session.control().pause();
    CountDownLatch waits = new CountDownLatch(1);

    LoopResult result =
        closeDuring(
            waits,
            turn -> {
              throw new AssertionError("a paused session has no turn");
            });

    assertThat(result.reason()).isEqualTo(StopReason.STORE_FAILED);
    assertThat(result.iterations()).isZero();
  }

  /**
   * Runs a loop, closes the store when the latch reaches zero, and returns the result of the loop.
   */
  private LoopResult closeDuring(CountDownLatch latch, Agent agent) throws Exception {
    Loop loop =
        session
            .loop(agent)
            .directory(folder)
            .onEvent(
                event -> {
                  if (event.type() == LoopEvent.Type.WAITING) {
                    latch.countDown();
                  }
                })
            .build();
    try (loop) {
      FutureTask<LoopResult> run = new FutureTask<>(loop::run);
      new Thread(run, "host").start();
      assertThat(latch.await(1, TimeUnit.MINUTES)).isTrue();

      ralph.close();

      assertThat(failure(run))
          .isInstanceOfSatisfying(
              RalphException.class,
              e -> assertThat(e.code()).isEqualTo(RalphException.Code.CLOSED));
      assertThat(LeftThreads.names()).isEmpty();
    }
    return loop.result().orElseThrow();
  }

  private static Throwable failure(FutureTask<LoopResult> run) throws Exception {
    try {
      throw new AssertionError("the loop ended: " + run.get(1, TimeUnit.MINUTES));
    } catch (ExecutionException e) {
      return e.getCause();
    }
  }
}
