package dev.ralph.cli.task;

import dev.ralph.Task;
import dev.ralph.TaskLog;
import dev.ralph.cli.call.Command;
import dev.ralph.cli.call.CommandSyntax;
import dev.ralph.cli.call.Invocation;

/** {@code ralph task release}. */
public final class TaskReleaseCommand implements Command {

  @Override
  public CommandSyntax syntax() {
    return CommandSyntax.of("release the claim of a task").argument("ID").session().token().store();
  }

  @Override
  public void run(Invocation call) {
    TaskLog tasks = call.session().tasks();
    Task task = tasks.get(call.arguments().requiredArgument(0));
    TaskAnswer.with(call, tasks.release(ClaimCommands.of(task, call.arguments().text("token"))));
  }
}
