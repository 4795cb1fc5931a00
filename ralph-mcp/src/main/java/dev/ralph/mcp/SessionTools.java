package dev.ralph.mcp;

import dev.ralph.Claim;
import dev.ralph.Inbox;
import dev.ralph.Message;
import dev.ralph.NewTask;
import dev.ralph.Note;
import dev.ralph.NoteLog;
import dev.ralph.Question;
import dev.ralph.RalphException;
import dev.ralph.Session;
import dev.ralph.StatusChange;
import dev.ralph.Task;
import dev.ralph.TaskLog;
import dev.ralph.core.text.Excerpt;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import javax.annotation.Nullable;

/**
 * The tools of a session: their names, words and replies are those of ralph.nu where it has them.
 */
final class SessionTools {

  /** About 2,500 tokens; a list is read again with each call of an agent that works on. */
  private static final int LIST_BUDGET = 10_000;

  /** What tells a task from another; {@code task_list} of one shows it whole. */
  private static final int TASK = 200;

  private static final int NOTE = 1_500;
  private static final int MESSAGE = 8_000;

  /** Of one text at a time, in characters: clients refuse replies of some 25,000 tokens. */
  private static final int PART = 20_000;

  private static final int PREVIEW = 50;
  private static final int NAMED = 10;

  static final String ID = "id";
  private static final String CONTENT = "content";
  private static final String STATUS = "status";
  private static final String TYPE = "type";
  private static final String OFFSET = "offset";

  private static final List<String> STATUSES =
      List.of("remaining", "in_progress", "blocked", "completed", "cancelled");
  private static final List<String> NOTE_TYPES =
      List.of(NoteLog.LEARNING, NoteLog.STUCK, NoteLog.TIP, NoteLog.DECISION, NoteLog.BLOCKED);

  private static final List<Task.Status> SHOWN_FIRST =
      List.of(
          Task.Status.IN_PROGRESS,
          Task.Status.REMAINING,
          Task.Status.BLOCKED,
          Task.Status.COMPLETED,
          Task.Status.CANCELLED);

  private SessionTools() {}

  /** Returns all tools. */
  static List<Tool> all() {
    return List.of(
        new Tool(
                "inbox_list",
                "Get unread inbox messages from the operator. Check this at start of each"
                    + " iteration.",
                SessionTools::inboxList)
            .text(ID, "Only this message, whole")
            .number(OFFSET, "Messages to skip; with id, characters")
            .asInbox(),
        new Tool(
                "inbox_mark_read",
                "Mark an inbox message as read after processing.",
                SessionTools::inboxMarkRead)
            .requiredText(ID, "Message ID from inbox_list"),
        new Tool("task_add", "Add a new task to the session task list.", SessionTools::taskAdd)
            .requiredText(CONTENT, "Task description")
            .choice(STATUS, "Initial status, remaining if not given", STATUSES.subList(0, 3))
            .number("priority", "0 (first) to 4 (last), 2 if not given")
            .texts("depends", "IDs of tasks that must be completed before"),
        new Tool(
                "task_status",
                "Update a task status by ID. Use IDs from task_list output.",
                SessionTools::taskStatus)
            .requiredText(ID, "Task ID, such as t3")
            .requiredChoice(STATUS, "New status", STATUSES)
            .text("reason", "Why, for blocked or cancelled"),
        new Tool(
                "task_list",
                "Get current task list grouped by status, or the whole text of one task.",
                SessionTools::taskList)
            .text(ID, "Only this task, whole")
            .choice(STATUS, "Only tasks of this status", STATUSES)
            .number(OFFSET, "Tasks to skip; with id, characters")
            .readOnly(),
        new Tool(
            "task_next",
            "Claim the next task that is ready, so that no other agent works on it, and set it in"
                + " progress.",
            SessionTools::taskNext),
        new Tool(
                "note_add",
                "Add a note for future iterations (learnings, tips, blockers, decisions).",
                SessionTools::noteAdd)
            .requiredText(CONTENT, "Note content")
            .requiredChoice(TYPE, "", NOTE_TYPES),
        new Tool("note_list", "List notes from this session, newest first.", SessionTools::noteList)
            .text(ID, "Only this note, whole")
            .text(TYPE, "Only notes of this type")
            .number(OFFSET, "Notes to skip; with id, characters")
            .readOnly(),
        new Tool(
                "ask",
                "Ask the operator a question that only a person can decide. The answer comes as a"
                    + " message with a later tool result or in a later prompt; go on with what"
                    + " needs none.",
                SessionTools::ask)
            .requiredText("question", "One question, with what it takes to answer it"),
        new Tool(
            "session_complete",
            "Signal that ALL tasks are complete. Only call when every task is done.",
            SessionTools::sessionComplete));
  }

  // ---- inbox

