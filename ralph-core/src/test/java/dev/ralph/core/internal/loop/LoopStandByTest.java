package dev.ralph.core.internal.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ralph.Agent;
import dev.ralph.AgentResult;
import dev.ralph.Loop;
import dev.ralph.LoopEvent;
import dev.ralph.LoopResult;
import dev.ralph.Ralph;
import dev.ralph.Session;
import dev.ralph.StopReason;
import dev.ralph.log.ContendedException;
import dev.ralph.spi.StoreConfig;
import dev.ralph.store.memory.MemoryStoreProvider;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A loop that waits for a session in use by another loop. */
@Timeout(60)
class LoopStandByTest {

  private final Ralph ralph = Ralph.over(new MemoryStoreProvider().open(StoreConfig.in(null)));
  private final Session session = ralph.session("s");
  private final CountDownLatch begun = new CountDownLatch(1);
  private final CountDownLatch leave = new CountDownLatch(1);
  private final CountDownLatch waits = new CountDownLatch(1);
  private final List<String> notices = new CopyOnWriteArrayList<>();
  private final FutureTask<LoopResult> first =
      new FutureTask<>(
          () ->
              loop(turn -> {
                    begun.countDown();
                    leave.await();
                    return AgentResult.success();
                  })
                  .build()
                  .run());

  @TempDir Path folder;

  @BeforeEach
  void takeTheSession() throws InterruptedException {
    new Thread(first, "first").start();
    begun.await();
  }

  @AfterEach
  void end() throws Exception {
    leave.countDown();
    first.get();
    ralph.close();
  }

  private Loop.Builder loop(Agent agent) {
    return session.loop(agent).directory(folder).maxIterations(1);
  }

  private Loop standsBy() {
    return loop(turn -> AgentResult.success())
        .standBy(true)
        .onEvent(
            event -> {
              if (event.type() == LoopEvent.Type.NOTICE) {
                notices.add(event.message());
                waits.countDown();
              }
            })
        .build();
  }

  @Test
  void waitingLoop_followsAndReportsOnce() throws Exception {
    assertThatThrownBy(() -> loop(turn -> AgentResult.success()).build().run())
        .as("a loop without stand-by")
        .isInstanceOf(ContendedException.class);
    FutureTask<LoopResult> second = new FutureTask<>(standsBy()::run);
    new Thread(second, "second").start();
    waits.await();
    assertThat(session.iterations().list()).hasSize(1);

    leave.countDown();

    assertThat(second.get().reason()).isEqualTo(StopReason.MAX_ITERATIONS);
    assertThat(session.iterations().list()).hasSize(2);
    assertThat(notices).singleElement().asString().startsWith("waiting for the session: ");
  }

  @Test
  void waitingLoop_canBeCancelled() throws Exception {
    try (Loop loop = standsBy()) {
      FutureTask<LoopResult> second = new FutureTask<>(loop::run);
      new Thread(second, "second").start();
      waits.await();
      loop.cancel("no longer needed");
      assertThat(second.get().reason()).isEqualTo(StopReason.INTERRUPTED);
    }
    assertThat(session.control().running()).as("the other loop").isPresent();
    leave.countDown();
    assertThat(first.get().reason()).isEqualTo(StopReason.MAX_ITERATIONS);
    assertThat(session.iterations().list()).hasSize(1);
  }
}
