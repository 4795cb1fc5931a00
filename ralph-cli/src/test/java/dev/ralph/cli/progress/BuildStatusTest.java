package dev.ralph.cli.progress;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.Iteration;
import dev.ralph.LoopEvent;
import dev.ralph.Ralph;
import dev.ralph.Session;
import dev.ralph.StatusChange;
import dev.ralph.Task;
import dev.ralph.TaskList;
import dev.ralph.Usage;
import dev.ralph.log.Meta;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The status line of {@code ralph build}, computed from events. */
class BuildStatusTest {

  private static final Instant BEGAN = Instant.parse("2026-01-31T09:05:00Z");

  private final Ralph ralph = Ralph.inMemory();
  private final Session session = ralph.session("s");
  private BuildStatus status = new BuildStatus(5, false, BEGAN);

  @AfterEach
  void close() {
    ralph.close();
  }

  /** Passes a loop event of an iteration to the status line. */
  private void note(LoopEvent.Type type, long seconds, int iteration, String message, Usage usage) {
    Instant time = BEGAN.plusSeconds(seconds);
    LoopEvent head = LoopEvent.of(type, "s", time, iteration, 0, message, Meta.empty());
    status.note(
        switch (type) {
          case USAGE -> new LoopEvent.Used(head, usage);
          case ITERATION_ENDED ->
              new LoopEvent.IterationEnded(
                  head, Iteration.Status.SUCCESS, "", Duration.ZERO, usage);
          default -> head;
        });
  }

  private void note(LoopEvent.Type type, long seconds, String message) {
    note(type, seconds, 12, message, Usage.NONE);
  }

  private String line(long seconds) {
    TaskList tasks = session.tasks().list();
    return status.line(BEGAN.plusSeconds(seconds), tasks, BuildStatus.tasks(tasks), false);
  }

  @Test
  void statusLine_showsIterationTimeAndTask() {
    assertThat(line(1)).isEqualTo("1s  starting");
    note(LoopEvent.Type.ITERATION_STARTED, 2, "");
    assertThat(line(3)).isEqualTo("#12, 1 of 5  1s");
    Task first = session.tasks().add("Write the form\nas agreed");
    session.tasks().status(first.id(), StatusChange.to(Task.Status.IN_PROGRESS));
    session.tasks().complete(session.tasks().add("Read the spec").id());
    assertThat(line(4)).isEqualTo("#12, 1 of 5  2s  1 of 2 tasks done  t1 Write the form");
    note(LoopEvent.Type.OUTPUT, 5, "something");
    assertThat(line(34)).doesNotContain("silent");
    assertThat(line(95))
        .isEqualTo("#12, 1 of 5  1m33s  1 of 2 tasks done  silent for 1m30s  t1 Write the form");
  }

  private void noteOf(int agent, LoopEvent.Type type, long seconds, String task, Usage usage) {
    Instant time = BEGAN.plusSeconds(seconds);
    LoopEvent head = LoopEvent.of(type, "s", time, 10 + agent, agent, "a message", Meta.empty());
    status.note(
        switch (type) {
          case ITERATION_STARTED ->
              new LoopEvent.IterationStarted(head, Iteration.Role.BUILD, task);
          case USAGE -> new LoopEvent.Used(head, usage);
          case ITERATION_ENDED ->
              new LoopEvent.IterationEnded(
                  head, Iteration.Status.SUCCESS, "", Duration.ZERO, usage);
          default -> head;
        });
  }

  @Test
  void statusLineOfTeam_showsEachTaskAndUsage() {
    Usage usage = Usage.of(1_000, 0, null);
    String first = session.tasks().add("Write the form").id();
    String second = session.tasks().add("Write the page").id();
    noteOf(1, LoopEvent.Type.ITERATION_STARTED, 1, first, Usage.NONE);
    noteOf(2, LoopEvent.Type.ITERATION_STARTED, 2, second, Usage.NONE);
    noteOf(1, LoopEvent.Type.USAGE, 3, null, usage);
    noteOf(2, LoopEvent.Type.USAGE, 3, null, usage);
    assertThat(line(4)).isEqualTo("#12, 2 of 5  4s  0 of 2 tasks done  2.0k tokens  1: t1  2: t2");

    session.tasks().complete(first);
    noteOf(1, LoopEvent.Type.ITERATION_ENDED, 5, null, usage);
    note(LoopEvent.Type.GATE_STARTED, 6, "gate mvn -q verify");
    assertThat(line(7)).endsWith("1 of 2 tasks done  2.0k tokens  2: t2  gate mvn -q verify, 1s");
    note(LoopEvent.Type.GATE, 8, "");
    noteOf(1, LoopEvent.Type.ITERATION_STARTED, 9, null, Usage.NONE);
    assertThat(line(9)).endsWith("2.0k tokens  1: alone  2: t2");
    noteOf(1, LoopEvent.Type.ITERATION_ENDED, 10, null, Usage.NONE);
    noteOf(2, LoopEvent.Type.ITERATION_ENDED, 10, null, usage);
    assertThat(line(11)).endsWith("1s  1 of 2 tasks done  2.0k tokens  between iterations");
  }

