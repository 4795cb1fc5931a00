package dev.ralph.web.internal.page;

import dev.ralph.Control;
import dev.ralph.Iteration;
import dev.ralph.Message;
import dev.ralph.Note;
import dev.ralph.Question;
import dev.ralph.Session;
import dev.ralph.Task;
import dev.ralph.TaskList;
import dev.ralph.Usage;
import dev.ralph.core.internal.cost.Costs;
import dev.ralph.core.internal.cost.WorkOrigin;
import dev.ralph.core.internal.json.SessionJson;
import dev.ralph.core.internal.text.ActivityText;
import dev.ralph.core.internal.text.StateWord;
import dev.ralph.core.internal.text.TaskOrder;
import dev.ralph.log.Meta;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Renders the parts of a session for the page, at the present or a past moment. A part contains
 * only the first items of a long list. Not thread-safe.
 */
final class SessionParts {

  /** The most items of a list in a part. The page requests more items when a person scrolls. */
  static final int WINDOW = 40;

  private static final int MOST_NAMED = 12;

  /** The reasons of runs that ended because of a failure. */
  private static final Set<String> FAILURES =
      Set.of(
          "failures",
          "no_progress",
          "store_failed",
          "cannot_start",
          "gate_failed",
          "tasks_blocked",
          "plan_changed",
          "repository_locked");

  /** The reasons of runs that ended at a limit set by the user. */
  private static final Set<String> LIMITS = Set.of("budget", "time_limit", "max_iterations");

  /** The parts, with the topics of a session that change them. */
  enum Part {
    STATE("task inbox question iteration control"),
    NEEDS("question control iteration"),
    TASKS("task"),
    MERGE("task"),
    ITERATIONS("iteration control record"),
    MESSAGES("inbox"),
    QUESTIONS("question"),
    NOTES("note"),
    COSTS("iteration task record"),
    GATES("record"),
    NOW("record iteration control task activity");

    private final String topics;

    Part(String topics) {
      this.topics = ' ' + topics + ' ';
    }

    /** Returns the name of the part in the page. */
    String key() {
      return name().toLowerCase(Locale.ROOT);
    }

    /** Returns whether a frame of a topic, such as {@code task}, may change the part. */
    boolean isOf(String topic) {
      return topics.contains(' ' + topic + ' ');
    }
  }

  private final Session session;
  private final Map<String, Integer> numbers = new HashMap<>();

  SessionParts(Session session) {
    this.session = session;
  }

  /**
   * Returns a part.
   *
   * @param refusals the refusals at the same moment
   * @param record the records at the same moment, or null until they are read
   */
  Meta of(
      Part part,
      RefusedCompletions.Result refusals,
      RecordTally.@Nullable Result record,
      Instant now) {
    return switch (part) {
      case STATE -> state(refusals, now);
      case NEEDS -> needs(refusals);
      case TASKS -> tasks(now);
      case MERGE -> merge(now);
      case ITERATIONS -> iterations(record);
      case MESSAGES -> messages();
      case QUESTIONS -> questions();
      case NOTES -> notes();
      case COSTS -> costs(record);
      case GATES -> gates(record);
      case NOW -> now(record);
    };
  }

  // ---- state

  private Meta state(RefusedCompletions.Result refusals, Instant now) {
    Control control = session.control();
    Control.RunningLoop loop = control.running().orElse(null);
    TaskList tasks = session.tasks().list();
    Iteration last = session.iterations().last().orElse(null);
    Meta counts = Meta.empty();
    for (Map.Entry<Task.Status, Integer> count : tasks.counts().entrySet()) {
      counts = counts.with(count.getKey().word(), count.getValue());
    }
    return Meta.of("session", session.name())
        .with("state", state(refusals, StateWord.of(control, loop)))
        .with("stopping", control.isStopping() ? true : null)
        .with("command", command(session, refusals))
        .with("ended", loop == null ? refusals.ended() : null)
        .with("loop", loop == null ? null : loop(loop, last))
        .with("iteration", last == null ? null : last.number())
        .with("started", last == null ? null : PageJson.time(last.started()))
        .with("counts", counts)
        .with("tasks", tasks.size())
        .with("ready", tasks.ready(now).size())
        .with("to_merge", tasks.toMerge().isEmpty() ? null : tasks.toMerge().size())
        .with("unread", session.inbox().unread().size())
        .with("usage", SessionJson.usage(session.iterations().usage()));
  }

