package dev.ralph.core.internal.tool;

import dev.ralph.Claim;
import dev.ralph.NewTask;
import dev.ralph.StatusChange;
import dev.ralph.Task;
import dev.ralph.TaskEdit;
import dev.ralph.TaskList;
import dev.ralph.TaskLog;
import dev.ralph.core.internal.text.TaskWords;
import dev.ralph.core.internal.text.TextExcerpt;
import dev.ralph.log.ContendedException;
import dev.ralph.log.RalphException;
import java.time.Instant;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The tools for the tasks of a session. */
final class TaskTools {

  /**
   * The length of a task in a list, enough to identify it; {@code task_list} shows a whole task.
   */
  private static final int LINE = 200;

  /** The length of a reason, such as a gate's last lines. */
  private static final int REASON = 10_000;

  private static final String ID = "id";
  private static final String CONTENT = "content";
  private static final String STATUS = "status";
  private static final String PRIORITY = "priority";
  private static final String DEPENDS = "depends";
  private static final String TOUCHES = "touches";
  private static final String TASKS = "tasks";

  /** The arguments of {@code task_add} for one task. */
  private static final Set<String> OF_ONE = Set.of(CONTENT, STATUS, PRIORITY, DEPENDS, TOUCHES);

  private static final List<String> STATUSES =
      List.of("remaining", "in_progress", "blocked", "completed", "cancelled");
  private static final List<String> OPEN = STATUSES.subList(0, 3);

  private static final List<Task.Status> SHOWN_FIRST =
      List.of(
          Task.Status.IN_PROGRESS,
          Task.Status.REMAINING,
          Task.Status.BLOCKED,
          Task.Status.COMPLETED,
          Task.Status.CANCELLED);

  private TaskTools() {}

  /** Returns all tools for tasks. */
  static List<SessionTool> all() {
    return List.of(
        new SessionTool(
                "task_add",
                "Add a new task to the session task list, or several by tasks: all or none.",
                TaskTools::add)
            .text(CONTENT, "Task description")
            .choice(STATUS, "remaining if not given", OPEN)
            .number(PRIORITY, "0 (first) to 4 (last), 2 if not given")
            .texts(DEPENDS, "IDs of tasks to be done before")
            .texts(TOUCHES, "such as src/a/**")
            .objects(
                TASKS,
                "Instead of content; depends may use #1 for the first task",
                new SessionTool("", "", TaskTools::add)
                    .requiredText(CONTENT, "")
                    .number(PRIORITY, "")
                    .texts(DEPENDS, "")
                    .texts(TOUCHES, "")),
        new SessionTool("task_edit", "Change an open task. Omitted values stay.", TaskTools::edit)
            .requiredText(ID, "Task ID")
            .text(CONTENT, "New description")
            .number(PRIORITY, "")
            .texts(DEPENDS, "All dependencies; [] for none"),
        new SessionTool(
                "task_status",
                "Update a task status by ID. Use IDs from task_list output.",
                TaskTools::status)
            .requiredText(ID, "Task ID, such as t3")
            .requiredChoice(STATUS, "New status; in_progress claims it", STATUSES)
            .text("reason", "For blocked or cancelled"),
        new SessionTool(
                "task_list",
                "Get current task list grouped by status, or the whole text of one task.",
                TaskTools::list)
            .text(ID, "Show this task in full")
            .choice(STATUS, "Only tasks of this status", STATUSES)
            .number(ReplyLimits.OFFSET, "Tasks to skip; with id, characters")
            .readOnly(),
        new SessionTool(
            "task_next",
            "Claim the next ready task and set it in progress. Ready: not blocked or done, no open"
                + " dependency, not claimed. Returns your task again until you complete, block or"
                + " release it.",
            TaskTools::next));
  }

