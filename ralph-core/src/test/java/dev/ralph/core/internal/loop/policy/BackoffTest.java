package dev.ralph.core.internal.loop.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.AgentResult;
import dev.ralph.Control.Activity;
import dev.ralph.Iteration;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The pause after each iteration, computed from the results of earlier iterations. */
class BackoffTest {

  private static final Duration YEAR = Duration.ofDays(365);

  private long now;
  private Backoff backoff = Backoff.none(Duration.ofSeconds(1), now);

  /** The iterations: ok, idle, failure, interrupted, or rate with the reported seconds, if any. */
  @ParameterizedTest
  @CsvSource({
    "failure failure failure failure,   1 2 4 8",
    "failure ok failure,                1 0 1",
    "failure failure idle failure,      1 2 1 1",
    "failure interrupted failure,       1 0 2",
    "failure rate failure,              1 60 2",
    "idle idle idle,                    1 2 4",
    "idle ok idle,                      1 0 1",
    "idle failure idle,                 1 1 1",
    "idle rate idle,                    1 60 1",
    "idle interrupted idle,             1 0 1",
    "rate rate rate rate rate rate,     60 120 240 480 900 900",
    "rate ok rate,                      60 0 60",
    "rate idle rate,                    60 1 60",
    "rate failure rate,                 60 1 120",
    "rate interrupted rate,             60 0 120",
    "rate:5 rate rate:7,                5 120 7",
    "rate:0 rate:-1 rate:1,             60 120 1",
  })
  void backoff_growsUntilAnIterationSucceeds(String iterations, String seconds) {
    StringBuilder waits = new StringBuilder();
    for (String iteration : iterations.split(" ")) {
      now += YEAR.toNanos(); // the previous pause is over
      note(iteration);
      waits
          .append(waits.length() == 0 ? "" : " ")
          .append(backoff.notBefore().left(now).toSeconds());
    }
    assertThat(waits).hasToString(seconds);
  }

  private void note(String iteration) {
    if (iteration.equals("interrupted")) {
      backoff =
          backoff.after(AgentOutcome.cutOff(Iteration.Status.INTERRUPTED, null, true), false, now);
      return;
    }
    String told = iteration.replaceAll("[^-0-9]", "");
    AgentResult result =
        iteration.startsWith("rate")
            ? AgentResult.rateLimited(
                "busy", told.isEmpty() ? null : Duration.ofSeconds(Long.parseLong(told)))
            : iteration.equals("failure") ? AgentResult.failure("no luck") : AgentResult.success();
    backoff = backoff.after(AgentOutcome.of(result), iteration.equals("idle"), now);
  }

  @ParameterizedTest
  @CsvSource({
    "failure failure,         2",
    "failure rate failure,    2",
    "failure ok failure,      1",
    "failure idle,            0",
    "rate rate interrupted,   0",
  })
  void failuresInARow_areCounted(String iterations, int failures) {
    for (String iteration : iterations.split(" ")) {
      note(iteration);
    }
    assertThat(backoff.failures().tries()).isEqualTo(failures);
  }

  @ParameterizedTest
  @CsvSource({
    "failure, FAILURE,     waiting 1 s after a failure",
    "rate:5,  RATE_LIMIT,  waiting 5 s after a rate limit",
    "rate,    RATE_LIMIT,  waiting 60 s after a rate limit",
    "idle,    NO_PROGRESS, waiting 1 s after an iteration that changed nothing",
  })
  void notice_hasReasonAndDelayUntilReported(
      String iteration, Activity.Kind reason, String message) {
    note(iteration);

    WaitNotice notice = backoff.notice();

    assertThat(notice.reason()).isEqualTo(reason);
    assertThat(notice.message()).isEqualTo(message);
    assertThat(notice.atMost()).isEqualTo(backoff.notBefore().left(now));
    assertThat(backoff.reported().notice()).isNull();
    assertThat(backoff.isIdlePause()).isEqualTo(reason == Activity.Kind.NO_PROGRESS);
  }

  @Test
  void shortenedWait_isOver() {
    note("idle");
    assertThat(backoff.notBefore().isUp(now)).isFalse();

    backoff = backoff.cutShort(now);

    assertThat(backoff.notBefore().isUp(now)).isTrue();
    note("ok");
    assertThat(backoff.isIdlePause()).isFalse();
  }
}
