package dev.ralph.core.internal.loop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.AgentResult;
import dev.ralph.LoopResult;
import dev.ralph.Ralph;
import dev.ralph.Session;
import dev.ralph.StopReason;
import dev.ralph.log.Appended;
import dev.ralph.log.Batch;
import dev.ralph.spi.ForwardingStore;
import dev.ralph.spi.FrameStore;
import dev.ralph.spi.StoreConfig;
import dev.ralph.store.memory.MemoryStoreProvider;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Frames of other writers, which a loop finds only by reading the log. */
@Timeout(120)
class LoopBesideOthersTest {

  private final FrameStore memory = new MemoryStoreProvider().open(StoreConfig.in(null));
  private final Session others = Ralph.over(memory).session("s");
  private final List<String> prompts = new ArrayList<>();

  /** Runs once, just before a frame with the action {@code before} is appended. */
  private Runnable first = () -> {};

  private String before = "";

  private final Ralph ralph =
      Ralph.over(
          new ForwardingStore(memory) {
            @Override
            public Appended append(Batch batch) {
              if (before.equals(batch.drafts().get(0).meta().string("action"))) {
                before = "";
                first.run();
              }
              return super.append(batch);
            }
          });

  @TempDir Path folder;

  @AfterEach
  void close() {
    ralph.close();
  }

  private void just(String action, Runnable work) {
    before = action;
    first = work;
  }

  private LoopResult run(Runnable agent) {
    return ralph
        .session("s")
        .loop(
            turn -> {
              prompts.add(turn.prompt());
              agent.run();
              return AgentResult.success();
            })
        .directory(folder)
        .maxIterations(2)
        .run();
  }

  @Test
  void messageSentAtIterationStart_isInThePrompt() {
    just("start", () -> others.inbox().send("Use the old parser"));
    run(() -> {});
    assertThat(prompts.get(0)).contains("Use the old parser");
  }

  @Test
  void stopAtIterationEnd_preventsTheNextIteration() {
    just("complete", () -> others.control().stop("enough"));
    LoopResult result = run(() -> {});
    assertThat(result.reason()).isEqualTo(StopReason.STOPPED);
    assertThat(result.iterations()).isEqualTo(1);
  }

  @Test
  void taskClaimedElsewhere_isReleased() {
    others.tasks().add("Write it");
    run(
        () ->
            assertThat(others.tasks().claim("t1", "agent", Duration.ofHours(1), prompts.size()))
                .isPresent());
    assertThat(others.tasks().ready()).hasSize(1);
  }
}
