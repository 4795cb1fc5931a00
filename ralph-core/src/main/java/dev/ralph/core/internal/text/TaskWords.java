package dev.ralph.core.internal.text;

import dev.ralph.Claim;
import dev.ralph.Task;
import dev.ralph.TaskList;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** Renders the properties of a task for agents, in prompts and by tools. */
public final class TaskWords {

  private static final int OWNER = 40;

  /** The number of awaited tasks shown, enough to choose a task. */
  private static final int AWAITED = 5;

  private TaskWords() {}

  /** Returns the number of tasks, in total and by status. */
  public static String counts(TaskList tasks) {
    List<String> parts = new ArrayList<>();
    tasks
        .counts()
        .forEach(
            (status, count) -> {
              if (count > 0) {
                parts.add(count + " " + status(status));
              }
            });
    return tasks.size() + (tasks.size() == 1 ? " task: " : " tasks: ") + String.join(", ", parts);
  }

  /** Returns the first line of a task's text, cut after a number of characters. */
  public static String firstLine(Task task, int characters) {
    return TextExcerpt.firstLine(task.beginning(characters), task.length(), characters);
  }

  /** Returns the name of a status. */
  public static String status(Task.Status status) {
    return status.word().replace('_', ' ');
  }

  /** Returns the owner of a live claim in parentheses; empty if none exists. */
  public static String holder(Task task, Instant now) {
    Claim claim = task.claimAt(now);
    return claim == null ? "" : " (claimed by " + TextExcerpt.firstLine(claim.owner(), OWNER) + ")";
  }

  /** Returns the tasks that a task waits for, in parentheses; empty if there are none. */
  public static String awaited(Task task) {
    List<Task> awaited = task.awaited();
    if (awaited.isEmpty()) {
      return "";
    }
    List<String> names = new ArrayList<>();
    for (Task other : awaited.subList(0, Math.min(AWAITED, awaited.size()))) {
      names.add("t" + other.number() + " (" + status(other.status()) + mergeState(other) + ")");
    }
    int more = awaited.size() - names.size();
    return " (waits for " + String.join(", ", names) + (more > 0 ? " and " + more + " more)" : ")");
  }

  /** Returns a note that a completed task is not merged yet, after a comma; otherwise empty. */
  public static String mergeState(Task task) {
    return task.status() == Task.Status.COMPLETED && !task.isSettled() ? ", not merged yet" : "";
  }

  /**
   * Returns the number of the present attempt at a task, such as {@code attempt 3 of 5}, or that
   * the attempt limit blocks the task. Empty if no attempt has failed.
   */
  public static String attempts(Task task) {
    int failed = task.attempts();
    if (failed == 0) {
      return "";
    }
    if (task.isOutOfAttempts()) {
      return failed + (failed == 1 ? " attempt failed" : " attempts failed");
    }
    int limit = task.attemptLimit();
    return "attempt " + (failed + 1L) + (limit == 0 ? "" : " of " + limit);
  }

  /** Returns whether a task was completed on its own branch without changes. */
  public static boolean isUnchanged(Task task) {
    return task.mergedAt() != null && task.commit() == null;
  }

  /** Returns the open tasks that no longer wait for a cancelled task; empty if there are none. */
  public static String released(TaskList all, Task cancelled) {
    List<String> names = new ArrayList<>();
    for (Task task : all.open()) {
      if (task.dependencies().contains(cancelled.id())) {
        names.add("t" + task.number());
      }
    }
    return names.isEmpty()
        ? ""
        : String.join(", ", names)
            + (names.size() == 1
                ? " no longer waits for this task"
                : " no longer wait for this task");
  }

  /**
   * Returns the first line of the reason for a task's status, after a colon; empty without a
   * reason.
   */
  public static String reason(Task task, int characters) {
    String reason = task.reason();
    return reason == null || reason.isBlank()
        ? ""
        : ": " + TextExcerpt.firstLine(reason, characters);
  }
}