  private static Meta loop(Control.RunningLoop loop, @Nullable Iteration last) {
    int begun = last == null ? 0 : Math.max(0, last.number() - loop.first() + 1);
    return Meta.of("host", loop.host())
        .with("pid", loop.pid())
        .with("live", loop.live())
        .with("agents", loop.agents() > 1 ? loop.agents() : null)
        .with("begun", loop.first() == 0 ? null : begun)
        .with("limit", loop.limit() == 0 ? null : loop.limit());
  }

  /** Returns the matters that need a person, each as {@code {kind, …}}. */
  private Meta needs(RefusedCompletions.Result refusals) {
    List<Meta> all = new ArrayList<>();
    List<Question> open = session.questions().open();
    for (Question question : open.subList(0, Math.min(open.size(), WINDOW))) {
      all.add(question(question));
    }
    Control control = session.control();
    String state = StateWord.of(control, control.running().orElse(null));
    all.addAll(failures(refusals, state));
    int more = Math.max(0, open.size() - WINDOW);
    return Meta.of("count", all.size() + more).with("needs", all);
  }

  /** Returns the first matter of a session with at most one short reason, or null. */
  static @Nullable Meta firstNeed(
      List<Question> open, RefusedCompletions.Result refusals, String state) {
    if (!open.isEmpty()) {
      return question(open.get(0));
    }
    List<String> reasons =
        refusals.reasons().stream()
            .limit(1)
            .map(reason -> PageJson.cut(reason, PageJson.BEGINNING))
            .toList();
    List<Meta> failures =
        failures(
            new RefusedCompletions.Result(
                refusals.inARow(), reasons, refusals.ended(), refusals.agents()),
            state);
    return failures.isEmpty() ? null : failures.get(0);
  }

  private static Meta question(Question question) {
    return Meta.of("kind", "question").with("question", PageJson.question(question));
  }

  private static List<Meta> failures(RefusedCompletions.Result refusals, String state) {
    List<Meta> all = new ArrayList<>();
    if (isRefusedAgain(refusals, state)) {
      all.add(
          Meta.of("kind", "refused")
              .with("times", refusals.inARow())
              .with("reasons", refusals.reasons()));
    }
    if (state.equals("crashed")) {
      all.add(Meta.of("kind", "crashed"));
    } else if (isEndedBadly(refusals, state)) {
      all.add(Meta.of("kind", "ended").with("reason", refusals.ended()));
    }
    return all;
  }

  private static boolean isRefusedAgain(RefusedCompletions.Result refusals, String state) {
    return refusals.inARow() > 1 && !state.equals("completed");
  }

  /** Returns whether the last run ended with a result that a person must see. */
  private static boolean isEndedBadly(RefusedCompletions.Result refusals, String state) {
    String ended = refusals.ended();
    return state.equals("idle")
        && ended != null
        && (FAILURES.contains(ended) || LIMITS.contains(ended));
  }

  /** Returns the command that continues a session without a live loop, or null. */
  static @Nullable String command(Session session, RefusedCompletions.Result refusals) {
    Control control = session.control();
    if (control.isCompleted() || control.running().filter(Control.RunningLoop::live).isPresent()) {
      return null;
    }
    String agents = refusals.agents() > 1 ? " --agents " + refusals.agents() : "";
    return "ralph build -n " + session.name() + agents;
  }

  /** Returns {@code failed} for an idle session whose last run failed, or else the given state. */
  static String state(RefusedCompletions.Result refusals, String state) {
    String ended = refusals.ended();
    boolean isFailed = state.equals("idle") && ended != null && FAILURES.contains(ended);
    return isFailed ? "failed" : state;
  }

  /** Returns the number of matters that need a person. */
  static int needs(int questions, RefusedCompletions.Result refusals, String state) {
    return questions
        + (isRefusedAgain(refusals, state) ? 1 : 0)
        + (state.equals("crashed") || isEndedBadly(refusals, state) ? 1 : 0);
  }

