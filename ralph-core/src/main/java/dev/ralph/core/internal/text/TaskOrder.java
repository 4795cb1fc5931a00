package dev.ralph.core.internal.text;

import dev.ralph.Task;
import dev.ralph.TaskList;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** The tasks that a person wants to see first, on a terminal and on the page. */
public final class TaskOrder {

  private TaskOrder() {}

  /**
   * Returns the first tasks: in progress, to merge, ready, waiting, blocked, and last completed.
   *
   * @param most the highest number of tasks
   * @param now the time that decides which leases are live
   */
  public static List<Task> of(TaskList all, int most, Instant now) {
    List<Task> first = new ArrayList<>();
    add(first, all.of(Task.Status.IN_PROGRESS), most);
    add(first, all.toMerge(), most);
    if (first.size() < most) {
      add(first, all.ready(now).of(Task.Status.REMAINING), most);
      add(first, all.waiting(now).of(Task.Status.REMAINING), most);
    }
    add(first, all.of(Task.Status.BLOCKED), most);
    TaskList done = all.of(Task.Status.COMPLETED, Task.Status.CANCELLED);
    for (int i = done.size() - 1; i >= 0 && first.size() < most; i--) {
      Task task = done.get(i);
      if (task.isSettled() || task.status() == Task.Status.CANCELLED) {
        first.add(task);
      }
    }
    return Collections.unmodifiableList(first);
  }

  private static void add(List<Task> first, TaskList group, int most) {
    first.addAll(group.subList(0, Math.max(0, Math.min(group.size(), most - first.size()))));
  }
}