  private static String inboxList(Scope scope, Arguments arguments) {
    String id = arguments.text(ID);
    if (id != null) {
      Message message = scope.session().inbox().get(id);
      return heading(message) + part("inbox_list", id, message.text(), arguments);
    }
    List<Message> messages = taken(scope, arguments);
    int hidden = scope.session().inbox().unread().size() - messages.size();
    String later =
        hidden == 0
            ? ""
            : "(" + hidden + " more: for the next iteration, or shown to another agent at work)";
    if (messages.isEmpty()) {
      return "No unread messages" + (later.isEmpty() ? "" : "\n" + later);
    }
    String list =
        page("inbox_list", arguments, messages, SessionTools::line)
            + "\nAfter processing, call inbox_mark_read with the ID of each message.";
    return later.isEmpty() ? list : list + "\n" + later;
  }

  /**
   * Returns the unread messages, of which those that the reply has room for are the agent's now:
   * another one may have been quicker.
   */
  private static List<Message> taken(Scope scope, Arguments arguments) {
    Inbox inbox = scope.session().inbox();
    List<Message> messages = inbox.unreadBy(scope.call().reader());
    while (!messages.isEmpty()) {
      int offset = arguments.number(OFFSET, 0, 0, Integer.MAX_VALUE);
      int room = lines(offset, messages, SessionTools::line).size();
      List<String> ids = messages.stream().skip(offset).limit(room).map(Message::id).toList();
      List<String> own =
          inbox.take(scope.call(), scope.messageLease(), ids).stream().map(Message::id).toList();
      if (own.size() == ids.size()) {
        break;
      }
      messages =
          messages.stream()
              .filter(message -> !ids.contains(message.id()) || own.contains(message.id()))
              .toList();
    }
    return messages;
  }

  /** Returns a message as an item of a list. */
  static String line(Message message) {
    return heading(message) + cut(message.text(), MESSAGE, "inbox_list", "m" + message.number());
  }

  private static String heading(Message message) {
    String by = message.by();
    return "- ["
        + message.shortId()
        + "] "
        + Excerpt.firstLine(message.timestamp(), 40)
        + (by == null ? "" : " " + Excerpt.firstLine(by, 40))
        + ": ";
  }

  private static String inboxMarkRead(Scope scope, Arguments arguments) {
    String id = arguments.required(ID);
    scope.session().inbox().markRead(id, scope.call().reader());
    return "Message " + id + " marked as read";
  }

  // ---- tasks