  // ---- lists

  private Meta tasks(Instant now) {
    TaskList all = session.tasks().list();
    return Meta.of("total", all.size())
        .with("items", shown(all, TaskOrder.of(all, WINDOW, now), now));
  }

  /**
   * Returns the tasks that wait to be merged, followed by the tasks whose merge failed. The latter
   * are open, and have a branch and a reason.
   */
  private Meta merge(Instant now) {
    TaskList all = session.tasks().list();
    List<Task> both = new ArrayList<>(all.toMerge());
    all.open().stream()
        .filter(task -> task.branch() != null && task.reason() != null)
        .forEach(both::add);
    List<Task> first = both.subList(0, Math.min(both.size(), WINDOW));
    return Meta.of("total", both.size()).with("items", shown(all, first, now));
  }

  /** Renders tasks of a list. */
  List<Meta> shown(TaskList all, List<Task> some, Instant now) {
    learn(all);
    Set<Integer> ready = new HashSet<>();
    for (Task task : some.isEmpty() ? List.<Task>of() : all.ready(now)) {
      ready.add(task.number());
    }
    List<Meta> shown = new ArrayList<>();
    for (Task task : some) {
      shown.add(PageJson.task(task, this::number, ready.contains(task.number()), now));
    }
    return shown;
  }

  /** Adds the numbers of new tasks to the map. The number of a task never changes. */
  private void learn(TaskList all) {
    for (int i = numbers.size(); i < all.size(); i++) {
      Task task = all.get(i);
      numbers.put(task.id(), task.number());
    }
  }

  private int number(String task) {
    return numbers.getOrDefault(task, 0);
  }

  private Meta iterations(RecordTally.@Nullable Result record) {
    List<Iteration> all = session.iterations().list();
    return Meta.of("total", all.size()).with("items", shown(newest(all, 0, WINDOW), record));
  }

  List<Meta> shown(List<Iteration> some, RecordTally.@Nullable Result record) {
    boolean isRunning = session.control().running().filter(Control.RunningLoop::live).isPresent();
    learn(session.tasks().list());
    List<Meta> shown = new ArrayList<>();
    for (Iteration each : some) {
      boolean isCutOff = each.status() == Iteration.Status.RUNNING && !isRunning;
      shown.add(
          PageJson.iteration(
              each, isCutOff, record == null ? null : record.origin(each.number()), this::number));
    }
    return shown;
  }

  /** Returns a window of a list, the newest first. */
  static <T> List<T> newest(List<T> all, int from, int most) {
    List<T> window = new ArrayList<>();
    for (int i = all.size() - 1 - from; i >= 0 && window.size() < most; i--) {
      window.add(all.get(i));
    }
    return window;
  }

  private Meta messages() {
    List<Message> all = session.inbox().history();
    return Meta.of("total", all.size())
        .with("items", newest(all, 0, WINDOW).stream().map(PageJson::message).toList());
  }

  private Meta questions() {
    List<Question> all = session.questions().history();
    return Meta.of("total", all.size())
        .with("items", newest(all, 0, WINDOW).stream().map(PageJson::question).toList());
  }

  private Meta notes() {
    List<Note> all = session.notes().list();
    return Meta.of("total", all.size())
        .with("items", newest(all, 0, WINDOW).stream().map(PageJson::note).toList());
  }

  // ---- costs

  private Meta costs(RecordTally.@Nullable Result record) {
    List<Iteration> all = session.iterations().list();
    IntFunction<WorkOrigin> told = (record == null ? RecordTally.Result.NOTHING : record)::origin;
    Map<String, Usage> tasks = Costs.byTask(all, session.tasks().list());
    tasks.remove(""); // the usage of iterations that completed no task
    return Meta.of("reading", record == null)
        .with("usage", SessionJson.usage(session.iterations().usage()))
        .with("agents", dearest(record == null ? Map.of() : Costs.byAgent(all, told)))
        .with("models", dearest(record == null ? Map.of() : Costs.byModel(all, told)))
        .with("tasks", dearest(tasks))
        .with("budget", Costs.budget(session, told));
  }

