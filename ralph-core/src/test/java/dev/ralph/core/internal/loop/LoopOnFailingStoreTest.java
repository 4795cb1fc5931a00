package dev.ralph.core.internal.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ralph.Agent;
import dev.ralph.AgentResult;
import dev.ralph.Iteration;
import dev.ralph.Loop;
import dev.ralph.LoopEvent;
import dev.ralph.LoopResult;
import dev.ralph.Ralph;
import dev.ralph.Session;
import dev.ralph.StopReason;
import dev.ralph.Task;
import dev.ralph.core.internal.process.Git;
import dev.ralph.log.Appended;
import dev.ralph.log.Batch;
import dev.ralph.log.Draft;
import dev.ralph.log.Frame;
import dev.ralph.log.FrameCursor;
import dev.ralph.log.IndeterminateException;
import dev.ralph.log.LockedException;
import dev.ralph.log.Position;
import dev.ralph.log.Query;
import dev.ralph.log.RalphException;
import dev.ralph.log.Topic;
import dev.ralph.log.TopicFilter;
import dev.ralph.spi.ForwardingStore;
import dev.ralph.spi.FrameStore;
import dev.ralph.spi.FrameStoreProvider;
import dev.ralph.spi.StoreConfig;
import dev.ralph.store.memory.MemoryStoreProvider;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A loop whose store rejects appends for a while, as if another process held the store. */
@Timeout(120)
class LoopOnFailingStoreTest {

  private final FailingStore store = new FailingStore();
  private final Ralph ralph = Ralph.builder().store("failing").providers(List.of(store)).open();
  private final Session session = ralph.session("s");

  @TempDir Path folder;

  @AfterEach
  void close() {
    ralph.close();
  }

  private Loop.Builder loop(Agent agent) {
    return session.loop(agent).directory(folder).failurePause(Duration.ofMillis(1));
  }

  private static void assertNoThreadIsLeft() {
    assertThat(LeftThreads.names()).isEmpty();
  }

  @Test
  void refusedEndOfIteration_isWrittenLater() {
    AtomicInteger runs = new AtomicInteger();
    try (Loop loop =
        loop(turn -> {
              runs.incrementAndGet();
              return AgentResult.success().summary("done");
            })
            .maxIterations(2)
            .build()) {
      store.refuse("complete");
      assertThatThrownBy(loop::step).isInstanceOf(LockedException.class);
      assertNoThreadIsLeft();
      assertThat(session.iterations().last().orElseThrow().status())
          .isEqualTo(Iteration.Status.RUNNING);

      store.refuse("");
      assertThat(loop.step()).isFalse();
    }
    assertThat(runs).hasValue(2);
    assertThat(session.iterations().list())
        .extracting(Iteration::status)
        .containsExactly(Iteration.Status.SUCCESS, Iteration.Status.SUCCESS);
  }

  @ParameterizedTest
  @ValueSource(strings = {"loop_start", "start", "complete"})
  void unexpectedStoreException_freesTheSession(String action) {
    store.breakAt(action);
    assertThatThrownBy(() -> loop(turn -> AgentResult.success()).run())
        .isInstanceOf(IllegalStateException.class);
    assertThat(session.control().running()).isEmpty();
    assertNoThreadIsLeft();

    store.breakAt("");
    assertThat(loop(turn -> AgentResult.success()).maxIterations(1).run().reason())
        .isEqualTo(StopReason.MAX_ITERATIONS);
  }

  @Test
  void fatalResult_isKeptDespiteARefusedAppend() {
    AtomicInteger runs = new AtomicInteger();
    store.refuse("complete");
    try (Loop loop =
        loop(turn -> {
              runs.incrementAndGet();
              return AgentResult.fatal("not installed");
            })
            .build()) {
      assertThatThrownBy(loop::step).isInstanceOf(LockedException.class);
      store.refuse("");

      assertThat(loop.run().reason()).isEqualTo(StopReason.FAILURES);
    }
    assertThat(runs).hasValue(1);
    assertThat(session.iterations().last().orElseThrow().status())
        .isEqualTo(Iteration.Status.FAILURE);
  }

