package dev.ralph.core.internal.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.ralph.AgentResult;
import dev.ralph.Gate;
import dev.ralph.Iteration;
import dev.ralph.Loop;
import dev.ralph.Ralph;
import dev.ralph.Session;
import dev.ralph.StopReason;
import dev.ralph.Turn;
import dev.ralph.Verdict;
import dev.ralph.internal.ForwardingFollower;
import dev.ralph.log.Appended;
import dev.ralph.log.Batch;
import dev.ralph.log.Follower;
import dev.ralph.log.Frame;
import dev.ralph.log.FrameCursor;
import dev.ralph.log.Query;
import dev.ralph.log.TopicFilter;
import dev.ralph.spi.ForwardingStore;
import dev.ralph.spi.StoreConfig;
import dev.ralph.store.memory.MemoryStoreProvider;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Loops with an unexpected exception at each call of each source in turn. Afterwards the session is
 * always free, and another loop can work on it.
 */
@Timeout(120)
class LoopFaultTest {

  /** The component that throws. */
  private enum Source {
    STORE,
    CLOCK,
    AGENT,
    LISTENER,
    GATE
  }

  /** The kind of exception. */
  private enum Kind {
    EXCEPTION,
    ERROR,
    OUT_OF_MEMORY;

    Throwable at(int call) {
      String message = "fault at call " + call;
      return switch (this) {
        case EXCEPTION -> new IllegalStateException(message);
        case ERROR -> new AssertionError(message);
        case OUT_OF_MEMORY -> new OutOfMemoryError(message);
      };
    }
  }

  private static final int MORE_CALLS_THAN_ANY_LOOP = 2_000;

  @TempDir Path folder;

  @AfterEach
  void leavesNoThread() {
    assertThat(LeftThreads.names()).isEmpty();
  }

  private static Stream<Arguments> faults() {
    return Arrays.stream(Source.values())
        .flatMap(source -> Arrays.stream(Kind.values()).map(kind -> Arguments.of(source, kind)));
  }

  @ParameterizedTest
  @MethodSource("faults")
  void singleFault_neverBlocksTheSession(Source source, Kind kind) {
    int call = 1;
    while (runWithFaultAt(source, kind, call, false)) {
      assertThat(++call).isLessThan(MORE_CALLS_THAN_ANY_LOOP);
    }
    assertThat(call).as("calls with a fault").isGreaterThan(2);
  }

  @ParameterizedTest
  @MethodSource("faults")
  void lastingFault_neverBlocksTheSession(Source source, Kind kind) {
    int call = 1;
    while (runWithFaultAt(source, kind, call, true)) {
      assertThat(++call).isLessThan(MORE_CALLS_THAN_ANY_LOOP);
    }
  }

  /** Runs a loop with a fault at a call; returns false if the loop made fewer calls. */
  private boolean runWithFaultAt(Source source, Kind kind, int call, boolean stays) {
    Faults faults = new Faults(source, kind, call, stays);
    try (Ralph ralph = Ralph.over(new FaultyStore(faults), new FaultyClock(faults))) {
      Session session = ralph.session("s");
      session.tasks().add("one");
      session.questions().ask("Which port?");
      Loop loop = loop(session, faults);
      faults.arm();
      Throwable thrown = catchThrowable(loop::run);
      Throwable atClose = catchThrowable(loop::close);
      boolean met = faults.disarm();

      String where = source + " " + kind + " at call " + call;
      assertThat(loop.result()).as(where).isPresent();
      assertThat(session.control().running().filter(run -> run.live())).as(where).isEmpty();
      if (met && !stays) {
        assertThat(session.control().running()).as(where).isEmpty();
        assertThat(session.iterations().list())
            .as(where)
            .extracting(Iteration::status)
            .doesNotContain(Iteration.Status.RUNNING);
      }
      if (met && kind != Kind.EXCEPTION) {
        Throwable surfaced = thrown == null ? atClose : thrown;
        assertThat(surfaced).as(where).isInstanceOf(Error.class);
        assertThat(stays || surfaced == faults.first()).as(where).isTrue();
      }
      assertThat(loop(session, new Faults(source, kind, 0, false)).run().reason())
          .as(where)
          .isIn(StopReason.COMPLETED, StopReason.MAX_ITERATIONS);
      assertThat(session.iterations().list())
          .as(where)
          .extracting(Iteration::status)
          .doesNotContain(Iteration.Status.RUNNING);
      return met;
    }
  }

