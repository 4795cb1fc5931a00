package dev.ralph.cli;

import dev.ralph.NewTask;
import dev.ralph.Session;
import dev.ralph.Task;
import dev.ralph.TaskLog;

/** {@code ralph task add}. */
final class TaskAddCommand implements Command {

  @Override
  public Syntax syntax() {
    return Syntax.of("add a task")
        .argument("TEXT")
        .session()
        .value("priority", "0-4", "how urgent: 0 first, 4 last; 2 if not given")
        .values("depends", "ID", "a task that must be completed before; may be given again")
        .value("status", "STATUS", "the status it begins in; remaining if not given")
        .iteration()
        .create()
        .store();
  }

  @Override
  public int run(Invocation call) {
    Arguments arguments = call.arguments();
    String status = arguments.text("status");
    NewTask task =
        NewTask.of(call.text(0))
            .priority(arguments.number("priority", TaskLog.DEFAULT_PRIORITY, 0, 4))
            .status(status == null ? Task.Status.REMAINING : call.status(status));
    for (String dependency : arguments.values("depends")) {
      task = task.dependsOn(dependency);
    }
    Session session = call.sessionOrNew();
    return call.answer(session.tasks().add(task.iteration(call.iteration(session))));
  }
}
