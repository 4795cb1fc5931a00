package dev.ralph.core.internal.prompt;

import dev.ralph.Task;
import dev.ralph.TaskList;
import dev.ralph.core.internal.task.PathPatterns;
import dev.ralph.core.internal.text.TaskWords;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The tasks related to the task of one of several agents. */
final class RelatedTasks {

  private static final int TITLE = 80;

  /** The length of the line with the number of omitted tasks. */
  private static final int MORE = 24;

  private final TaskList all;
  private final TeamContext team;
  private final Task own;
  private final Map<String, Task> tasks = new LinkedHashMap<>();
  private final Map<String, List<String>> relations = new LinkedHashMap<>();

  private RelatedTasks(TaskList all, TeamContext team, Task own) {
    this.all = all;
    this.team = team;
    this.own = own;
  }

  /**
   * Renders the section: tasks of other agents, tasks waiting for the own task, the own task's
   * dependencies, and tasks on the same files.
   *
   * @param length the maximum number of characters
   * @return the section; empty if no task is related
   */
  static String render(TaskList all, TeamContext team, Task own, int length) {
    return new RelatedTasks(all, team, own).render(length);
  }

  private String render(int length) {
    for (TeamContext.Other other : team.others()) {
      relate(other.task(), "agent " + other.agent() + " works on it");
    }
    for (Task task : all.open()) {
      if (task.dependencies().contains(own.id())) {
        relate(task, "waits for your task");
      }
    }
    for (Task task : all) {
      if (own.dependencies().contains(task.id())) {
        relate(task, "your task depends on it, " + TaskWords.status(task.status()));
      }
    }
    for (Task task : all.open()) {
      if (!task.id().equals(own.id()) && PathPatterns.overlap(own.touches(), task.touches())) {
        relate(task, "touches the same files");
      }
    }
    String heading = "## Related tasks (for other agents)\n";
    int left = length - heading.length() - MORE;
    if (tasks.isEmpty() || left <= 0) {
      return "";
    }
    return heading
        + String.join("\n", PromptItems.within(left, List.copyOf(tasks.values()), this::line));
  }

  private void relate(Task task, String relation) {
    tasks.putIfAbsent(task.id(), task);
    relations.computeIfAbsent(task.id(), id -> new ArrayList<>()).add(relation);
  }

  private String line(Task task) {
    return "- [t"
        + task.number()
        + "] "
        + TaskWords.firstLine(task, TITLE)
        + " ("
        + String.join("; ", relations.getOrDefault(task.id(), List.of()))
        + ")";
  }
}
