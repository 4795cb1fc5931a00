package dev.ralph.cli.task;

import dev.ralph.StatusChange;
import dev.ralph.Task;
import dev.ralph.cli.call.Command;
import dev.ralph.cli.call.CommandSyntax;
import dev.ralph.cli.call.Invocation;

/** {@code ralph task status}. */
public final class TaskStatusCommand implements Command {

  @Override
  public CommandSyntax syntax() {
    return CommandSyntax.of("set the status of a task")
        .argument("ID")
        .argument("STATUS")
        .session()
        .value("reason", "TEXT", "why")
        .token()
        .iteration()
        .store();
  }

  @Override
  public void run(Invocation call) {
    Task.Status status = TaskAnswer.status(call.arguments().requiredArgument(1));
    TaskAnswer.withChanged(call, StatusChange.to(status).because(call.reason()));
  }
}
