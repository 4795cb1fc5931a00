package dev.ralph.cli.task;

import dev.ralph.StatusChange;
import dev.ralph.Task;
import dev.ralph.cli.call.Command;
import dev.ralph.cli.call.Invocation;
import dev.ralph.cli.call.Syntax;

/** {@code ralph task done}. */
public final class TaskDoneCommand implements Command {

  @Override
  public Syntax syntax() {
    return Syntax.of("complete a task").argument("ID").session().token().iteration().store();
  }

  @Override
  public int run(Invocation call) {
    return TaskAnswer.withChanged(call, StatusChange.to(Task.Status.COMPLETED));
  }
}
