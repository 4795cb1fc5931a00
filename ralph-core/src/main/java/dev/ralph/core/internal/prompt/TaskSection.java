package dev.ralph.core.internal.prompt;

import dev.ralph.Task;
import dev.ralph.TaskList;
import dev.ralph.TaskLog;
import dev.ralph.core.internal.text.TaskWords;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * The tasks by status: ready tasks, then waiting and blocked tasks with the reason, then counts. An
 * agent takes one task, so the list is limited to the tasks needed for a good choice.
 */
final class TaskSection {

  /**
   * The maximum length of the tasks in progress in characters, about 1,000 tokens. Agents take one
   * task at a time, so few tasks are in progress.
   */
  private static final int BEGUN_BUDGET = 4_000;

  /**
   * The maximum length of the remaining tasks in characters, about 3,000 tokens or a hundred tasks.
   */
  private static final int NEXT_BUDGET = 12_000;

  /**
   * The maximum length of the waiting and of the blocked tasks in characters, about 1,000 tokens.
   */
  private static final int STUCK_BUDGET = 4_000;

  /** The length of a task, enough to identify it; the tools show the whole text. */
  private static final int LINE = 200;

  private static final int REASON = 300;

  private final TaskList all;
  private final Instant now;
  private final List<String> lines = new ArrayList<>();

  private TaskSection(TaskList all, Instant now) {
    this.all = all;
    this.now = now;
  }

  static String render(TaskList all, Instant now) {
    return new TaskSection(all, now).render();
  }

  private String render() {
    if (all.isEmpty()) {
      return "No tasks yet";
    }
    TaskList ready = all.ready(now);
    lines.add(TaskWords.counts(all));
    group("IN PROGRESS", ready.of(Task.Status.IN_PROGRESS), BEGUN_BUDGET, this::urgency);
    group("REMAINING", ready.of(Task.Status.REMAINING), NEXT_BUDGET, this::urgency);
    group("WAITING (don't start these)", all.waiting(now), STUCK_BUDGET, this::obstacle);
    group("BLOCKED", all.of(Task.Status.BLOCKED), STUCK_BUDGET, this::reason);
    return String.join("\n", lines);
  }

  private void group(String title, List<Task> tasks, int budget, Function<Task, String> remark) {
    if (tasks.isEmpty()) {
      return;
    }
    lines.add("");
    lines.add(title + " (" + tasks.size() + ")");
    lines.addAll(
        PromptItems.within(
            budget,
            tasks,
            task ->
                "- [t"
                    + task.number()
                    + "] "
                    + TaskWords.firstLine(task, LINE)
                    + remark.apply(task)));
  }

  private String urgency(Task task) {
    return task.priority() == TaskLog.DEFAULT_PRIORITY ? "" : " (priority " + task.priority() + ")";
  }

  private String obstacle(Task task) {
    String holder = TaskWords.holder(task, now);
    return holder.isEmpty() ? TaskWords.awaited(task) : holder;
  }

  private String reason(Task task) {
    return TaskWords.reason(task, REASON);
  }
}
