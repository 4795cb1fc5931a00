package dev.ralph.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ralph.AgentResult;
import dev.ralph.InterruptedStepException;
import dev.ralph.Iteration;
import dev.ralph.Ralph;
import dev.ralph.Session;
import dev.ralph.Step;
import dev.ralph.StepCodec;
import dev.ralph.Usage;
import dev.ralph.log.ContendedException;
import dev.ralph.log.Frame;
import dev.ralph.log.FrameCursor;
import dev.ralph.log.Meta;
import dev.ralph.log.Query;
import dev.ralph.log.RalphException;
import dev.ralph.log.Topic;
import dev.ralph.log.TopicFilter;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StepTest {

  private static final StepCodec<Integer> NUMBER = StepCodec.of(String::valueOf, Integer::valueOf);

  private final Ralph ralph = Ralph.inMemory();
  private final Session session = ralph.session("order");
  private final AtomicInteger done = new AtomicInteger();

  @AfterEach
  void close() {
    ralph.close();
  }

  @Test
  void completedStep_isNotRepeated() {
    assertThat(session.step("charge", NUMBER, done::incrementAndGet)).isEqualTo(1);
    assertThat(session.step("charge", NUMBER, done::incrementAndGet)).isEqualTo(1);
    assertThat(ralph.session("order").asAgent().step("charge", NUMBER, done::incrementAndGet))
        .isEqualTo(1);

    assertThat(session.step("ship", NUMBER, done::incrementAndGet)).isEqualTo(2);
    assertThat(ralph.session("other").step("charge", NUMBER, done::incrementAndGet)).isEqualTo(3);
    String text = session.step("say \"it\"\n", StepCodec.text(), () -> "line\nline");
    assertThat(session.step("say \"it\"\n", StepCodec.text(), () -> "x")).isEqualTo(text);
  }

  @Test
  void failedStep_throwsAndCanBeRepeated() {
    assertThatThrownBy(
            () ->
                session.step(
                    "charge",
                    NUMBER,
                    () -> {
                      throw new IllegalStateException("no such card");
                    }))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("no such card");

    assertThat(session.step("charge", NUMBER, done::incrementAndGet)).isEqualTo(1);
  }

  /** Fails with checked exceptions before it returns a number. */
  private int flaky(int failures) throws IOException {
    int attempt = done.incrementAndGet();
    if (attempt <= failures) {
      throw new IOException("attempt " + attempt);
    }
    return attempt;
  }

  @Test
  void checkedException_isPassedOn() {
    IOException thrown = null;
    try {
      session.step("charge", NUMBER, () -> flaky(1));
    } catch (IOException e) { // the compiler knows the type
      thrown = e;
    }
    assertThat(thrown).hasMessage("attempt 1");
    assertThat(actions()).containsExactly("begin", "fail");
  }

  @Test
  void failedAttempts_areRepeated() throws Exception {
    Step step = session.step("charge").attempts(3).delay(Duration.ofMillis(1));

    assertThat(step.call(NUMBER, () -> flaky(2))).isEqualTo(3);
    assertThat(step.call(NUMBER, () -> flaky(9))).as("kept").isEqualTo(3);

    assertThat(actions()).containsExactly("begin", "fail", "begin", "fail", "begin", "end");
    assertThat(done).hasValue(3);
  }

  @Test
  void lastFailure_isThrown() {
    Step step = session.step("charge").attempts(2);

    assertThatThrownBy(() -> step.call(NUMBER, () -> flaky(9))).hasMessage("attempt 2");
    assertThatThrownBy(() -> step.call(NUMBER, () -> flaky(9))).hasMessage("attempt 4");

    assertThat(session.step("charge", NUMBER, () -> 7)).isEqualTo(7);
  }

  @Test
  void otherFailures_areNotRepeated() {
    Step step = session.step("charge").attempts(9);

    assertThatThrownBy(
            () ->
                step.retryIf(failure -> failure.getMessage().endsWith("1"))
                    .call(NUMBER, () -> flaky(9)))
        .hasMessage("attempt 2");
    assertThatThrownBy(() -> step.run(() -> fail(new AssertionError("an error"))))
        .hasMessage("an error");
    assertThatThrownBy(() -> step.run(() -> fail(new InterruptedException("stop"))))
        .hasMessage("stop");
    assertThat(done).as("attempts").hasValue(4);
  }

  private void fail(Throwable failure) throws Exception {
    done.incrementAndGet();
    if (failure instanceof Error error) {
      throw error;
    }
    throw (Exception) failure;
  }

  @Test
  void interruptDuringDelay_endsAttempts() {
    Step step = session.step("charge").attempts(9).delay(Duration.ofDays(1));
    Thread.currentThread().interrupt();

    assertThatThrownBy(() -> step.call(NUMBER, () -> flaky(9))).hasMessage("attempt 1");

    assertThat(Thread.interrupted()).isTrue();
    assertThat(done).hasValue(1);
  }

  @Test
  void interruptWithoutDelay_endsAttempts() {
    Step step = session.step("charge").attempts(9);

    assertThatThrownBy(
            () ->
                step.run(
                    () -> {
                      Thread.currentThread().interrupt();
                      fail(new IOException("closed by interrupt"));
                    }))
        .hasMessage("closed by interrupt");

    assertThat(Thread.interrupted()).isTrue();
    assertThat(done).hasValue(1);
  }

  @Test
  void unrecordedFailure_isThrownWithoutRetry() {
    Step step = session.step("charge").attempts(9);

    assertThatThrownBy(
            () ->
                step.run(
                    () -> {
                      beginElsewhere();
                      fail(new IOException("no answer"));
                    },
                    () -> done.addAndGet(10)))
        .hasMessage("no answer")
        .satisfies(
            failure ->
                assertThat(failure.getSuppressed()[0]).isInstanceOf(ContendedException.class));

    assertThat(done).hasValue(1);
  }

  @Test
  void stepOfOtherProcessDuringDelay_isReturned() throws Exception {
    Step step = session.step("charge").attempts(2);

    Integer result =
        step.retryIf(failure -> session.step("charge", NUMBER, () -> 42) == 42)
            .call(NUMBER, () -> flaky(9));

    assertThat(result).isEqualTo(42);
    assertThat(done).hasValue(1);
  }

  @Test
  void stepWithoutResult_runsOnce() {
    session.step("mail", done::incrementAndGet);
    session.step("mail", done::incrementAndGet);
    session.step("mail").run(done::incrementAndGet, () -> done.addAndGet(10));

    assertThat(done).hasValue(1);
    assertThat(actions()).containsExactly("begin", "end");
  }

  @Test
  void interruptedStepWithoutResult_runsItsRecovery() {
    beginElsewhere();
    assertThatThrownBy(() -> session.step("charge", done::incrementAndGet))
        .isInstanceOf(InterruptedStepException.class);
    session.step("charge").run(done::incrementAndGet, () -> done.addAndGet(10));
    session.step("charge", done::incrementAndGet);
    assertThat(done).hasValue(10);
  }

  @Test
  void nullResult_leavesStepInterrupted() {
    assertThatThrownBy(() -> session.step("charge", StepCodec.text(), () -> null))
        .isInstanceOf(RalphException.class)
        .hasMessage(
            "the work of the step 'charge' returned null. Return a value, or use Step.run for work"
                + " without a result");
    assertThatThrownBy(() -> session.step("charge", StepCodec.text(), () -> "again"))
        .isInstanceOf(InterruptedStepException.class);
    assertThatThrownBy(
            () -> session.step("charge", StepCodec.text(), () -> "again", interrupted -> null))
        .hasMessageStartingWith("the recovery of the step 'charge' returned null");

    StepCodec<String> silent = StepCodec.of(text -> null, text -> null);
    assertThatThrownBy(() -> session.step("charge", silent, () -> "x", interrupted -> "x"))
        .hasMessageStartingWith("the codec of the step 'charge' returned null");
    session.step("charge", StepCodec.text(), () -> "x", interrupted -> "x");
    assertThatThrownBy(() -> session.step("charge", silent, () -> "x"))
        .hasMessageStartingWith("the codec of the step 'charge' returned null");
  }

  @Test
  void invalidPolicy_isRefused() {
    Step step = session.step("charge");
    assertThatThrownBy(() -> step.attempts(0)).hasMessage("a step needs at least 1 attempt, not 0");
    assertThatThrownBy(() -> step.delay(Duration.ofMillis(-1)))
        .hasMessageContaining("must not be negative");
  }

  /** Returns the actions on the topic of steps, in order. */
  private List<String> actions() {
    List<String> actions = new ArrayList<>();
    Query steps = Query.of(TopicFilter.of(Topic.of("ralph.order.step")));
    try (FrameCursor cursor = ralph.log().read(steps)) {
      for (Frame frame = cursor.next(); frame != null; frame = cursor.next()) {
        actions.add(frame.meta().string("action"));
      }
    }
    return actions;
  }

  @Test
  void runningStep_isRejected() {
    int result =
        session.step(
            "charge",
            NUMBER,
            () -> {
              assertThatThrownBy(() -> session.step("charge", NUMBER, done::incrementAndGet))
                  .isInstanceOf(ContendedException.class)
                  .hasMessageContaining("the step 'charge' is running in the process");
              return 7;
            });

    assertThat(result).isEqualTo(7);
    assertThat(session.step("charge", NUMBER, done::incrementAndGet)).isEqualTo(7);
    assertThat(done).hasValue(0);
  }

  @Test
  void interruptedStep_isReportedUntilResolved() {
    beginElsewhere();

    assertThatThrownBy(() -> session.step("charge", NUMBER, done::incrementAndGet))
        .isInstanceOfSatisfying(
            InterruptedStepException.class,
            e -> {
              assertThat(e.step()).isEqualTo("charge");
              assertThat(e.code()).isEqualTo(RalphException.Code.INDETERMINATE);
            })
        .hasMessageContaining("in the process 4 on elsewhere");
    assertThatThrownBy(() -> session.step("charge", NUMBER, done::incrementAndGet))
        .isInstanceOf(InterruptedStepException.class);
    assertThat(done).hasValue(0);

    assertThat(session.step("charge", NUMBER, done::incrementAndGet, halfDone -> 5)).isEqualTo(5);
    assertThat(session.step("charge", NUMBER, done::incrementAndGet)).isEqualTo(5);
    assertThat(done).hasValue(0);
  }

  private void beginElsewhere() {
    Meta begun = Meta.of("action", "begin").with("name", "charge").with("token", "t");
    ralph.append(Topic.of("ralph.order.step"), begun.with("host", "elsewhere").with("pid", 4), "");
  }

  @Test
  void stepTakenOver_discardsItsResult() {
    assertThatThrownBy(
            () ->
                session.step(
                    "charge",
                    NUMBER,
                    () -> {
                      beginElsewhere();
                      return 1;
                    }))
        .isInstanceOf(ContendedException.class)
        .hasMessageContaining("taken over");
  }

  @Test
  void usageOfStep_isCountedOnce(@TempDir Path temp) {
    session
        .loop(
            turn -> {
              int result =
                  turn.session()
                      .step(
                          "ask",
                          NUMBER,
                          () -> {
                            turn.usage(Usage.of(100, 10, null));
                            return done.incrementAndGet();
                          });
              return turn.iteration() == 1
                  ? AgentResult.failure("after the step")
                  : AgentResult.success().summary("result " + result);
            })
        .directory(temp)
        .failurePause(Duration.ofMillis(1))
        .maxIterations(2)
        .run();

    assertThat(session.iterations().usage().totalTokens()).isEqualTo(110);
    assertThat(session.iterations().last().map(Iteration::summary)).contains("result 1");
  }

  @Test
  void pastSession_rejectsSteps() {
    session.step("charge", NUMBER, done::incrementAndGet);

    Session past = session.at(ralph.clock().instant());

    assertThatThrownBy(() -> past.step("charge", NUMBER, done::incrementAndGet))
        .isInstanceOfSatisfying(
            RalphException.class,
            e -> assertThat(e.code()).isEqualTo(RalphException.Code.UNSUPPORTED));
  }
}