  private static String add(CallScope scope, ToolArguments arguments) {
    List<ToolArguments> several = arguments.objects(TASKS, CONTENT);
    if (several.isEmpty()) {
      Task added = scope.session().tasks().add(newTask(scope, arguments));
      return "Task t" + added.number() + " [" + added.shortId() + "] added";
    }
    for (String name : OF_ONE) {
      if (arguments.has(name)) {
        throw RalphException.invalid("with tasks, set " + name + " in each task");
      }
    }
    List<NewTask> tasks = new ArrayList<>();
    for (ToolArguments one : several) {
      try {
        one.requireKnown(OF_ONE);
        tasks.add(newTask(scope, one));
      } catch (RalphException e) {
        throw RalphException.invalid(
            "task #" + (tasks.size() + 1) + " of the list: " + e.getMessage());
      }
    }
    return scope.session().tasks().addAll(tasks).stream()
        .map(task -> "t" + task.number())
        .collect(Collectors.joining(", ", tasks.size() == 1 ? "Task " : "Tasks ", " added"));
  }

  private static NewTask newTask(CallScope scope, ToolArguments arguments) {
    String status = arguments.text(STATUS);
    NewTask task =
        NewTask.of(arguments.required(CONTENT))
            .status(status == null ? Task.Status.REMAINING : among(status, OPEN))
            .priority(arguments.number(PRIORITY, TaskLog.DEFAULT_PRIORITY, 0, 4))
            .iteration(scope.iteration());
    for (String ref : arguments.ids(DEPENDS, 't')) {
      task = task.dependsOn(ref);
    }
    for (String glob : arguments.texts(TOUCHES)) {
      task = task.touches(glob);
    }
    return task;
  }

  private static String edit(CallScope scope, ToolArguments arguments) {
    String id = arguments.requiredId(ID, 't');
    TaskEdit edit = TaskEdit.of().owner(scope.owner());
    boolean changes = false;
    if (arguments.has(CONTENT)) {
      edit = edit.content(arguments.required(CONTENT));
      changes = true;
    }
    if (arguments.has(PRIORITY)) {
      edit = edit.priority(arguments.number(PRIORITY, TaskLog.DEFAULT_PRIORITY, 0, 4));
      changes = true;
    }
    if (arguments.has(DEPENDS)) {
      edit = edit.dependencies(arguments.ids(DEPENDS, 't'));
      changes = true;
    }
    if (!changes) {
      throw RalphException.invalid("nothing to change: give content, priority or depends");
    }
    Task edited = scope.session().tasks().edit(id, edit);
    return "Task t" + edited.number() + " changed";
  }

  private static Task.Status among(String word, List<String> allowed) {
    if (!allowed.contains(word)) {
      throw RalphException.invalid(
          "unknown status "
              + RalphException.quote(word)
              + "; use one of "
              + String.join(", ", allowed));
    }
    return Task.Status.of(word);
  }

  private static String status(CallScope scope, ToolArguments arguments) {
    String id = arguments.requiredId(ID, 't');
    Task.Status status = among(arguments.required(STATUS), STATUSES);
    TaskLog tasks = scope.session().tasks();
    HeldClaims claims = scope.claims();
    Task task = tasks.get(id);
    String token = token(scope, task);
    boolean begins = status == Task.Status.IN_PROGRESS && token == null;
    if (!begins || !claim(scope, task)) {
      StatusChange change =
          StatusChange.to(status)
              .because(arguments.text("reason"))
              .under(token)
              .owner(scope.owner())
              .iteration(scope.iteration());
      try {
        tasks.status(task.id(), change);
      } catch (ContendedException e) {
        claims.forget(task.id());
        throw e;
      }
      if (status != Task.Status.IN_PROGRESS) {
        claims.forget(task.id());
      }
    }
    String released = status == Task.Status.CANCELLED ? TaskWords.released(tasks.list(), task) : "";
    return "Task "
        + id
        + " marked as "
        + status.word()
        + (released.isEmpty() ? "" : "; " + released);
  }

