package dev.ralph.cli.task;

import dev.ralph.Session;
import dev.ralph.Task;
import dev.ralph.TaskList;
import dev.ralph.cli.call.Command;
import dev.ralph.cli.call.CommandSyntax;
import dev.ralph.cli.call.Invocation;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** {@code ralph tasks}. */
public final class TasksCommand implements Command {

  @Override
  public CommandSyntax syntax() {
    return CommandSyntax.of("list the tasks of a session")
        .session()
        .flag("ready", "show only ready tasks, most urgent first")
        .flag("open", "show only tasks that are neither completed nor cancelled")
        .value("status", "STATUS", "show only tasks with this status")
        .limit("first")
        .at()
        .store();
  }

  @Override
  public void run(Invocation call) {
    String word = call.arguments().text("status");
    Task.Status wanted = word == null ? null : TaskAnswer.status(word);
    Session session = call.view();
    boolean ready = call.arguments().has("ready");
    TaskList all = session.tasks().list();
    TaskList tasks = ready ? all.ready(call.moment()) : all;
    tasks = call.arguments().has("open") ? tasks.open() : tasks;
    tasks = wanted == null ? tasks : tasks.of(wanted);
    int leftOut =
        TaskForm.listing(call.moment())
            .answerFirst(call, tasks, none(all, ready, wanted, call.moment()));
    if (leftOut > 0) {
      call.environment().out().flush(); // makes the warning the last line, where a person looks
      call.warn(
          leftOut
              + " more tasks not shown; --limit "
              + tasks.size()
              + " shows all; --ready, --open or --status select tasks");
    }
  }

  private static String none(
      TaskList all, boolean ready, Task.@Nullable Status wanted, Instant now) {
    if (all.isEmpty()) {
      return "No tasks yet";
    }
    return wanted == null && ready
        ? "N" + NotReady.why(all, now).substring(1)
        : "No task is " + (wanted != null ? wanted.word() : "open");
  }
}
