package dev.ralph.cli.task;

import dev.ralph.Session;
import dev.ralph.Task;
import dev.ralph.TaskList;
import dev.ralph.cli.call.Command;
import dev.ralph.cli.call.ExitCode;
import dev.ralph.cli.call.Invocation;
import dev.ralph.cli.call.Json;
import dev.ralph.cli.call.Syntax;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** {@code ralph tasks}. */
public final class TasksCommand implements Command {

  /** More than a person reads, and far fewer than a session may have. */
  private static final int LIMIT = 100;

  @Override
  public Syntax syntax() {
    return Syntax.of("the tasks of a session")
        .session()
        .flag("ready", "only those that can be worked on, the most urgent first")
        .flag("open", "only those that are neither completed nor cancelled")
        .value("status", "STATUS", "only those of that status")
        .value("limit", "N", "only the first N; " + LIMIT + " if not given, all with --json")
        .at()
        .store();
  }

  @Override
  public int run(Invocation call) {
    String word = call.arguments().text("status");
    Task.Status wanted = word == null ? null : TaskAnswer.status(word);
    Session session = call.view();
    boolean ready = call.arguments().has("ready");
    int limit =
        call.arguments()
            .number("limit", call.json() ? Integer.MAX_VALUE : LIMIT, 1, Integer.MAX_VALUE);
    TaskList all = session.tasks().list();
    TaskList tasks = ready ? all.ready(call.moment()) : all;
    tasks = call.arguments().has("open") ? tasks.open() : tasks;
    tasks = wanted == null ? tasks : tasks.of(wanted);
    List<Task> page = tasks.subList(0, Math.min(limit, tasks.size()));
    int leftOut = tasks.size() - page.size();
    if (call.json()) {
      call.print(
          Json.of("tasks")
              .with("tasks", TaskForm.json(page, call.moment()))
              .with("left_out", leftOut == 0 ? null : leftOut)
              .json());
    } else if (tasks.isEmpty()) {
      call.print(none(all, ready, wanted));
    } else {
      for (Task task : page) {
        call.print(TaskForm.line(task, call.style(), call.moment()));
      }
    }
    if (leftOut > 0) {
      call.environment().out().flush(); // the last line, where a person looks
      call.warn(
          leftOut
              + " more tasks left out; --limit "
              + tasks.size()
              + " shows all of them, --ready, --open or --status only some");
    }
    return ExitCode.DONE;
  }

  private static String none(TaskList all, boolean ready, Task.@Nullable Status wanted) {
    if (all.isEmpty()) {
      return "No tasks yet";
    }
    return "No task is " + (wanted != null ? wanted.word() : ready ? "ready" : "open");
  }
}
