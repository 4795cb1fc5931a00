package dev.ralph.cli.task;

import dev.ralph.Task;
import dev.ralph.TaskLog;
import dev.ralph.cli.call.Arguments;
import dev.ralph.cli.call.Command;
import dev.ralph.cli.call.CommandSyntax;
import dev.ralph.cli.call.Invocation;
import java.time.Duration;

/** {@code ralph task renew}. */
public final class TaskRenewCommand implements Command {

  @Override
  public CommandSyntax syntax() {
    return CommandSyntax.of("renew the lease of a claimed task")
        .argument("ID")
        .session()
        .token()
        .value("lease", "TIME", "duration of the lease (default: 10m)")
        .store();
  }

  @Override
  public void run(Invocation call) {
    Arguments arguments = call.arguments();
    Duration lease = arguments.duration("lease", ClaimCommands.USUAL);
    String token = arguments.required("token");
    TaskLog tasks = call.session().tasks();
    Task task = tasks.get(arguments.requiredArgument(0));
    tasks.renew(ClaimCommands.of(task, token), lease);
    TaskAnswer.with(call, tasks.get(task.id()));
  }
}