  @Test
  void refusedStart_doesNotRunTheAgent() {
    AtomicInteger runs = new AtomicInteger();
    for (String action : List.of("loop_start", "start")) {
      store.refuse(action);
      try (Loop loop =
          loop(turn -> {
                runs.incrementAndGet();
                return AgentResult.success();
              })
              .maxIterations(1)
              .build()) {
        assertThatThrownBy(loop::step).isInstanceOf(LockedException.class);
        assertThat(runs).hasValue(0);
      }
      assertThat(session.control().running()).isEmpty();
    }
  }

  @Test
  void refusedAppend_endsTheAgentBeforeThrowing() {
    CountDownLatch interrupted = new CountDownLatch(1);
    AtomicReference<Loop> self = new AtomicReference<>();
    store.refuse("complete");
    try (Loop loop =
        loop(turn -> {
              self.get().cancel("enough");
              try {
                new CountDownLatch(1).await();
              } finally {
                interrupted.countDown();
              }
              return AgentResult.success();
            })
            .build()) {
      self.set(loop);
      assertThatThrownBy(loop::step).isInstanceOf(LockedException.class);
      assertThat(interrupted.getCount()).isZero();
      assertNoThreadIsLeft();
      store.refuse("");
    }
    assertThat(session.iterations().last().orElseThrow().status())
        .isEqualTo(Iteration.Status.INTERRUPTED);
  }

  @Test
  void refusedEndOfLoop_stillClosesTheLoop() {
    Loop loop = loop(turn -> AgentResult.success()).build();
    loop.step();
    store.refuse("loop_end");

    loop.close();

    assertThat(loop.result().orElseThrow().reason()).isEqualTo(StopReason.INTERRUPTED);
  }

  @Test
  void refusedEndOfLoop_freesTheSession() {
    Loop loop = loop(turn -> AgentResult.success()).build();
    loop.step();
    store.refuse("loop_end");
    loop.close();
    store.refuse("");

    assertThat(session.control().running().orElseThrow().live()).isFalse();
    assertThat(loop(turn -> AgentResult.success()).maxIterations(1).run().reason())
        .isEqualTo(StopReason.MAX_ITERATIONS);
  }

  @Test
  void unknownOutcomeOfStart_isResolvedByRetry() {
    store.loseReplyTo("loop_start");
    try (Loop loop = loop(turn -> AgentResult.success()).maxIterations(1).build()) {
      assertThatThrownBy(loop::step).isInstanceOf(IndeterminateException.class);
      store.loseReplyTo("");
      assertThat(loop.run().reason()).isEqualTo(StopReason.MAX_ITERATIONS);
    }
    store.loseReplyTo("loop_start");
    try (Loop loop = loop(turn -> AgentResult.success()).build()) {
      assertThatThrownBy(loop::step).isInstanceOf(IndeterminateException.class);
      store.loseReplyTo("");
    }
    assertThat(session.control().running()).isEmpty();
  }

  @Test
  void temporaryRefusal_isRetriedWithNotice() {
    List<String> notices = new CopyOnWriteArrayList<>();
    AtomicInteger runs = new AtomicInteger();
    LoopResult result =
        loop(turn -> {
              runs.incrementAndGet();
              store.refuse("complete");
              return AgentResult.success();
            })
            .onEvent(
                event -> {
                  if (event.type() == LoopEvent.Type.NOTICE) {
                    notices.add(event.message());
                    if (notices.size() % 2 == 0) {
                      store.refuse("");
                    }
                  }
                })
            .maxIterations(2)
            .run();

    assertThat(result.reason()).isEqualTo(StopReason.MAX_ITERATIONS);
    assertThat(runs).hasValue(2);
    assertThat(notices)
        .hasSize(4)
        .first()
        .asString()
        .isEqualTo(
            "trying again in 1 ms, because the store failed: the store is held by process 1");
  }

