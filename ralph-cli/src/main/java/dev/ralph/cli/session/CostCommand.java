package dev.ralph.cli.session;

import dev.ralph.Iteration;
import dev.ralph.RecordEntry;
import dev.ralph.Session;
import dev.ralph.Task;
import dev.ralph.Usage;
import dev.ralph.cli.call.Command;
import dev.ralph.cli.call.Invocation;
import dev.ralph.cli.call.Json;
import dev.ralph.cli.call.Syntax;
import dev.ralph.cli.call.UsageException;
import dev.ralph.cli.text.SafeText;
import dev.ralph.cli.text.Times;
import dev.ralph.log.Meta;
import dev.ralph.log.RalphException;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** {@code ralph cost}: what iterations used, by what it was used for. */
public final class CostCommand implements Command {

  private static final String NOT_KNOWN = "unknown";

  private final Map<String, Usage> parts = new LinkedHashMap<>();
  private Usage all = Usage.NONE;
  private @Nullable Meta budget;

  @Override
  public Syntax syntax() {
    return Syntax.of("what the iterations of a session have used, and what it cost")
        .session()
        .value("by", "WHAT", "iteration, task, role, agent, model or day; iteration if not given")
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
    List<Task> tasks = by.equals("task") ? session.tasks().list() : List.of();
    for (Iteration iteration : session.iterations().list()) {
      all = all.plus(iteration.usage());
      switch (by) {
        case "iteration" -> add("#" + iteration.number(), iteration.usage());
        case "task" -> addTasks(iteration, tasks);
        case "role" -> add(iteration.role().word(), iteration.usage());
        case "day" -> add(Times.local(iteration.started()).substring(0, 10), iteration.usage());
        default -> {
          Told record = Told.of(session, iteration.number());
          if (by.equals("agent")) {
            add(record.agent, iteration.usage());
          } else {
            record.byModel(iteration.usage()).forEach(this::add);
          }
        }
      }
    }
    budget = budget(session);
    answer(call, by);
  }

  private void add(String name, Usage usage) {
    parts.merge(name, usage, Usage::plus);
  }

  /** The tasks that an iteration has completed share what it used. */
  private void addTasks(Iteration iteration, List<Task> tasks) {
    List<String> done = new ArrayList<>();
    for (Task task : tasks) {
      if (task.status() == Task.Status.COMPLETED && task.iteration() == iteration.number()) {
        done.add("t" + task.number());
      }
    }
    if (done.isEmpty()) {
      add("none", iteration.usage());
    }
    for (String task : done) {
      add(task, iteration.usage().share(done.size()));
    }
  }

  /** Returns the budget of the newest run and what is used of it, or null where it has none. */
  private static @Nullable Meta budget(Session session) {
    Iteration last = session.iterations().last().orElse(null);
    Meta limits = last == null ? null : Told.of(session, last.number()).budget;
    if (last == null || limits == null) {
      return null;
    }
    Meta before = Objects.requireNonNullElse(limits.object("used"), Meta.empty());
    return limits.with("used", Usage.of(before).plus(last.usage()).json());
  }

  private void answer(Invocation call, String by) {
    if (call.json()) {
      List<Meta> listed = new ArrayList<>();
      parts.forEach(
          (name, usage) ->
              listed.add(Meta.of("name", name).with("usage", IterationForm.usage(usage))));
      call.print(
          Json.of("cost")
              .with("by", by)
              .with("parts", listed)
              .with("usage", IterationForm.usage(all))
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
          "The newest run has used "
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
    return usage.equals(Usage.NONE) ? "nothing told" : usage.toString();
  }

  /** What the record of an iteration tells of who used something. */
  private static final class Told {
    private String agent = NOT_KNOWN;
    private String model = NOT_KNOWN;
    private @Nullable Meta budget;
    private final Map<String, Usage> requests = new LinkedHashMap<>();

    static Told of(Session session, int iteration) {
      Told record = new Told();
      session.iterations().record(iteration, record::add);
      return record;
    }

    private void add(RecordEntry entry) {
      switch (entry.type()) {
        case BEGIN -> budget = entry.data().object("budget");
        case CLIENT -> {
          agent = Objects.requireNonNullElse(entry.string("name"), agent);
          model = Objects.requireNonNullElse(entry.string("model"), model);
        }
        case USED -> {
          String of = Objects.requireNonNullElse(entry.string("model"), model);
          Meta usage = Objects.requireNonNullElse(entry.data().object("usage"), Meta.empty());
          requests.merge(of, Usage.of(usage), Usage::plus);
        }
        default -> {
          // What was said and done.
        }
      }
    }

    /**
     * What the client tells of the whole counts more than its requests, unless it has to be split.
     */
    Map<String, Usage> byModel(Usage whole) {
      if (requests.size() < 2) {
        return Map.of(requests.keySet().stream().findFirst().orElse(model), whole);
      }
      return requests;
    }
  }
}