  private static List<Meta> dearest(Map<String, Usage> parts) {
    Comparator<Map.Entry<String, Usage>> byCost =
        Comparator.comparing(
            part -> Objects.requireNonNullElse(part.getValue().costUsd(), BigDecimal.ZERO));
    Comparator<Map.Entry<String, Usage>> byTokens =
        Comparator.comparing(part -> part.getValue().totalTokens());
    return parts.entrySet().stream()
        .filter(part -> !part.getValue().equals(Usage.NONE))
        .sorted(byCost.thenComparing(byTokens).reversed().thenComparing(Map.Entry::getKey))
        .limit(MOST_NAMED)
        .map(
            part ->
                Meta.of("name", PageJson.cut(part.getKey(), PageJson.BEGINNING))
                    .with("usage", part.getValue().json()))
        .toList();
  }

  // ---- records

  private static Meta gates(RecordTally.@Nullable Result record) {
    if (record == null) {
      return Meta.of("reading", true);
    }
    List<Meta> all = new ArrayList<>();
    for (RecordTally.GateRun gate : record.gates().values()) {
      all.add(
          Meta.of("name", gate.name())
              .with("passed", gate.passed())
              .with("exit_code", gate.exitCode())
              .with("reason", gate.reason().isEmpty() ? null : gate.reason())
              .with("iteration", gate.iteration())
              .with("failures", gate.failures() == 0 ? null : gate.failures())
              .with("time", gate.time()));
    }
    return Meta.of("items", all);
  }

  /** Returns the activities of the loop and its agents. */
  private Meta now(RecordTally.@Nullable Result record) {
    List<Meta> all = new ArrayList<>();
    Control.RunningLoop loop = session.control().running().orElse(null);
    learn(session.tasks().list());
    List<ActivityText> atWork = ActivityText.of(session, loop);
    for (ActivityText each : atWork.subList(0, Math.min(atWork.size(), WINDOW))) {
      Iteration iteration = each.iteration();
      Instant since = each.since();
      Instant until = each.until();
      Meta now =
          iteration == null
              ? Meta.empty().with("agent", each.agent() == 0 ? null : each.agent())
              : now(iteration, record == null ? RecordTally.Result.NOTHING : record);
      all.add(
          each.doing().isEmpty()
              ? now
              : now.with("doing", PageJson.cut(each.doing(), PageJson.BEGINNING))
                  .with("since", since == null ? null : PageJson.time(since))
                  .with("until", until == null ? null : PageJson.time(until))
                  .with("waits", each.waits() ? true : null));
    }
    return Meta.of("items", all).with("live", loop != null && loop.live() ? true : null);
  }

  /** Returns the branch of an agent, or null without a branch of its own. */
  private @Nullable String branch(Iteration iteration) {
    String task = iteration.task();
    int number = task == null ? 0 : number(task);
    return number == 0 ? null : session.tasks().list().get(number - 1).branch();
  }

  private Meta now(Iteration iteration, RecordTally.Result record) {
    WorkOrigin told = record.origin(iteration.number());
    List<Meta> calls =
        record.calls().getOrDefault(iteration.number(), Map.of()).values().stream()
            .map(
                call ->
                    Meta.of("tool", call.tool())
                        .with("arguments", call.arguments())
                        .with("time", call.time()))
            .toList();
    return Meta.of("n", iteration.number())
        .with("role", iteration.role() == Iteration.Role.BUILD ? null : iteration.role().word())
        .with("agent", iteration.agent() == 0 ? null : iteration.agent())
        .with("task", PageJson.taskOf(iteration, this::number))
        .with("started", PageJson.time(iteration.started()))
        .with("client", PageJson.beginning(told.client()))
        .with("model", PageJson.beginning(told.model()))
        .with("folder", PageJson.beginning(told.folder()))
        .with("branch", PageJson.beginning(branch(iteration)))
        .with("saying", record.saying().get(iteration.number()))
        .with("calls", calls)
        .with("usage", SessionJson.usage(iteration.usage()));
  }
}
