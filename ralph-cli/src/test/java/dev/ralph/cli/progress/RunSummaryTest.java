package dev.ralph.cli.progress;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.Ralph;
import dev.ralph.Session;
import dev.ralph.StatusChange;
import dev.ralph.Task;
import dev.ralph.Usage;
import dev.ralph.cli.session.StatusCommand;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RunSummaryTest {

  private static final String COMMIT = "0123456789abcdef0123456789abcdef01234567";

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "0 | 0 | 0 | 0 | 0 | none",
        "0 | 0 | 0 | 0 | 2 | 0 completed, 2 left",
        "3 | 0 | 0 | 0 | 0 | 3 completed",
        "3 | 1 | 0 | 0 | 0 | 3 completed (1 not merged yet)",
        "3 | 0 | 1 | 2 | 4 | 3 completed, 1 blocked, 2 cancelled, 4 left",
      })
  void tasks_areCountedInWords(
      int completed, int notMerged, int blocked, int cancelled, int left, String words) {
    assertThat(new RunSummary.Tasks(completed, notMerged, blocked, cancelled, left).inWords())
        .isEqualTo(words);
  }

  @Test
  void summary_hasLinesAndSingleLineAndJson() {
    RunSummary summary =
        new RunSummary(
            new RunSummary.Tasks(1, 0, 0, 0, 1),
            1,
            Duration.ofSeconds(65),
            Usage.of(12_000, 345, new BigDecimal("0.12")),
            new RunCommits.Count("main\u001b[2J", 2, COMMIT));

    assertThat(summary.lines())
        .containsExactly(
            "tasks: 1 completed, 1 left",
            "run: 1 iteration, 1m05s, 12.3k tokens, $0.12",
            "commits: 2 on main\\u001b[2J");
    assertThat(summary.line())
        .isEqualTo(
            "tasks: 1 completed, 1 left; 1 iteration, 1m05s, 12.3k tokens, $0.12; 2 commits on"
                + " main\\u001b[2J");
    assertThat(summary.toSeeCommits())
        .containsExactly("to see the commits: git log --stat 0123456789..HEAD");
    assertThat(summary.json(null, List.of("continue")).json())
        .startsWith(
            "{\"tasks\":{\"completed\":1,\"blocked\":0,\"cancelled\":0,\"left\":1},\"iterations\":1,"
                + "\"duration_ms\":65000,\"usage\":{")
        .contains("\"commits\":2,\"branch\":\"main")
        .endsWith("\"next\":[\"continue\"]}");
  }

  @Test
  void unknownParts_areOmitted() {
    RunSummary summary = new RunSummary(null, 2, Duration.ofSeconds(1), Usage.NONE, null);

    assertThat(summary.lines()).hasSize(1).first().asString().startsWith("run: 2 iterations, ");
    assertThat(summary.line()).startsWith("2 iterations, ");
    assertThat(summary.toSeeCommits()).isEmpty();
    assertThat(summary.json(null, List.of()).json())
        .isEqualTo("{\"iterations\":2,\"duration_ms\":1000}");
  }

  /** The status, the status line and the summary show the same numbers. */
  @Test
  void views_showSameCounts() {
    try (Ralph ralph = Ralph.inMemory()) {
      Session session = ralph.session("shop");
      List<Task.Status> all =
          List.of(
              Task.Status.COMPLETED,
              Task.Status.CANCELLED,
              Task.Status.BLOCKED,
              Task.Status.IN_PROGRESS,
              Task.Status.REMAINING);
      for (Task.Status status : all) {
        Task task = session.tasks().add("a " + status);
        session.tasks().status(task.id(), StatusChange.to(status));
      }

      assertThat(StatusCommand.counts(session.tasks().list()))
          .startsWith("1 of 5 completed")
          .contains("1 blocked", "1 cancelled");
      assertThat(BuildStatus.tasks(session.tasks().list()))
          .isEqualTo("1 of 5 tasks done, 1 blocked, 1 cancelled");
      assertThat(RunSummary.Tasks.of(session.tasks().list()).inWords())
          .isEqualTo("1 completed, 1 blocked, 1 cancelled, 2 left");
    }
  }
}
