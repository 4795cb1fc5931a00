package dev.ralph.openspec.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ralph.Agent;
import dev.ralph.AgentResult;
import dev.ralph.LoopEvent;
import dev.ralph.LoopResult;
import dev.ralph.Ralph;
import dev.ralph.Session;
import dev.ralph.StopReason;
import dev.ralph.log.RalphException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests the end of started loops over a change by a call of {@link ChangeLoop#close}. */
@Timeout(120)
class ChangeLoopCloseTest {

  private static final long SECONDS = 60;

  @TempDir Path project;
  private Path tasks;
  private final HaltingStore store = new HaltingStore();
  private final CountDownLatch begun = new CountDownLatch(1);
  private Ralph ralph;
  private ChangeSession work;

  @BeforeEach
  void makeAChange() throws IOException {
    ralph = store.ralph();
    ChangeLoopTest.makeAChangeIn(project);
    tasks = project.resolve("openspec/changes/add-house/tasks.md");
    work = ChangeSession.open(ralph, project, "add-house", ProcessHandle.current());
  }

  @AfterEach
  void close() {
    ralph.close();
  }

  private ChangeLoop loop(Agent agent) {
    return ChangeLoop.of(work, agent).build();
  }

  /** Completes a task, and works until the interrupt. */
  private Agent completing() {
    return turn -> {
      complete(turn.session());
      begun.countDown();
      new CountDownLatch(1).await();
      return AgentResult.success();
    };
  }

  private static void complete(Session session) {
    session.tasks().complete(session.tasks().ready().get(0).id());
  }

  private static LoopResult await(CompletionStage<LoopResult> stage) throws Exception {
    return stage.toCompletableFuture().get(SECONDS, TimeUnit.SECONDS);
  }

  private void awaitBegin() throws InterruptedException {
    assertThat(begun.await(SECONDS, TimeUnit.SECONDS)).isTrue();
  }

  private String ticked() throws IOException {
    return Files.readString(tasks).contains("[x] 1.1") ? "ticked" : "not ticked";
  }

  @Test
  void close_waitsForLastTicks() throws Exception {
    AtomicReference<Thread> closer = new AtomicReference<>();
    CompletableFuture<Integer> appended = new CompletableFuture<>();
    ChangeLoop loop =
        ChangeLoop.of(work, completing())
            .onEvent(
                event -> {
                  if (event.type() == LoopEvent.Type.LOOP_ENDED) {
                    holdNextAppendUntilWaiting(closer); // the tick's
                  }
                })
            .build();
    CompletionStage<LoopResult> ended = loop.start();
    awaitBegin();
    Thread closing =
        new Thread(
            () -> {
              loop.close();
              try {
                assertThat(ticked()).isEqualTo("ticked");
                assertThat(loop.result()).isPresent();
                appended.complete(store.appends());
              } catch (IOException | AssertionError e) {
                appended.completeExceptionally(e);
              }
            });
    closer.set(closing);
    closing.start();

    int appends = appended.get(SECONDS, TimeUnit.SECONDS);
    assertThat(await(ended))
        .hasToString(
            "interrupted after 1 iteration: 0 of 3 stories are complete; story 1: the loop was"
                + " closed");
    assertThat(loop.result()).contains(await(ended));
    assertThat(store.appends()).isEqualTo(appends);
  }

  /** Holds the next append of other threads until the closing thread has ended or waits. */
  private void holdNextAppendUntilWaiting(AtomicReference<Thread> closer) {
    store.before(
        store.appends(),
        batch -> {
          Thread thread = closer.get();
          if (Thread.currentThread() == thread) {
            holdNextAppendUntilWaiting(closer);
            return;
          }
          while (thread.isAlive() && thread.getState() != Thread.State.WAITING) {
            Thread.onSpinWait();
          }
        });
  }

  @Test
  void closedLoop_releasesChange() throws Exception {
    ChangeLoop loop = loop(completing());
    CompletionStage<LoopResult> ended = loop.start();
    awaitBegin();
    loop.close();
    assertThat(await(ended).reason()).isEqualTo(StopReason.INTERRUPTED);
    assertThat(await(loop.start())).as("started after the end").isEqualTo(await(ended));
    int appends = store.appends();
    loop.close();
    assertThat(store.appends()).isEqualTo(appends);
    work = ChangeSession.open(ralph, project, "add-house", null);
    try (ChangeLoop next =
        loop(
            turn -> {
              complete(turn.session());
              return AgentResult.success();
            })) {
      assertThat(next.run().reason()).isEqualTo(StopReason.COMPLETED);
    }
  }

  @Test
  void closeByAgent_endsLoop() throws Exception {
    AtomicReference<ChangeLoop> loop = new AtomicReference<>();
    loop.set(
        loop(
            turn -> {
              complete(turn.session());
              loop.get().close();
              return AgentResult.success();
            }));
    LoopResult result = await(loop.get().start());
    assertThat(result.reason()).isEqualTo(StopReason.INTERRUPTED);
    assertThat(ticked()).isEqualTo("ticked");
  }

  @Test
  void closeByListener_endsLoop() throws Exception {
    for (LoopEvent.Type type :
        new LoopEvent.Type[] {LoopEvent.Type.ITERATION_STARTED, LoopEvent.Type.LOOP_ENDED}) {
      work = ChangeSession.open(ralph, project, "add-house", ProcessHandle.current());
      AtomicReference<ChangeLoop> loop = new AtomicReference<>();
      loop.set(
          ChangeLoop.of(work, turn -> AgentResult.success())
              .maxIterations(1)
              .onEvent(
                  event -> {
                    if (event.type() == type) {
                      loop.get().close();
                    }
                  })
              .build());
      loop.get().step();
      loop.get().close();
      assertThat(loop.get().result()).as("result after %s", type).isPresent();
    }
  }

  @Test
  void closeBeforeStart_writesNothing() throws Exception {
    ChangeLoop loop = loop(completing());
    loop.close();
    LoopResult result = await(loop.start());
    assertThat(result).hasToString("interrupted after 0 iterations: the loop was closed");
    assertThat(work.session().tasks().list()).isEmpty();
  }

  @Test
  void secondStart_isRefusedDuringStep() throws Exception {
    try (ChangeLoop loop = loop(completing())) {
      CompletionStage<LoopResult> ended = loop.start();
      awaitBegin();
      assertThatThrownBy(() -> await(loop.start()))
          .isInstanceOf(ExecutionException.class)
          .hasCauseInstanceOf(RalphException.class)
          .hasMessageContaining("another thread runs a step");
      loop.cancel("enough");
      assertThat(await(ended).detail()).endsWith("enough");
    }
  }
}
