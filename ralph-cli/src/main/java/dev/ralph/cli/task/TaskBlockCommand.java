package dev.ralph.cli.task;

import dev.ralph.StatusChange;
import dev.ralph.Task;
import dev.ralph.cli.call.Command;
import dev.ralph.cli.call.CommandSyntax;
import dev.ralph.cli.call.Invocation;

/** {@code ralph task block}. */
public final class TaskBlockCommand implements Command {

  @Override
  public CommandSyntax syntax() {
    return CommandSyntax.of("mark a task as blocked, with the reason")
        .argument("ID")
        .optionalArgument("TEXT")
        .session()
        .token()
        .iteration()
        .store();
  }

  @Override
  public void run(Invocation call) {
    TaskAnswer.withChanged(call, StatusChange.to(Task.Status.BLOCKED).because(call.textIfAny(1)));
  }
}
