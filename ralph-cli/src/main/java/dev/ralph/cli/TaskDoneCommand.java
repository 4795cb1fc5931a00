package dev.ralph.cli;

import dev.ralph.StatusChange;
import dev.ralph.Task;

/** {@code ralph task done}. */
final class TaskDoneCommand implements Command {

  @Override
  public Syntax syntax() {
    return Syntax.of("complete a task").argument("ID").session().token().iteration().store();
  }

  @Override
  public int run(Invocation call) {
    return call.change(StatusChange.to(Task.Status.COMPLETED));
  }
}
