package dev.ralph.cli.task;

import dev.ralph.Session;
import dev.ralph.Task;
import dev.ralph.cli.call.Command;
import dev.ralph.cli.call.ExitCode;
import dev.ralph.cli.call.Invocation;
import dev.ralph.cli.call.Syntax;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** {@code ralph tasks}. */
public final class TasksCommand implements Command {

  @Override
  public Syntax syntax() {
    return Syntax.of("the tasks of a session")
        .session()
        .flag("ready", "only those that can be worked on, the most urgent first")
        .flag("open", "only those that are neither completed nor cancelled")
        .value("status", "STATUS", "only those of that status")
        .at()
        .store();
  }

  @Override
  public int run(Invocation call) {
    String word = call.arguments().text("status");
    Task.Status wanted = word == null ? null : TaskAnswer.status(word);
    Session session = call.view();
    boolean ready = call.arguments().has("ready");
    boolean open = call.arguments().has("open");
    List<Task> all = ready ? session.tasks().ready(call.moment()) : session.tasks().list();
    List<Task> tasks = new ArrayList<>();
    for (Task task : all) {
      if ((wanted == null || task.status() == wanted) && !(open && task.status().isTerminal())) {
        tasks.add(task);
      }
    }
    if (call.json()) {
      call.answer("tasks", "tasks", TaskForm.json(tasks, call.moment()));
    } else if (tasks.isEmpty()) {
      call.print(none(session, ready, wanted));
    } else {
      for (Task task : tasks) {
        call.print(TaskForm.line(task, call.style(), call.moment()));
      }
    }
    return ExitCode.DONE;
  }

  private static String none(Session session, boolean ready, Task.@Nullable Status wanted) {
    if (session.tasks().list().isEmpty()) {
      return "No tasks yet";
    }
    return "No task is " + (wanted != null ? wanted.word() : ready ? "ready" : "open");
  }
}
