package dev.ralph.cli.task;

import dev.ralph.Session;
import dev.ralph.StatusChange;
import dev.ralph.Task;
import dev.ralph.TaskLog;
import dev.ralph.cli.call.Invocation;
import dev.ralph.cli.call.UsageException;
import dev.ralph.core.internal.text.TaskWords;
import dev.ralph.log.RalphException;
import java.util.ArrayList;
import java.util.List;

/** The answer of commands that change tasks: the changed tasks. */
final class TaskAnswer {

  private TaskAnswer() {}

  /** Prints a task. */
  static void with(Invocation call, Task task) {
    if (call.json()) {
      call.answer("task", "task", TaskForm.json(task, call.moment()));
    } else {
      call.print(TaskForm.line(task, call.style(), call.moment()));
    }
  }

  /** Changes the status of the task in the first argument, and prints the task. */
  static void withChanged(Invocation call, StatusChange change) {
    withChanged(call, List.of(call.arguments().requiredArgument(0)), change);
  }

  /** Changes the status of tasks, and prints the tasks. */
  static void withChanged(Invocation call, List<String> refs, StatusChange change) {
    Session session = call.session();
    boolean isAgent = call.isOfLoop(session.name());
    TaskLog tasks = (isAgent ? session : session.asPerson(call.person())).tasks();
    String token = call.arguments().text("token");
    if (refs.size() > 1) {
      if (token != null) {
        throw new UsageException("a token is for a single task; give only its ID");
      }
      for (String ref : refs) {
        tasks.get(ref); // validates all references before the first change
      }
    }
    StatusChange told = change.under(token).iteration(call.iteration(session));
    List<Task> changed = new ArrayList<>();
    for (String ref : refs) {
      Task task = tasks.status(ref, told);
      changed.add(task);
      String released =
          task.status() == Task.Status.CANCELLED ? TaskWords.released(tasks.list(), task) : "";
      if (!released.isEmpty()) {
        call.warn("warning: t" + task.number() + " is cancelled, so " + released);
      }
      if (refs.size() > 1 && !call.json()) {
        call.print(TaskForm.line(task, call.style(), call.moment()));
      }
    }
    if (refs.size() == 1) {
      with(call, changed.get(0));
    } else if (call.json()) {
      call.answer("tasks", "tasks", TaskForm.json(changed, call.moment()));
    }
  }

  /**
   * Parses a status.
   *
   * @throws UsageException if the word is not a status
   */
  static Task.Status status(String word) {
    try {
      return Task.Status.of(word);
    } catch (RalphException e) {
      throw new UsageException(String.valueOf(e.getMessage()));
    }
  }
}