  @ParameterizedTest
  @CsvSource({
    "loop_start, true", "loop_start, false", "start, true", "start, false",
    "complete, true", "complete, false", "loop_end, true", "loop_end, false"
  })
  void lostServer_isWaitedForBeyondTheFailureLimit(String action, boolean writes) {
    AtomicInteger runs = new AtomicInteger();
    store.cutAt(action, writes, 6);
    LoopResult result =
        loop(turn -> {
              runs.incrementAndGet();
              return AgentResult.success();
            })
            .maxFailures(2)
            .maxIterations(2)
            .run();

    assertThat(result.reason()).isEqualTo(StopReason.MAX_ITERATIONS);
    assertThat(runs).hasValue(2);
    assertThat(session.iterations().list())
        .extracting(Iteration::status)
        .containsExactly(Iteration.Status.SUCCESS, Iteration.Status.SUCCESS);
    assertThat(session.control().running()).isEmpty();
  }

  @Test
  void lastingRefusal_throwsAfterMaxFailures() {
    List<LoopEvent.Type> types = new CopyOnWriteArrayList<>();
    Loop.Builder builder =
        loop(turn -> {
              store.refuse("complete");
              return AgentResult.success();
            })
            .onEvent(event -> types.add(event.type()))
            .maxFailures(3);
    assertThatThrownBy(builder::run).isInstanceOf(LockedException.class);
    assertThat(types).filteredOn(type -> type == LoopEvent.Type.NOTICE).hasSize(2);
  }

  @Test
  void lastingRefusal_isTheReasonOfTheEnd() {
    List<LoopEvent> events = new CopyOnWriteArrayList<>();
    Loop loop =
        loop(turn -> {
              store.refuse("complete");
              return AgentResult.success();
            })
            .onEvent(events::add)
            .build();
    try (loop) {
      assertThatThrownBy(loop::run).isInstanceOf(LockedException.class);
    }

    LoopResult result = loop.result().orElseThrow();
    assertThat(result.reason()).isEqualTo(StopReason.STORE_FAILED);
    assertThat(result.detail()).isEqualTo("the store is held by process 1");
    LoopEvent last = events.get(events.size() - 1);
    assertThat(last.type()).isEqualTo(LoopEvent.Type.LOOP_ENDED);
    assertThat(last.message())
        .isEqualTo("loop ended: store_failed after 1 iteration: the store is held by process 1");
    assertThat(last.data().string("reason")).isEqualTo("store_failed");
  }

  @Test
  void cancelledLoop_staysInterruptedDespiteStoreFailure() {
    Loop loop = loop(turn -> AgentResult.success()).build();
    try (loop) {
      loop.step();
      store.refuse("loop_end");
      loop.cancel("enough");
      assertThatThrownBy(loop::step).isInstanceOf(LockedException.class);
    }

    assertThat(loop.result().orElseThrow().reason()).isEqualTo(StopReason.INTERRUPTED);
    assertThat(loop.result().orElseThrow().detail()).isEqualTo("enough");
  }

  @Test
  void passedStoreFailure_isNotTheReason() {
    Loop loop = loop(turn -> AgentResult.success()).build();
    try (loop) {
      store.refuse("start");
      assertThatThrownBy(loop::step).isInstanceOf(LockedException.class);
      store.refuse("");
      loop.step();
    }

    assertThat(loop.result().orElseThrow().reason()).isEqualTo(StopReason.INTERRUPTED);
  }

