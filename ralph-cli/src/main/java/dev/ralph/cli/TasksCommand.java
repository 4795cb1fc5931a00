package dev.ralph.cli;

import dev.ralph.Session;
import dev.ralph.Task;
import java.util.ArrayList;
import java.util.List;

/** {@code ralph tasks}. */
final class TasksCommand implements Command {

  @Override
  public Syntax syntax() {
    return Syntax.of("the tasks of a session")
        .session()
        .flag("ready", "only those that can be worked on, the most urgent first")
        .value("status", "STATUS", "only those of that status")
        .at()
        .store();
  }

  @Override
  public int run(Invocation call) {
    String word = call.arguments().text("status");
    Task.Status wanted = word == null ? null : call.status(word);
    Session session = call.view();
    boolean ready = call.arguments().has("ready");
    List<Task> tasks = ready ? session.tasks().ready(call.moment()) : session.tasks().list();
    if (wanted != null) {
      List<Task> matching = new ArrayList<>();
      for (Task task : tasks) {
        if (task.status() == wanted) {
          matching.add(task);
        }
      }
      tasks = matching;
    }
    if (call.json()) {
      call.answer("tasks", "tasks", TaskForm.json(tasks, call.moment()));
    } else if (tasks.isEmpty()) {
      call.print(ready ? "No task is ready" : "No tasks yet");
    } else {
      for (Task task : tasks) {
        call.print(TaskForm.line(task, call.style(), call.moment()));
      }
    }
    return ExitCode.DONE;
  }
}