  private Loop loop(Session session, Faults faults) {
    return session
        .loop(turn -> work(turn, faults))
        .directory(folder)
        .failurePause(Duration.ZERO)
        .maxIterations(3)
        .maxIdle(0)
        .onEvent(event -> faults.at(Source.LISTENER))
        .gate(
            Gate.named(
                "judged",
                context -> {
                  faults.at(Source.GATE);
                  return context.iteration() == 1 ? Verdict.failed("not yet") : Verdict.passed();
                }))
        .build();
  }

  private static AgentResult work(Turn turn, Faults faults) {
    faults.at(Source.AGENT);
    turn.output("working");
    turn.session().tasks().ready().forEach(task -> turn.session().tasks().complete(task.id()));
    turn.session().control().complete();
    faults.at(Source.AGENT);
    return AgentResult.success();
  }

  @Test
  void exceptionFailsIteration_errorEndsTheLoop() {
    try (Ralph ralph = Ralph.inMemory()) {
      Session session = ralph.session("s");
      Loop loop =
          session
              .loop(
                  turn -> {
                    if (turn.iteration() == 1) {
                      throw new IllegalStateException("no luck");
                    }
                    throw new OutOfMemoryError("no room");
                  })
              .directory(folder)
              .failurePause(Duration.ZERO)
              .build();

      assertThatThrownBy(loop::run).isInstanceOf(OutOfMemoryError.class);

      assertThat(session.iterations().list())
          .extracting(Iteration::status)
          .containsExactly(Iteration.Status.FAILURE, Iteration.Status.INTERRUPTED);
      assertThat(session.control().running()).as("free before the loop is closed").isEmpty();
      assertThat(loop.result().orElseThrow().detail()).contains("no room");
    }
  }

  /** Counts the calls of one source, and throws at one call or at all calls from then on. */
  private static final class Faults {
    private final Source source;
    private final Kind kind;
    private final int at;
    private final boolean stays;
    private boolean armed;
    private int calls;
    private @Nullable Throwable first;

    Faults(Source source, Kind kind, int at, boolean stays) {
      this.source = source;
      this.kind = kind;
      this.at = at;
      this.stays = stays;
    }

    synchronized void arm() {
      armed = true;
    }

    /** Stops throwing; returns whether a fault was thrown. */
    synchronized boolean disarm() {
      armed = false;
      return first != null;
    }

    synchronized @Nullable Throwable first() {
      return first;
    }

    synchronized void at(Source here) {
      if (!armed || here != source) {
        return;
      }
      calls++;
      if (calls == at || (stays && calls > at)) {
        Throwable thrown = kind.at(calls);
        first = first == null ? thrown : first;
        LoopFaultTest.<RuntimeException>sneak(thrown);
      }
    }
  }

  @SuppressWarnings("unchecked")
  private static <T extends Throwable> void sneak(Throwable thrown) throws T {
    throw (T) thrown;
  }

  private static final class FaultyClock extends Clock {
    private final Faults faults;

    FaultyClock(Faults faults) {
      this.faults = faults;
    }

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
      faults.at(Source.CLOCK);
      return Instant.now();
    }
  }

  private static final class FaultyStore extends ForwardingStore {
    private final Faults faults;

    FaultyStore(Faults faults) {
      super(new MemoryStoreProvider().open(StoreConfig.in(null)));
      this.faults = faults;
    }

    @Override
    public Appended append(Batch batch) {
      faults.at(Source.STORE);
      return super.append(batch);
    }

    @Override
    public FrameCursor read(Query query) {
      faults.at(Source.STORE);
      return super.read(query);
    }

    @Override
    public Optional<Frame> last(TopicFilter filter) {
      faults.at(Source.STORE);
      return super.last(filter);
    }

    @Override
    public Follower follow(Query query) {
      faults.at(Source.STORE);
      return new FaultyFollower(super.follow(query), faults);
    }
  }

  private static final class FaultyFollower extends ForwardingFollower {
    private final Faults faults;

    FaultyFollower(Follower follower, Faults faults) {
      super(follower);
      this.faults = faults;
    }

    @Override
    public @Nullable Frame poll(Duration timeout) throws InterruptedException {
      faults.at(Source.STORE);
      return super.poll(timeout);
    }

    @Override
    public void close() {
      super.close();
      faults.at(Source.STORE);
    }
  }
}