  @Test
  void temporaryRefusalOfStart_isRetried() {
    for (String action : List.of("loop_start", "start")) {
      store.refuse(action);
      List<LoopEvent> events = new CopyOnWriteArrayList<>();
      LoopResult result =
          loop(turn -> AgentResult.success())
              .onEvent(
                  event -> {
                    events.add(event);
                    if (event.type() == LoopEvent.Type.NOTICE) {
                      store.refuse("");
                    }
                  })
              .maxIterations(1)
              .run();

      assertThat(result.reason()).isEqualTo(StopReason.MAX_ITERATIONS);
      assertThat(events)
          .extracting(LoopEvent::message)
          .contains(
              "trying again in 1 ms, because the store failed: the store is held by process 1");
    }
  }

  @Test
  void lastingRefusalOfStart_throwsAfterMaxFailures() {
    List<LoopEvent.Type> types = new CopyOnWriteArrayList<>();
    store.refuse("loop_start");
    Loop.Builder builder =
        loop(turn -> AgentResult.success())
            .onEvent(event -> types.add(event.type()))
            .maxFailures(3);

    assertThatThrownBy(builder::run).isInstanceOf(LockedException.class);

    assertThat(types).containsExactly(LoopEvent.Type.NOTICE, LoopEvent.Type.NOTICE);
    assertThat(session.control().running()).isEmpty();
  }

  @Test
  void heldSession_throwsWithoutWaiting() {
    try (Loop other = loop(turn -> AgentResult.success()).build()) {
      other.step();
      Loop.Builder builder =
          loop(turn -> AgentResult.success()).failurePause(Duration.ofMinutes(10));
      assertThatThrownBy(builder::run).hasMessageContaining("a loop already runs on this session");
    }
  }

  @Test
  void refusedOutput_isRetriedAndFailsNoIteration() {
    try (Loop loop =
        loop(turn -> {
              store.refuse(FailingStore.OUTPUT);
              turn.output("x".repeat(20_000));
              store.refuse("");
              turn.output("y");
              return AgentResult.success();
            })
            .maxIterations(1)
            .build()) {
      assertThat(loop.run().reason()).isEqualTo(StopReason.MAX_ITERATIONS);
    }
    assertThat(session.iterations().transcript(1)).isEqualTo("x".repeat(20_000) + "\ny\n");

    try (Loop loop =
        loop(turn -> {
              store.refuse(FailingStore.OUTPUT);
              turn.output("lost");
              return AgentResult.success();
            })
            .maxIterations(1)
            .build()) {
      assertThat(loop.run().reason()).isEqualTo(StopReason.MAX_ITERATIONS);
    }
    assertThat(session.iterations().transcript(2)).isEmpty();
  }

  @Test
  void unknownProgress_countsAsProgress() {
    AtomicInteger turns = new AtomicInteger();
    LoopResult result =
        loop(turn -> {
              if (turns.incrementAndGet() == 3) {
                store.failNextLookAtWork();
              }
              return AgentResult.success();
            })
            .maxIdle(5)
            .run();

    assertThat(result.reason()).isEqualTo(StopReason.NO_PROGRESS);
    assertThat(result.iterations()).as("three, then five idle iterations").isEqualTo(8);
  }

  /** The branch has already moved, and must not move again for the same task. */
  @ParameterizedTest
  @ValueSource(strings = {"landed", "complete"})
  void refusedRecordOfMerge_mergesOnlyOnce(String action) throws Exception {
    Git git = new Git(folder, Duration.ofMinutes(1));
    for (String line :
        List.of(
            "init -q -b main",
            "config user.name Somebody",
            "config user.email somebody@example.org",
            "commit -q --allow-empty -m begin")) {
      assertThat(git.run(line.split(" ")).isGood()).as(line).isTrue();
    }
    session.tasks().add("one");
    session.tasks().add("two");
    AtomicInteger refusals = new AtomicInteger();
    try (Loop loop =
        loop(turn -> {
              String id = session.iterations().running(turn.agent()).orElseThrow().task();
              Files.writeString(turn.directory().resolve(id), "done");
              turn.session().tasks().complete(String.valueOf(id));
              store.refuse(refusals.get() == 0 ? action : "");
              return AgentResult.success();
            })
            .agents(2)
            .doneWhen(now -> true)
            .build()) {
      boolean continues = true;
      while (continues) {
        try {
          continues = loop.step();
        } catch (RalphException refused) {
          refusals.incrementAndGet();
          store.refuse("");
        }
      }
      assertThat(loop.result().orElseThrow().reason()).isEqualTo(StopReason.COMPLETED);
    }

    assertThat(session.tasks().list()).allMatch(Task::isSettled);
    assertThat(git.run("ls-tree", "--name-only", "ralph/s").output().lines()).hasSize(2);
    assertThat(git.run("log", "--format=%(trailers:key=Ralph-Task)", "ralph/s").output().lines())
        .filteredOn(line -> !line.isBlank())
        .doesNotHaveDuplicates();
  }

