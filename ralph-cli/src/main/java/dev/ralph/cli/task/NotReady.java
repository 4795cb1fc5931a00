package dev.ralph.cli.task;

import dev.ralph.Claim;
import dev.ralph.Task;
import dev.ralph.TaskList;
import dev.ralph.cli.text.SafeText;
import dev.ralph.cli.text.Times;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** Explains why no task of a session is ready. */
final class NotReady {

  private static final int MOST_NAMED = 5;

  private NotReady() {}

  /** Returns the reasons in a single line, by task, for a limited number of tasks. */
  static String why(TaskList all, Instant now) {
    if (all.isEmpty()) {
      return "no tasks yet";
    }
    TaskList blocked = all.of(Task.Status.BLOCKED);
    List<Task> open = new ArrayList<>(all.waiting(now));
    open.addAll(blocked);
    open.addAll(all.toMerge());
    if (open.isEmpty()) {
      return "no task is ready: all are completed or cancelled";
    }
    List<String> reasons = new ArrayList<>();
    for (Task task : open.subList(0, Math.min(MOST_NAMED, open.size()))) {
      reasons.add("t" + task.number() + " " + reason(task, now));
    }
    int more = open.size() - reasons.size();
    return "no task is ready: "
        + String.join("; ", reasons)
        + (more > 0 ? "; and " + more + " more" : "");
  }

  private static String reason(Task task, Instant now) {
    Claim claim = task.claimAt(now);
    if (claim != null) {
      return "is claimed by "
          + SafeText.line(claim.owner())
          + " until "
          + Times.local(claim.until());
    }
    List<Task> awaited = task.awaited();
    if (task.status() == Task.Status.COMPLETED) {
      return "is done but not merged yet";
    }
    if (task.status() != Task.Status.BLOCKED) {
      return awaited.isEmpty()
          ? "touches files of a claimed task"
          : "waits for " + TaskForm.names(awaited);
    }
    String reason = task.reason();
    return "is blocked" + (reason == null ? "" : " (" + SafeText.line(reason) + ")");
  }
}
