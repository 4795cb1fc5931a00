package dev.ralph.cli.session;

import dev.ralph.Iteration;
import dev.ralph.Session;
import dev.ralph.Usage;
import dev.ralph.cli.call.Command;
import dev.ralph.cli.call.CommandSyntax;
import dev.ralph.cli.call.Invocation;
import dev.ralph.cli.call.Json;
import dev.ralph.cli.call.UsageException;
import dev.ralph.cli.text.SafeText;
import dev.ralph.cli.text.Times;
import dev.ralph.core.internal.cost.Costs;
import dev.ralph.core.internal.cost.WorkOrigin;
import dev.ralph.core.internal.json.SessionJson;
import dev.ralph.log.Meta;
import dev.ralph.log.RalphException;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/** {@code ralph cost}: the usage of iterations, grouped by a criterion. */
public final class CostCommand implements Command {

  private static final String NOT_KNOWN = "unknown";

  private Map<String, Usage> parts = Map.of();
  private Usage all = Usage.NONE;
  private @Nullable Meta budget;

  @Override
  public CommandSyntax syntax() {
    return CommandSyntax.of("show the usage and cost of the iterations of a session")
        .session()
        .value("by", "WHAT", "iteration (default), task, role, agent, model or day")
        .at()
        .store();
  }

  @Override
  public void run(Invocation call) {
    String by = Objects.requireNonNullElse(call.arguments().text("by"), "iteration");
    if (!List.of("iteration", "task", "role", "agent", "model", "day").contains(by)) {
      throw new UsageException(
          "--by must be iteration, task, role, agent, model or day, not "
              + RalphException.quote(by));
    }
    Session session = call.view();
    List<Iteration> iterations = session.iterations().list();
    IntFunction<WorkOrigin> told = number -> WorkOrigin.of(session, number);
    parts =
        switch (by) {
          case "task" -> named(Costs.byTask(iterations, session.tasks().list()), "none");
          case "agent" -> named(Costs.byAgent(iterations, told), NOT_KNOWN);
          case "model" -> named(Costs.byModel(iterations, told), NOT_KNOWN);
          case "role" -> grouped(iterations, iteration -> iteration.role().word());
          case "day" -> grouped(iterations, CostCommand::day);
          default -> grouped(iterations, iteration -> "#" + iteration.number());
        };
    all = session.iterations().usage();
    budget = Costs.budget(session, told);
    answer(call, by);
  }

  private static String day(Iteration iteration) {
    return Times.local(iteration.started()).substring(0, 10);
  }

  private static Map<String, Usage> grouped(
      List<Iteration> iterations, Function<Iteration, String> name) {
    Map<String, Usage> parts = new LinkedHashMap<>();
    iterations.forEach(each -> parts.merge(name.apply(each), each.usage(), Usage::plus));
    return parts;
  }

  /**
   * @param unnamed the name of the part without a name
   */
  private static Map<String, Usage> named(Map<String, Usage> parts, String unnamed) {
    Map<String, Usage> named = new LinkedHashMap<>();
    parts.forEach(
        (name, usage) -> named.merge(name.isEmpty() ? unnamed : name, usage, Usage::plus));
    return named;
  }

  private void answer(Invocation call, String by) {
    if (call.json()) {
      List<Meta> listed = new ArrayList<>();
      parts.forEach(
          (name, usage) ->
              listed.add(Meta.of("name", name).with("usage", SessionJson.usage(usage))));
      call.print(
          Json.of("cost")
              .with("by", by)
              .with("parts", listed)
              .with("usage", SessionJson.usage(all))
              .with("budget", budget)
              .json());
      return;
    }
    if (parts.isEmpty()) {
      call.print("No iterations yet");
      return;
    }
    int width = "in all".length();
    for (String name : parts.keySet()) {
      width = Math.max(width, name.length());
    }
    for (Map.Entry<String, Usage> part : parts.entrySet()) {
      call.print(line(SafeText.line(part.getKey()), part.getValue(), width));
    }
    call.print(line("in all", all, width));
    Meta limits = budget;
    if (limits != null) {
      BigDecimal cost = limits.number("max_cost_usd");
      String tokens = String.valueOf(limits.value("max_tokens"));
      call.print(
          "The last run used "
              + words(Usage.of(Objects.requireNonNull(limits.object("used"))))
              + " of "
              + (cost == null ? "" : Usage.dollars(cost))
              + (cost == null || !limits.has("max_tokens") ? "" : " and ")
              + (limits.has("max_tokens") ? tokens + " tokens" : ""));
    }
  }

  private static String line(String name, Usage usage, int width) {
    return name + " ".repeat(Math.max(0, width - name.length()) + 2) + words(usage);
  }

  private static String words(Usage usage) {
    return usage.equals(Usage.NONE) ? "not reported" : usage.toString();
  }
}