  private static String taskAdd(Scope scope, Arguments arguments) {
    String status = arguments.text(STATUS);
    NewTask task =
        NewTask.of(arguments.required(CONTENT))
            .status(status == null ? Task.Status.REMAINING : among(status, STATUSES.subList(0, 3)))
            .priority(arguments.number("priority", TaskLog.DEFAULT_PRIORITY, 0, 4))
            .iteration(scope.iteration());
    for (String ref : arguments.texts("depends")) {
      task = task.dependsOn(ref);
    }
    Task added = scope.session().tasks().add(task);
    return "Task t" + added.number() + " [" + added.shortId() + "] added";
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

  private static String taskStatus(Scope scope, Arguments arguments) {
    String id = arguments.required(ID);
    Task.Status status = among(arguments.required(STATUS), STATUSES);
    TaskLog tasks = scope.session().tasks();
    HeldClaims claims = scope.claims();
    Task task = tasks.get(id);
    String token = claims.token(task.id());
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
      } catch (RalphException e) {
        if (e.code() == RalphException.Code.CONTENDED) {
          claims.forget(task.id());
        }
        throw e;
      }
      if (status != Task.Status.IN_PROGRESS) {
        claims.forget(task.id());
      }
    }
    return "Task " + id + " marked as " + status.word();
  }

  /** Claims a task that is begun; returns false for one that can only be marked. */
  private static boolean claim(Scope scope, Task task) {
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
    claim.ifPresent(held -> scope.claims().hold(scope.session(), held));
    return claim.isPresent();
  }

  private static String taskNext(Scope scope, Arguments arguments) {
    TaskLog tasks = scope.session().tasks();
    Optional<Claim> claim =
        tasks.claimNext(scope.owner(), scope.claims().lease(), scope.call().iteration());
    if (claim.isEmpty()) {
      return nothingReady(tasks.list());
    }
    scope.claims().hold(scope.session(), claim.get());
    Task task = tasks.get(claim.get().taskId());
    return "Task t"
        + task.number()
        + " is yours, and in progress:\n- "
        + part("task_list", "t" + task.number(), task.content(), 0)
        + "\nWhen it is done, call task_status with t"
        + task.number()
        + " and completed.";
  }

  private static String nothingReady(List<Task> tasks) {
    if (tasks.isEmpty()) {
      return "No tasks yet";
    }
    Instant now = Instant.now();
    int blocked = 0;
    int claimed = 0;
    int waiting = 0;
    for (Task task : tasks) {
      Claim claim = task.claim();
      if (task.status() == Task.Status.BLOCKED) {
        blocked++;
      } else if (!task.status().isTerminal() && claim != null && claim.isLive(now)) {
        claimed++;
      } else if (!task.status().isTerminal()) {
        waiting++;
      }
    }
    if (blocked + claimed + waiting == 0) {
      return "No task is left: all "
          + tasks.size()
          + " are completed or cancelled. Call session_complete if nothing is missing.";
    }
    return "No task is ready: "
        + blocked
        + " blocked, "
        + waiting
        + " waiting for others, "
        + claimed
        + " claimed. See task_list.";
  }

  private static String taskList(Scope scope, Arguments arguments) {
    TaskLog log = scope.session().tasks();
    String id = arguments.text(ID);
    if (id != null) {
      return whole(log.get(id), log, arguments);
    }
    String word = arguments.text(STATUS);
    Task.Status only = word == null ? null : among(word, STATUSES);
    List<Task> all = log.list();
    if (all.isEmpty()) {
      return "No tasks yet";
    }
    List<Task> shown = new ArrayList<>();
    for (Task task : all) {
      if (only == null || task.status() == only) {
        shown.add(task);
      }
    }
    if (shown.isEmpty()) {
      return "No tasks are " + words(only) + "; " + counts(all);
    }
    shown.sort(Comparator.comparing(task -> SHOWN_FIRST.indexOf(task.status())));
    return counts(all) + "\n" + page("task_list", arguments, shown, new TaskLines(all)::line);
  }

  private static String counts(List<Task> tasks) {
    Map<Task.Status, Integer> counts = new EnumMap<>(Task.Status.class);
    tasks.forEach(task -> counts.merge(task.status(), 1, Integer::sum));
    List<String> parts = new ArrayList<>();
    for (Task.Status status : SHOWN_FIRST) {
      if (counts.containsKey(status)) {
        parts.add(counts.get(status) + " " + words(status));
      }
    }
    return tasks.size() + (tasks.size() == 1 ? " task: " : " tasks: ") + String.join(", ", parts);
  }

  private static String words(@Nullable Task.Status status) {
    return status == null ? "" : status.word().replace('_', ' ');
  }

  private static String whole(Task task, TaskLog log, Arguments arguments) {
    return "t"
        + task.number()
        + " ["
        + task.shortId()
        + "] "
        + words(task.status())
        + new TaskLines(log.list()).particulars(task)
        + "\n- "
        + part("task_list", "t" + task.number(), task.content(), arguments);
  }

  /** Tasks as lines, under the heading of their status where that begins. */
  private static final class TaskLines {
    private final Map<String, Task> byId = new HashMap<>();
    private final Instant now = Instant.now();
    @Nullable private Task.Status group;

    TaskLines(List<Task> all) {
      all.forEach(task -> byId.put(task.id(), task));
    }

    String line(Task task) {
      String heading =
          task.status() == group ? "" : words(task.status()).toUpperCase(Locale.ROOT) + "\n";
      group = task.status();
      return heading
          + "- [t"
          + task.number()
          + "] "
          + Excerpt.indented(task.content(), TASK)
          + particulars(task);
    }

    String particulars(Task task) {
      StringBuilder text = new StringBuilder();
      if (task.priority() != TaskLog.DEFAULT_PRIORITY) {
        text.append(" (priority ").append(task.priority()).append(')');
      }
      List<String> awaited = new ArrayList<>();
      for (String id : task.dependencies()) {
        Task other = byId.get(id);
        if (other != null && other.status() != Task.Status.COMPLETED) {
          awaited.add("t" + other.number());
        }
      }
      if (!awaited.isEmpty() && !task.status().isTerminal()) {
        text.append(" (waits for ")
            .append(String.join(", ", awaited.subList(0, Math.min(NAMED, awaited.size()))))
            .append(awaited.size() > NAMED ? ", …)" : ")");
      }
      Claim claim = task.claim();
      if (claim != null && claim.isLive(now) && !task.status().isTerminal()) {
        text.append(" (claimed by ").append(Excerpt.firstLine(claim.owner(), 40)).append(')');
      }
      String reason = task.reason();
      if (reason != null && !reason.isBlank()) {
        text.append(": ").append(Excerpt.firstLine(reason, TASK));
      }
      return text.toString();
    }
  }

  // ---- notes

  private static String noteAdd(Scope scope, Arguments arguments) {
    String type = arguments.required(TYPE);
    String content = arguments.required(CONTENT);
    scope.session().notes().add(type, content, scope.iteration());
    return "Note added: [" + type + "] " + Excerpt.firstLine(content, PREVIEW);
  }

  private static String noteList(Scope scope, Arguments arguments) {
    String type = arguments.text(TYPE);
    NoteLog log = scope.session().notes();
    String id = arguments.text(ID);
    if (id != null) {
      for (Note note : log.list()) {
        if (note.id().equals(id)) {
          return heading(note) + part("note_list", id, note.content(), arguments);
        }
      }
      throw RalphException.notFound("there is no note " + RalphException.quote(id));
    }
    List<Note> notes = new ArrayList<>(type == null ? log.list() : log.byType(type));
    if (notes.isEmpty()) {
      return type == null ? "No notes yet" : "No notes of type " + RalphException.quote(type);
    }
    java.util.Collections.reverse(notes);
    return page(
        "note_list",
        arguments,
        notes,
        note -> heading(note) + cut(note.content(), NOTE, "note_list", note.id()));
  }

  private static String heading(Note note) {
    return "- "
        + (note.iteration() == 0 ? "" : "[#" + note.iteration() + "] ")
        + note.type()
        + ": ";
  }

  // ---- the operator

  private static String ask(Scope scope, Arguments arguments) {
    Question question =
        scope
            .session()
            .questions()
            .ask(arguments.required("question"), scope.owner(), scope.iteration());
    return "Question q"
        + question.number()
        + " recorded. The answer comes as a message with a later tool result or in a later prompt;"
        + " go on with what needs none.";
  }

  private static String sessionComplete(Scope scope, Arguments arguments) {
    Session session = scope.session();
    // A message that the agent was shown with an earlier reply counts as read by this call.
    session.inbox().acknowledge(scope.call());
    boolean done =
        session.inbox().unread().isEmpty()
            && session.tasks().list().stream().allMatch(task -> task.status().isTerminal());
    // With open tasks or unread messages the claim is refused anyway, and names them.
    boolean finished = !done || scope.gates().run();
    session.control().complete();
    String marked = "Session \"" + session.name() + "\" marked complete. ";
    if (session.control().running().isEmpty()) {
      return marked + "No loop runs on it; the next one runs its gates first.";
    }
    return marked
        + (scope.gates().isEmpty() || !finished
            ? "End your work now: the loop then runs its gates"
                + (finished ? "" : ", which take longer than a tool may,")
                + " and if one fails the next prompt says why."
            : "The gates passed. End your work now, and change nothing more.");
  }

  // ---- long texts

  /** Returns the beginning of a text, and where there is more of it how to see that. */
  private static String cut(String text, int characters, String tool, String id) {
    return Excerpt.indented(text, characters)
        + (Excerpt.clean(text).length() <= characters
            ? ""
            : "\n  (cut: " + tool + " with id " + id + " shows all of it)");
  }

  private static String part(String tool, String id, String text, Arguments arguments) {
    return part(tool, id, text, arguments.number(OFFSET, 0, 0, Integer.MAX_VALUE));
  }

  /** Returns as much of a text as there is room for, and how to see the rest. */
  private static String part(String tool, String id, String text, int offset) {
    String shown = Excerpt.clean(text);
    if (offset > 0 && offset >= shown.length()) {
      throw RalphException.invalid(
          "offset " + offset + " is past the end: there are " + shown.length() + " characters");
    }
    int end = Excerpt.end(shown, offset + Math.min(PART, shown.length() - offset));
    String part = Excerpt.indented(shown.substring(offset, end));
    int left = shown.length() - end;
    return left == 0
        ? part
        : part
            + "\n("
            + left
            + " more characters: call "
            + tool
            + " with id "
            + id
            + " and offset "
            + end
            + ")";
  }

  // ---- lists

  /** Returns as many items as there is room for, from the offset on, and how to see the rest. */
  private static <T> String page(
      String tool, Arguments arguments, List<T> items, Function<T, String> line) {
    int offset = arguments.number(OFFSET, 0, 0, Integer.MAX_VALUE);
    if (offset >= items.size()) {
      throw RalphException.invalid(
          "offset " + offset + " is past the end: there are " + items.size());
    }
    List<String> lines = lines(offset, items, line);
    StringBuilder text = new StringBuilder(String.join("\n", lines));
    int next = offset + lines.size();
    int left = items.size() - next;
    if (left > 0) {
      text.append("\n(")
          .append(left)
          .append(" more: call ")
          .append(tool)
          .append(" with offset ")
          .append(next)
          .append(')');
    }
    return text.toString();
  }

  /** Returns the items that a reply has room for, from the offset on. */
  private static <T> List<String> lines(int offset, List<T> items, Function<T, String> line) {
    List<String> lines = new ArrayList<>();
    int length = 0;
    for (int i = offset; i < items.size() && (i == offset || length < LIST_BUDGET); i++) {
      String text = line.apply(items.get(i));
      length += text.length() + 1;
      lines.add(text);
    }
    return lines;
  }
}
