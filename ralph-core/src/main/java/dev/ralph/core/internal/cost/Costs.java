package dev.ralph.core.internal.cost;

import dev.ralph.Iteration;
import dev.ralph.Task;
import dev.ralph.TaskList;
import dev.ralph.Usage;
import dev.ralph.log.Meta;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * What iterations used, by what it was used for, in the order in which each came first. What is not
 * known has an empty name.
 */
public final class Costs {

  private Costs() {}

  /**
   * Returns what each agent used.
   *
   * @param told what the record of the iteration of that number tells
   */
  public static Map<String, Usage> byAgent(List<Iteration> iterations, IntFunction<Told> told) {
    Map<String, Usage> parts = new LinkedHashMap<>();
    for (Iteration each : iterations) {
      String agent = told.apply(each.number()).client();
      parts.merge(Objects.requireNonNullElse(agent, ""), each.usage(), Usage::plus);
    }
    return parts;
  }

  /** Returns what was used of each model; as {@link #byAgent}. */
  public static Map<String, Usage> byModel(List<Iteration> iterations, IntFunction<Told> told) {
    Map<String, Usage> parts = new LinkedHashMap<>();
    for (Iteration each : iterations) {
      told.apply(each.number())
          .byModel(each.usage())
          .forEach((model, usage) -> parts.merge(model, usage, Usage::plus));
    }
    return parts;
  }

  /**
   * Returns what each task took, by names such as {@code t1}: the tasks that an iteration has
   * completed share what it used. An empty name has what was used where none was completed.
   */
  public static Map<String, Usage> byTask(List<Iteration> iterations, TaskList tasks) {
    Map<Integer, List<String>> done = new HashMap<>();
    for (Task task : tasks.of(Task.Status.COMPLETED)) {
      done.computeIfAbsent(task.iteration(), any -> new ArrayList<>()).add("t" + task.number());
    }
    Map<String, Usage> parts = new LinkedHashMap<>();
    for (Iteration each : iterations) {
      List<String> names = done.getOrDefault(each.number(), List.of(""));
      for (String name : names) {
        parts.merge(name, each.usage().share(names.size()), Usage::plus);
      }
    }
    return parts;
  }

  /**
   * Returns the budget of the newest run as {@code max_cost_usd} and {@code max_tokens}, with what
   * is {@code used} of it; null where it has none.
   */
  public static @Nullable Meta budget(List<Iteration> iterations, IntFunction<Told> told) {
    Iteration last = iterations.isEmpty() ? null : iterations.get(iterations.size() - 1);
    Meta limits = last == null ? null : told.apply(last.number()).budget();
    if (last == null || limits == null) {
      return null;
    }
    Meta before = Objects.requireNonNullElse(limits.object("used"), Meta.empty());
    return Meta.empty()
        .with("max_cost_usd", limits.number("max_cost_usd"))
        .with("max_tokens", limits.number("max_tokens"))
        .with("used", Usage.of(before).plus(last.usage()).json());
  }
}