  /**
   * Claims a task to begin. Returns false if the task can't be claimed and only its status can
   * change.
   */
  private static boolean claim(CallScope scope, Task task) {
    if (task.status() != Task.Status.REMAINING && task.status() != Task.Status.IN_PROGRESS) {
      return false;
    }
    Optional<Claim> claim;
    try {
      claim =
          scope
              .session()
              .tasks()
              .claim(task.id(), scope.owner(), scope.claims().lease(), scope.call().iteration());
    } catch (RalphException e) {
      if (e.code() == RalphException.Code.INVALID) {
        return false;
      }
      throw e;
    }
    claim.ifPresent(held -> hold(scope, held));
    return claim.isPresent();
  }

  /** Renews a claim, except for one of several agents, whose claims the loop renews. */
  private static void hold(CallScope scope, Claim claim) {
    if (scope.agent() == 0) {
      scope.claims().hold(scope.session(), claim);
    }
  }

  private static String next(CallScope scope, ToolArguments arguments) {
    HeldClaims claims = scope.claims();
    claims.lock().lock();
    try {
      TaskLog tasks = scope.session().tasks();
      for (String id : claims.tasks(scope.session())) {
        Task task = tasks.get(id);
        if (isHeld(task, claims, scope.now())) {
          return shown(task, " is yours already, and in progress:\n- ");
        }
      }
      Optional<Claim> claim =
          tasks.claimNext(scope.owner(), claims.lease(), scope.call().iteration());
      if (claim.isEmpty()) {
        return scope.agent() > 0
            ? "You have no further task: the loop assigns each task to a fresh agent. End your"
                + " work."
            : nothingReady(tasks.list(), scope.now());
      }
      hold(scope, claim.get());
      return shown(tasks.get(claim.get().taskId()), " is yours, and in progress:\n- ");
    } finally {
      claims.lock().unlock();
    }
  }

  /**
   * Takes over the claims that the same agent made through another instance of its tools. The end
   * of that instance is not the end of the agent.
   */
  static void takeAlong(CallScope scope) {
    if (scope.name().isEmpty()) {
      return;
    }
    HeldClaims claims = scope.claims();
    claims.lock().lock();
    try {
      for (Task task : scope.session().tasks().list().of(Task.Status.IN_PROGRESS)) {
        Claim newest = task.claimAt(scope.now());
        if (newest != null
            && newest.owner().equals(scope.name())
            && !newest.token().equals(claims.token(task.id()))) {
          boolean unused = claim(scope, task);
        }
      }
    } finally {
      claims.lock().unlock();
    }
  }

  /**
   * Returns the token of the agent's claim, also if another instance of its tools made it; null if
   * none exists.
   */
  private static @Nullable String token(CallScope scope, Task task) {
    Claim newest = scope.name().isEmpty() ? null : task.claimAt(scope.now());
    return newest != null && newest.owner().equals(scope.name())
        ? newest.token()
        : scope.claims().token(task.id());
  }

  /** Returns whether the agent still holds the task, because others may have ended its claim. */
  private static boolean isHeld(Task task, HeldClaims claims, Instant now) {
    Claim newest = task.claim();
    return newest != null
        && newest.token().equals(claims.token(task.id()))
        && newest.isLive(now)
        && task.status() == Task.Status.IN_PROGRESS;
  }

  private static String shown(Task task, String whose) {
    return "Task t"
        + task.number()
        + whose
        + ReplyLimits.part("task_list", "t" + task.number(), task.content(), 0)
        + "\nWhen it is done, call task_status with t"
        + task.number()
        + " and completed.";
  }

  private static String nothingReady(TaskList tasks, Instant now) {
    if (tasks.isEmpty()) {
      return "No tasks yet";
    }
    int blocked = tasks.of(Task.Status.BLOCKED).size();
    int claimed = 0;
    int waiting = 0;
    for (Task task : tasks.waiting(now)) {
      if (task.claimAt(now) != null) {
        claimed++;
      } else {
        waiting++;
      }
    }
    int toMerge = tasks.toMerge().size();
    if (blocked + claimed + waiting + toMerge == 0) {
      return "No task is left: all "
          + tasks.size()
          + " are completed or cancelled. Call session_complete if nothing is missing.";
    }
    return "No task is ready: "
        + blocked
        + " blocked, "
        + waiting
        + " waiting for other tasks, "
        + claimed
        + " claimed"
        + (toMerge == 0 ? "" : ", " + toMerge + " done and not merged yet")
        + ". See task_list.";
  }

