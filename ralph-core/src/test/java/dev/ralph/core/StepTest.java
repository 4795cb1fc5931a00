package dev.ralph.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ralph.AgentResult;
import dev.ralph.InterruptedStepException;
import dev.ralph.Iteration;
import dev.ralph.Ralph;
import dev.ralph.Session;
import dev.ralph.StepCodec;
import dev.ralph.Usage;
import dev.ralph.log.ContendedException;
import dev.ralph.log.Meta;
import dev.ralph.log.RalphException;
import dev.ralph.log.Topic;
import java.nio.file.Path;
import java.time.Duration;
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
