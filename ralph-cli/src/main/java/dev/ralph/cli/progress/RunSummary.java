package dev.ralph.cli.progress;

import dev.ralph.Iteration;
import dev.ralph.Session;
import dev.ralph.Task;
import dev.ralph.TaskList;
import dev.ralph.Usage;
import dev.ralph.cli.session.ChangeCount;
import dev.ralph.cli.text.Durations;
import dev.ralph.cli.text.SafeText;
import dev.ralph.core.internal.json.SessionJson;
import dev.ralph.log.Meta;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The summary at the end of a run.
 *
 * @param tasks the numbers of tasks, or null if the store cannot be read
 * @param iterations the number of iterations begun in this run
 * @param commits the commits of this run, or null if unknown
 */
record RunSummary(
    @Nullable Tasks tasks,
    int iterations,
    Duration took,
    Usage usage,
    RunCommits.@Nullable Count commits) {

  private static final int SHORT_ID = 10;

  /**
   * The numbers of tasks.
   *
   * @param notMerged the number of completed tasks whose work is not merged yet
   * @param left the number of tasks that can still be worked on
   */
  record Tasks(int completed, int notMerged, int blocked, int cancelled, int left) {

    /** Counts the tasks of a session. */
    static Tasks of(TaskList tasks) {
      int blocked = tasks.of(Task.Status.BLOCKED).size();
      return new Tasks(
          tasks.of(Task.Status.COMPLETED).size(),
          tasks.toMerge().size(),
          blocked,
          tasks.of(Task.Status.CANCELLED).size(),
          tasks.open().size() - blocked);
    }

    /**
     * Counts the tasks of a whole change.
     *
     * @param known the tasks of the change's session
     */
    static Tasks of(ChangeCount change, TaskList known) {
      Tasks begun = of(known);
      int left = Math.max(0, change.tasks() - change.tasksDone() - begun.blocked());
      return new Tasks(change.tasksDone(), begun.notMerged(), begun.blocked(), 0, left);
    }

    private boolean areNone() {
      return completed + blocked + cancelled + left == 0;
    }

    /** Returns the numbers as text; the number of completed tasks is always included. */
    String inWords() {
      if (areNone()) {
        return "none";
      }
      return completed
          + " completed"
          + (notMerged == 0 ? "" : " (" + notMerged + " not merged yet)")
          + (blocked == 0 ? "" : ", " + blocked + " blocked")
          + (cancelled == 0 ? "" : ", " + cancelled + " cancelled")
          + (left == 0 ? "" : ", " + left + " left");
    }

    private Meta json() {
      return Meta.of("completed", completed)
          .with("not_merged", notMerged == 0 ? null : notMerged)
          .with("blocked", blocked)
          .with("cancelled", cancelled)
          .with("left", left);
    }
  }

  /** Returns the summary as lines for a terminal. */
  List<String> lines() {
    List<String> lines = new ArrayList<>();
    if (tasks != null) {
      lines.add("tasks: " + tasks.inWords());
    }
    lines.add("run: " + run());
    if (commits != null) {
      lines.add("commits: " + commits.commits() + " on " + SafeText.line(commits.branch()));
    }
    return lines;
  }

  /** Returns the summary as a single line for a pipe. */
  String line() {
    String ofTasks =
        tasks == null ? "" : tasks.areNone() ? "no tasks; " : "tasks: " + tasks.inWords() + "; ";
    return ofTasks
        + run()
        + (commits == null
            ? ""
            : "; "
                + counted(commits.commits(), "commit")
                + " on "
                + SafeText.line(commits.branch()));
  }

  private String run() {
    return counted(iterations, "iteration")
        + ", "
        + Durations.format(took)
        + (usage.equals(Usage.NONE) ? "" : ", " + BuildStatus.shortForm(usage));
  }

  /** Returns the iterations, the time and the usage of a whole session as text. */
  static String all(Session session) {
    Duration took = Duration.ZERO;
    List<Iteration> iterations = session.iterations().list();
    for (Iteration each : iterations) {
      Duration own = each.duration();
      took = own == null ? took : took.plus(own);
    }
    return new RunSummary(null, iterations.size(), took, session.iterations().usage(), null).run();
  }

  private static String counted(int count, String what) {
    return count + " " + what + (count == 1 ? "" : "s");
  }

  /** Returns the command that shows the commits of this run; empty without commits. */
  List<String> toSeeCommits() {
    RunCommits.Count known = commits;
    String since = known == null || known.commits() == 0 ? null : known.since();
    return since == null
        ? List.of()
        : List.of("to see the commits: git log --stat " + since.substring(0, SHORT_ID) + "..HEAD");
  }

  /**
   * Returns the summary as a JSON object.
   *
   * @param pullRequest the address of the pull request, or null
   * @param next the next steps for a person
   */
  Meta json(@Nullable String pullRequest, List<String> next) {
    return Meta.empty()
        .with("tasks", tasks == null ? null : tasks.json())
        .with("iterations", iterations)
        .with("duration_ms", took.toMillis())
        .with("usage", SessionJson.usage(usage))
        .with("commits", commits == null ? null : commits.commits())
        .with("branch", commits == null ? null : commits.branch())
        .with("pull_request", pullRequest)
        .with("next", next.isEmpty() ? null : next);
  }
}
