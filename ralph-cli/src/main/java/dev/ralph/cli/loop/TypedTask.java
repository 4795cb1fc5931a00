package dev.ralph.cli.loop;

import dev.ralph.Control;
import dev.ralph.NewTask;
import dev.ralph.Session;
import dev.ralph.Task;
import dev.ralph.TaskList;
import dev.ralph.cli.call.Invocation;
import dev.ralph.cli.call.StoreAccess;
import dev.ralph.cli.call.UsageException;
import dev.ralph.core.internal.process.GitHead;
import dev.ralph.core.internal.text.Sha256;
import dev.ralph.log.DamagedException;
import dev.ralph.log.RalphException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The task in the command line of {@code ralph build TEXT}. The same command line continues the
 * task instead of adding the task again.
 */
final class TypedTask {

  private static final String PREFIX = "typed-";
  private static final int HASH_LENGTH = 12;

  private final Invocation call;
  private final String text;

  private TypedTask(Invocation call, String text) {
    this.call = call;
    this.text = text;
  }

  /**
   * Reads the task of a call, and chooses the session if the call names none; null without a task.
   * A plan in a store without sessions gets the same name.
   *
   * @throws UsageException if the text is blank, or the name of a file or a session
   */
  static @Nullable TypedTask of(Invocation call) {
    String given = call.textIfAny(0);
    if (given == null) {
      if (call.arguments().has("tasks") && call.stores().sessionsIfAny().isEmpty()) {
        call.sessionIfUnnamed(() -> usualName(call));
      }
      return null;
    }
    String text = given.strip();
    if (text.isEmpty()) {
      throw new UsageException("the task is empty; write the work in quotes after ralph build");
    }
    TypedTask task = new TypedTask(call, text);
    task.requireNoName();
    call.sessionIfUnnamed(task::session);
    return task;
  }

  /**
   * Rejects a task in a call whose change defines the work.
   *
   * @throws UsageException if the call has a task
   */
  static void refuse(Invocation call) {
    String text = call.arguments().argument(0);
    if (text != null) {
      throw new UsageException(
          "--change defines the work; omit " + RalphException.quote(text) + " or --change");
    }
  }

  /** Rejects a single word that is the name of a file or a session. */
  private void requireNoName() {
    if (text.chars().anyMatch(Character::isWhitespace)) {
      return;
    }
    if (isFile()) {
      throw new UsageException(
          RalphException.quote(text)
              + " is a file; use ralph build --tasks FILE for a check list, or --spec FILE");
    }
    if (call.stores().sessionsIfAny().contains(text)) {
      throw new UsageException(
          RalphException.quote(text) + " is a session; use ralph build -n " + text);
    }
  }

  private boolean isFile() {
    try {
      return Files.isRegularFile(call.environment().path(text));
    } catch (UsageException notAPath) {
      return false;
    }
  }

  /**
   * Returns the name of the session: the name by branch or folder, unless only one idle session
   * with another name has the task. An agent may have switched the branch.
   */
  private String session() {
    String name = usualName(call);
    List<String> known = call.stores().sessionsIfAny();
    if (known.contains(name) || known.isEmpty()) {
      return name;
    }
    List<String> others = new ArrayList<>();
    StoreAccess store = call.store();
    for (String each : known) {
      Session session = store.session(each);
      boolean isRunning = session.control().running().filter(Control.RunningLoop::live).isPresent();
      if (!isRunning && same(session.tasks().list().open(), text, true) != null) {
        others.add(each);
      }
    }
    return others.size() == 1 ? others.get(0) : name;
  }

  private static String usualName(Invocation call) {
    Path last = call.stores().projectTop().getFileName();
    return SessionNaming.of(
        GitHead.of(call.environment().directory()).branch(), last == null ? "" : last.toString());
  }

  /** Adds the task to a session, or reports the task that continues. */
  void addTo(Session session) {
    TaskList tasks = session.tasks().list();
    Task known = same(tasks, text, session.control().isCompleted());
    if (known == null) {
      Task added = session.tasks().add(NewTask.of(text).key(freeKey(tasks, text)));
      boolean isTaken = session.control().running().map(Control.RunningLoop::live).orElse(false);
      call.warn("added " + line(added) + (isTaken ? "; the running loop continues with it" : ""));
    } else if (known.status() == Task.Status.COMPLETED) {
      call.warn(
          line(known)
              + " is completed; continuing the session. To repeat the task: ralph task add"
              + call.sessionWords(session.name())
              + " TEXT");
    } else {
      call.warn("continuing " + line(known));
    }
  }

  private static String line(Task task) {
    return "t" + task.number() + ": " + task.content().strip().lines().findFirst().orElse("");
  }

  /** Returns the beginning of the keys of all tasks that were added for a text. */
  private static String keyPrefix(String text) {
    return PREFIX + Sha256.of(text).substring(0, HASH_LENGTH) + "-";
  }

  /**
   * Returns a key that no task has, because a task with a known key is not added. Concurrent calls
   * choose the same key, so the task is added once.
   */
  private static String freeKey(TaskList tasks, String text) {
    Set<String> used = new HashSet<>();
    tasks.forEach(task -> used.add(String.valueOf(task.key())));
    String prefix = keyPrefix(text);
    int number = 0;
    while (used.contains(prefix + number)) {
      number++;
    }
    return prefix + number;
  }

  /**
   * Returns the task to continue, or null if the text is new work: the newest task with the text if
   * the task is open. A completed task counts until its session is complete. A task added for the
   * text counts even if its text was edited.
   */
  static @Nullable Task same(TaskList tasks, String text, boolean isComplete) {
    List<Task> all = all(tasks, text);
    if (all.isEmpty()) {
      return null;
    }
    Task newest = all.get(all.size() - 1);
    return switch (newest.status()) {
      case REMAINING, IN_PROGRESS, BLOCKED -> newest;
      case COMPLETED -> isComplete ? null : newest;
      case CANCELLED -> null;
    };
  }

  private static List<Task> all(TaskList tasks, String text) {
    List<Task> all = new ArrayList<>();
    String prefix = keyPrefix(text);
    for (Task task : tasks) {
      if (isSame(task, text, prefix)) {
        all.add(task);
      }
    }
    return all;
  }

  private static boolean isSame(Task task, String text, String prefix) {
    try {
      return task.content().strip().equals(text) || String.valueOf(task.key()).startsWith(prefix);
    } catch (DamagedException lostContent) {
      return false;
    }
  }
}
