package dev.ralph.core.internal.cost;

import dev.ralph.Iteration;
import dev.ralph.Session;
import dev.ralph.Task;
import dev.ralph.TaskList;
import dev.ralph.Usage;
import dev.ralph.core.internal.control.ControlState;
import dev.ralph.core.internal.control.LedgerControl;
import dev.ralph.log.Meta;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * The usage of iterations by agent, model or task, in the order of first use. The empty name stands
 * for an unknown agent, model or task.
 */
public final class Costs {

  private Costs() {}

  /**
   * Returns the usage by agent.
   *
   * @param work returns the origin in an iteration's record, by the iteration's number
   */
  public static Map<String, Usage> byAgent(
      List<Iteration> iterations, IntFunction<WorkOrigin> work) {
    Map<String, Usage> parts = new LinkedHashMap<>();
    for (Iteration each : iterations) {
      String agent = work.apply(each.number()).client();
      parts.merge(Objects.requireNonNullElse(agent, ""), each.usage(), Usage::plus);
    }
    return parts;
  }

  /** Returns the usage by model, as {@link #byAgent}. */
  public static Map<String, Usage> byModel(
      List<Iteration> iterations, IntFunction<WorkOrigin> work) {
    Map<String, Usage> parts = new LinkedHashMap<>();
    for (Iteration each : iterations) {
      work.apply(each.number())
          .byModel(each.usage())
          .forEach((model, usage) -> parts.merge(model, usage, Usage::plus));
    }
    return parts;
  }

  /**
   * Returns the usage by task, with names such as {@code t1}. The tasks completed in an iteration
   * share its usage equally. The empty name has the usage of iterations without a completed task.
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
   * Returns the budget of the newest run: its present limits {@code max_cost_usd} and {@code
   * max_tokens}, and the usage {@code used} of all its iterations. Returns null if the run has no
   * limits.
   *
   * @param work returns the origin in an iteration's record, by the iteration's number
   */
  public static @Nullable Meta budget(Session session, IntFunction<WorkOrigin> work) {
    List<Iteration> iterations = session.iterations().list();
    int newest = iterations.size() - 1;
    WorkOrigin record =
        newest < 0 ? WorkOrigin.NOTHING : work.apply(iterations.get(newest).number());
    while (newest > 0 && hasNotBegun(iterations.get(newest), record)) {
      newest--;
      record = work.apply(iterations.get(newest).number());
    }
    Meta recorded = record.budget();
    if (recorded == null) {
      return null;
    }
    Usage used = Usage.of(Objects.requireNonNullElse(recorded.object("used"), Meta.empty()));
    Set<Integer> running = running(recorded);
    int number = iterations.get(newest).number();
    for (Iteration each : iterations) {
      if (each.number() >= number || running.contains(each.number())) {
        used = used.plus(each.usage());
      }
    }
    ControlState.Raised more =
        session.control() instanceof LedgerControl control
            ? control.steering().raised()
            : ControlState.Raised.NONE;
    return present(recorded, more).with("used", used.json());
  }

  /** Returns whether the worker still prepares the folder; the record is empty meanwhile. */
  private static boolean hasNotBegun(Iteration iteration, WorkOrigin origin) {
    return iteration.status() == Iteration.Status.RUNNING && origin.folder() == null;
  }

  private static Set<Integer> running(Meta recorded) {
    Set<Integer> numbers = new HashSet<>();
    if (recorded.value("running") instanceof List<?> list) {
      for (Object each : list) {
        if (each instanceof Number number) {
          numbers.add(number.intValue());
        }
      }
    }
    return numbers;
  }

  /**
   * Returns the limits with the amounts added after they were recorded.
   *
   * @param raised the amounts added to the limits of the present run; amounts below the recorded
   *     amounts belong to another run
   */
  static Meta present(Meta recorded, ControlState.Raised raised) {
    BigDecimal cost = recorded.number("max_cost_usd");
    BigDecimal tokens = recorded.number("max_tokens");
    BigDecimal moreCost =
        raised.costUsd().subtract(orZero(recorded.number("raised_cost_usd"))).max(BigDecimal.ZERO);
    BigDecimal moreTokens =
        BigDecimal.valueOf(raised.tokens())
            .subtract(orZero(recorded.number("raised_tokens")))
            .max(BigDecimal.ZERO);
    return Meta.empty()
        .with("max_cost_usd", cost == null ? null : cost.add(moreCost))
        .with("max_tokens", tokens == null ? null : tokens.add(moreTokens));
  }

  private static BigDecimal orZero(@Nullable BigDecimal amount) {
    return Objects.requireNonNullElse(amount, BigDecimal.ZERO);
  }
}