  private static String list(CallScope scope, ToolArguments arguments) {
    TaskLog log = scope.session().tasks();
    String id = arguments.id(ID, 't');
    if (id != null) {
      return whole(log.get(id), scope.now(), arguments);
    }
    String word = arguments.text(STATUS);
    Task.Status only = word == null ? null : among(word, STATUSES);
    TaskList all = log.list();
    if (all.isEmpty()) {
      return "No tasks yet";
    }
    List<Task> shown = only == null ? new Grouped(all) : all.of(only);
    if (shown.isEmpty()) {
      return "No tasks are "
          + TaskWords.status(Objects.requireNonNull(only))
          + "; "
          + TaskWords.counts(all);
    }
    return TaskWords.counts(all)
        + "\n"
        + ReplyLimits.page("task_list", arguments, shown, new TaskLines(scope.now())::line);
  }

  private static String whole(Task task, Instant now, ToolArguments arguments) {
    return "t"
        + task.number()
        + " ["
        + task.shortId()
        + "] "
        + TaskWords.status(task.status())
        + particulars(task, now)
        + "\n- "
        + ReplyLimits.part("task_list", "t" + task.number(), task.content(), arguments)
        + wholeReason(task);
  }

  /** Returns a reason of several lines, such as a gate's output; otherwise empty. */
  private static String wholeReason(Task task) {
    String reason = task.reason();
    return reason == null || reason.strip().indexOf('\n') < 0
        ? ""
        : "\nWhole reason:\n- " + TextExcerpt.indented(reason, REASON);
  }

  /** Returns the properties of a task without its text. */
  private static String particulars(Task task, Instant now) {
    return (task.priority() == TaskLog.DEFAULT_PRIORITY
            ? ""
            : " (priority " + task.priority() + ")")
        + (task.touches().isEmpty() ? "" : " (touches " + touches(task) + ")")
        + TaskWords.mergeState(task)
        + (task.attempts() == 0 ? "" : " (" + TaskWords.attempts(task) + ")")
        + TaskWords.awaited(task)
        + TaskWords.holder(task, now)
        + TaskWords.reason(task, LINE);
  }

  private static String touches(Task task) {
    return TextExcerpt.firstLine(String.join(", ", task.touches()), LINE);
  }

  /** The tasks by status, and within a status in the order of their addition. */
  private static final class Grouped extends AbstractList<Task> {
    private final List<TaskList> groups = new ArrayList<>();
    private final int size;

    Grouped(TaskList tasks) {
      for (Task.Status status : SHOWN_FIRST) {
        groups.add(tasks.of(status));
      }
      this.size = tasks.size();
    }

    @Override
    public int size() {
      return size;
    }

    @Override
    public Task get(int index) {
      int place = Objects.checkIndex(index, size);
      int group = 0;
      while (place >= groups.get(group).size()) {
        place -= groups.get(group++).size();
      }
      return groups.get(group).get(place);
    }
  }

  /** Renders tasks as lines, with the status as a heading where it changes. */
  private static final class TaskLines {
    private final Instant now;
    private Task.@Nullable Status group;

    TaskLines(Instant now) {
      this.now = now;
    }

    String line(Task task) {
      String heading =
          task.status() == group
              ? ""
              : TaskWords.status(task.status()).toUpperCase(Locale.ROOT) + "\n";
      group = task.status();
      return heading
          + "- [t"
          + task.number()
          + "] "
          + TextExcerpt.indented(task.beginning(LINE))
          + (task.length() > LINE ? "…" : "")
          + particulars(task, now);
    }
  }
}
