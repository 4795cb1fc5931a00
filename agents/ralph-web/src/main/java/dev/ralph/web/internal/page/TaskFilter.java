package dev.ralph.web.internal.page;

import dev.ralph.Claim;
import dev.ralph.Task;
import dev.ralph.TaskList;
import dev.ralph.core.internal.text.TaskOrder;
import dev.ralph.log.RalphException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Selects and sorts tasks for the page. Texts are compared without regard to case; an empty text
 * selects all tasks.
 *
 * @param status a status, {@code ready}, {@code open} or {@code all}
 * @param agent the number of an agent, or a part of the name of the last claim's owner
 * @param text a part of the reference or of the beginning of the content
 * @param touches a part of a pattern of touched files
 * @param sort {@code importance}, {@code number}, {@code newest} or {@code priority}
 */
record TaskFilter(String status, String agent, String text, String touches, String sort) {

  TaskFilter {
    agent = agent.matches("[0-9]{1,6}") ? "agent-" + agent : lower(agent);
    text = lower(text);
    touches = lower(touches);
  }

  /**
   * Returns the selected tasks in their order.
   *
   * @throws RalphException INVALID if the status or the order is unknown
   */
  List<Task> of(TaskList all, Instant now) {
    TaskList of =
        switch (status) {
          case "all" -> all;
          case "open" -> all.open();
          case "ready" -> all.ready(now);
          default -> all.of(Task.Status.of(status));
        };
    return sorted(selected(of), all, now);
  }

  private List<Task> selected(TaskList of) {
    if (agent.isEmpty() && text.isEmpty() && touches.isEmpty()) {
      return of; // reads no task
    }
    Predicate<Task> isSelected =
        task -> isOfAgent(task.claim()) && hasText(task) && isTouching(task.touches());
    return of.stream().filter(isSelected).toList();
  }

  private boolean isOfAgent(@Nullable Claim claim) {
    if (agent.isEmpty()) {
      return true;
    }
    String owner = claim == null ? "" : lower(claim.owner());
    return agent.startsWith("agent-") ? owner.equals(agent) : owner.contains(agent);
  }

  private boolean hasText(Task task) {
    return text.isEmpty()
        || text.equals("t" + task.number())
        || lower(task.beginning(PageJson.BEGINNING)).contains(text);
  }

  private boolean isTouching(List<String> patterns) {
    return touches.isEmpty()
        || patterns.stream().anyMatch(pattern -> lower(pattern).contains(touches));
  }

  private List<Task> sorted(List<Task> tasks, TaskList all, Instant now) {
    return switch (sort) {
      case "number" -> tasks;
      case "newest" -> reversed(tasks);
      case "priority" -> tasks.stream().sorted(Comparator.comparingInt(Task::priority)).toList();
      case "importance" -> important(tasks, all, now);
      default ->
          throw RalphException.invalid(
              "the order must be importance, number, newest or priority, not "
                  + RalphException.quote(sort));
    };
  }

  private static List<Task> reversed(List<Task> tasks) {
    List<Task> newest = new ArrayList<>(tasks);
    Collections.reverse(newest);
    return newest;
  }

  private static List<Task> important(List<Task> tasks, TaskList all, Instant now) {
    Set<Integer> numbers = tasks.stream().map(Task::number).collect(Collectors.toSet());
    return TaskOrder.of(all, Integer.MAX_VALUE, now).stream()
        .filter(task -> numbers.contains(task.number()))
        .toList();
  }

  private static String lower(String text) {
    return text.strip().toLowerCase(Locale.ROOT);
  }
}
