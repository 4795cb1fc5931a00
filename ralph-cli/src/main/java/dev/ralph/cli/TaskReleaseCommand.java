package dev.ralph.cli;

import dev.ralph.Task;
import dev.ralph.TaskLog;

/** {@code ralph task release}. */
final class TaskReleaseCommand implements Command {

  @Override
  public Syntax syntax() {
    return Syntax.of("give a claimed task back").argument("ID").session().token().store();
  }

  @Override
  public int run(Invocation call) {
    TaskLog tasks = call.session().tasks();
    Task task = tasks.get(call.arguments().requiredArgument(0));
    return call.answer(tasks.release(Lease.of(task, call.arguments().text("token"))));
  }
}
