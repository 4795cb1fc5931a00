package dev.ralph.cli;

import dev.ralph.StatusChange;
import dev.ralph.Task;

/** {@code ralph task status}. */
final class TaskStatusCommand implements Command {

  @Override
  public Syntax syntax() {
    return Syntax.of("set the status of a task")
        .argument("ID")
        .argument("STATUS")
        .session()
        .value("reason", "TEXT", "why")
        .token()
        .iteration()
        .store();
  }

  @Override
  public int run(Invocation call) {
    Task.Status status = call.status(call.arguments().requiredArgument(1));
    return call.change(StatusChange.to(status).because(call.textIfAny("reason")));
  }
}
