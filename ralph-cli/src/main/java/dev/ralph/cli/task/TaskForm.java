package dev.ralph.cli.task;

import dev.ralph.Claim;
import dev.ralph.Task;
import dev.ralph.TaskLog;
import dev.ralph.cli.call.ListOutput;
import dev.ralph.cli.terminal.Style;
import dev.ralph.cli.text.ListedText;
import dev.ralph.cli.text.SafeText;
import dev.ralph.core.internal.json.JsonProfile;
import dev.ralph.core.internal.json.SessionJson;
import dev.ralph.core.internal.text.TaskWords;
import dev.ralph.log.Meta;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** Renders tasks as text and JSON. */
public final class TaskForm {

  private static final int STATUS_WIDTH = 12;
  private static final int MOST_NAMED = 5;
  private static final int COMMIT = 9;

  private TaskForm() {}

  /** Returns the listing of tasks in their state at a time. */
  static ListOutput<Task> listing(Instant now) {
    return new ListOutput<>(
        "tasks", "tasks", task -> json(task, now), (task, style) -> line(task, style, now));
  }

  /**
   * Returns a task at a time as text, with further lines for a text of several lines. A long text
   * is cut.
   */
  public static String line(Task task, Style style, Instant now) {
    return line(task, ListedText.of(task), style, now);
  }

  /** Returns a task at a time as text, with the whole text. */
  static String wholeLine(Task task, Style style, Instant now) {
    return line(task, ListedText.whole(task.content()), style, now);
  }

  private static String line(Task task, ListedText text, Style style, Instant now) {
    String status = task.status().word();
    StringBuilder line = new StringBuilder(96);
    line.append('t').append(task.number()).append(" [").append(task.shortId()).append("] ");
    line.append(style.status(task.status(), status));
    for (int i = status.length(); i < STATUS_WIDTH; i++) {
      line.append(' ');
    }
    line.append(text.indented("task show t" + task.number()));
    if (task.priority() != TaskLog.DEFAULT_PRIORITY) {
      line.append(" (priority ").append(task.priority()).append(')');
    }
    List<Task> awaited = task.awaited();
    if (!awaited.isEmpty()) {
      line.append(style.faint(" (waits for " + names(awaited) + ")"));
    }
    Claim claim = task.claimAt(now);
    if (claim != null) {
      line.append(style.faint(" (claimed by " + SafeText.line(claim.owner()) + ")"));
    }
    String merge = mergeState(task);
    if (!merge.isEmpty()) {
      line.append(style.faint(" (" + merge + ")"));
    }
    if (task.attempts() > 0) {
      line.append(style.faint(" (" + TaskWords.attempts(task) + ")"));
    }
    String reason = task.reason();
    if (reason != null && !reason.isEmpty()) {
      line.append(style.faint(" (" + firstLine(reason) + ")"));
    }
    return line.toString();
  }

  /** Returns the merge state of a task completed on a branch; empty without a branch. */
  public static String mergeState(Task task) {
    if (task.status() == Task.Status.COMPLETED && !task.isSettled()) {
      return "not merged yet";
    }
    if (TaskWords.isUnchanged(task)) {
      return "no changes";
    }
    String commit = task.commit();
    return commit == null
        ? ""
        : "merged as " + SafeText.line(commit.substring(0, Math.min(COMMIT, commit.length())));
  }

  /** Returns the first line, because the output of a failed gate may be long. */
  private static String firstLine(String reason) {
    int end = reason.indexOf('\n');
    return end < 0 ? SafeText.line(reason) : SafeText.line(reason.substring(0, end)) + " …";
  }

  /** Returns the numbers of tasks, limited to the first few. */
  public static String names(List<Task> tasks) {
    StringBuilder names = new StringBuilder();
    for (int i = 0; i < tasks.size() && i < MOST_NAMED; i++) {
      names.append(i == 0 ? "t" : ", t").append(tasks.get(i).number());
    }
    int more = tasks.size() - MOST_NAMED;
    return more > 0 ? names + " and " + more + " more" : names.toString();
  }

  /** Returns a task at a time as a JSON object. A long text is cut. */
  public static Meta json(Task task, Instant now) {
    return SessionJson.task(task, JsonProfile.LISTED, now);
  }

  /** Returns a task at a time as a JSON object, with the whole text. */
  static Meta whole(Task task, Instant now) {
    return SessionJson.task(task, JsonProfile.FULL, now);
  }

  /** Returns tasks at a time as JSON objects. */
  static List<Meta> json(List<Task> tasks, Instant now) {
    List<Meta> all = new ArrayList<>(tasks.size());
    for (Task task : tasks) {
      all.add(json(task, now));
    }
    return all;
  }
}