  @Test
  void missingLimit_isNotShown() {
    status = new BuildStatus(0, false, BEGAN);
    note(LoopEvent.Type.ITERATION_STARTED, 0, "");
    assertThat(line(0)).isEqualTo("#12  0s");
  }

  @Test
  void usage_growsDuringIterationAndCountsOnce() {
    note(LoopEvent.Type.ITERATION_STARTED, 0, "");
    note(LoopEvent.Type.USAGE, 1, 12, "", Usage.of(900, 99, null));
    assertThat(line(1)).isEqualTo("#12, 1 of 5  1s  999 tokens");
    Usage more = Usage.of(12_000, 345, new BigDecimal("0.119"));
    note(LoopEvent.Type.USAGE, 2, 12, "", more);
    assertThat(line(2)).isEqualTo("#12, 1 of 5  2s  12.3k tokens, $0.12");
    note(LoopEvent.Type.ITERATION_ENDED, 3, 12, "", more);
    assertThat(line(3)).contains("  12.3k tokens, $0.12  between iterations");
    note(LoopEvent.Type.ITERATION_STARTED, 4, 13, "", Usage.NONE);
    note(LoopEvent.Type.USAGE, 5, 13, "", more);
    assertThat(line(5)).isEqualTo("#13, 2 of 5  1s  24.6k tokens, $0.24");
  }

  @Test
  void quietMode_showsLastOutputLine() {
    status = new BuildStatus(5, true, BEGAN);
    note(LoopEvent.Type.ITERATION_STARTED, 0, "");
    note(LoopEvent.Type.NOTICE, 1, "Starting opencode…");
    assertThat(line(1)).isEqualTo("#12, 1 of 5  1s  Starting opencode…");
    note(LoopEvent.Type.OUTPUT, 2, "\u001b[31mRead a file\u001b[0m\u0007\n\n");
    assertThat(line(2)).isEqualTo("#12, 1 of 5  2s  Read a file\\u0007");
    assertThat(line(62)).isEqualTo("#12, 1 of 5  1m02s  silent for 1m00s  Read a file\\u0007");
    note(LoopEvent.Type.ITERATION_STARTED, 70, 13, "", Usage.NONE);
    assertThat(line(70)).as("no output of the previous iteration").isEqualTo("#13, 2 of 5  0s");
  }

  @Test
  void gatesAndWaits_haveTheirOwnTimes() {
    note(LoopEvent.Type.ITERATION_STARTED, 0, "");
    note(LoopEvent.Type.ITERATION_ENDED, 5, "");
    note(LoopEvent.Type.WAITING, 5, "waiting 8 s after a failure");
    assertThat(line(7)).isEqualTo("#12, 1 of 5  2s  waiting 8 s after a failure");
    note(LoopEvent.Type.GATE_STARTED, 20, "gate: mvn -q\tverify");
    assertThat(line(90)).isEqualTo("#12, 1 of 5  1m10s  gate: mvn -q verify");
    note(LoopEvent.Type.GATE, 91, "");
    assertThat(line(92)).isEqualTo("#12, 1 of 5  1s  between iterations");
  }

  @ParameterizedTest
  @CsvSource({"0,0", "999,999", "1000,1.0k", "999999,999.9k", "1000000,1.0M", "12345678,12.3M"})
  void tokens_areRounded(long tokens, String shown) {
    assertThat(BuildStatus.shortForm(Usage.of(tokens, 0, null))).isEqualTo(shown + " tokens");
  }

  @Test
  void sessionWithoutTasks_showsNoTaskCount() {
    assertThat(BuildStatus.tasks(null)).isEmpty();
  }
}