  /** A memory store that refuses to append frames of one action, as a locked store does. */
  private static final class FailingStore extends ForwardingStore implements FrameStoreProvider {

    static final String OUTPUT = "output";

    private volatile String refused = "";
    private volatile String lost = "";
    private volatile String broken = "";
    private volatile boolean blind;
    private volatile String cut = "";
    private volatile boolean writesWhereCut;
    private final AtomicInteger cuts = new AtomicInteger();

    FailingStore() {
      super(new MemoryStoreProvider().open(StoreConfig.in(null)));
    }

    void refuse(String action) {
      refused = action;
    }

    /** Throws at appends of an action, like a store with a bug. */
    void breakAt(String action) {
      broken = action;
    }

    /** Fails the next read that covers tasks and notes together. */
    void failNextLookAtWork() {
      blind = true;
    }

    /** Appends frames of an action, but loses the reply. */
    void loseReplyTo(String action) {
      lost = action;
    }

    /** Fails a number of appends of an action, as if the store were unreachable. */
    void cutAt(String action, boolean writes, int appends) {
      writesWhereCut = writes;
      cuts.set(appends);
      cut = action;
    }

    @Override
    public String name() {
      return "failing";
    }

    @Override
    public FrameStore open(StoreConfig config) {
      return this;
    }

    @Override
    public Appended append(Batch batch) {
      for (Draft draft : batch.drafts()) {
        if (broken.equals(draft.meta().string("action"))) {
          throw new IllegalStateException("a bug in the store");
        }
        Topic topic = draft.topic();
        boolean output = topic.name().endsWith("." + OUTPUT) && refused.equals(OUTPUT);
        if (output || refused.equals(draft.meta().string("action"))) {
          throw new LockedException("the store is held by process 1", 1);
        }
      }
      if (cuts.get() > 0 && cut.equals(batch.drafts().get(0).meta().string("action"))) {
        cuts.decrementAndGet();
        RalphException unreachable = RalphException.unavailable("the server restarts", null);
        if (writesWhereCut) {
          super.append(batch);
        }
        throw writesWhereCut || cuts.get() % 2 == 1
            ? new IndeterminateException("no reply", batch.id(), Position.START, unreachable)
            : unreachable;
      }
      Appended appended = super.append(batch);
      if (lost.equals(batch.drafts().get(0).meta().string("action"))) {
        throw new IndeterminateException("no reply", batch.id(), Position.START, null);
      }
      return appended;
    }

    @Override
    public FrameCursor read(Query query) {
      TopicFilter of = query.filter();
      if (blind && of.matches(Topic.of("ralph.s.task")) && of.matches(Topic.of("ralph.s.note"))) {
        blind = false;
        throw new LockedException("the store is held by process 1", 1);
      }
      return super.read(query);
    }

    @Override
    public Optional<List<Frame>> findBatch(String batchId, Position since) {
      if (cuts.get() > 0) {
        throw RalphException.unavailable("the server restarts", null);
      }
      if (!lost.isEmpty()) {
        throw new LockedException("the store is held by process 1", 1);
      }
      return super.findBatch(batchId, since);
    }
  }
}
