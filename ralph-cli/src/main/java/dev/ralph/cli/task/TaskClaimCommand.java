package dev.ralph.cli.task;

import dev.ralph.Claim;
import dev.ralph.TaskLog;
import dev.ralph.cli.call.Arguments;
import dev.ralph.cli.call.Command;
import dev.ralph.cli.call.CommandSyntax;
import dev.ralph.cli.call.Invocation;
import dev.ralph.cli.call.NotYetAvailableException;
import dev.ralph.cli.call.UsageException;
import java.time.Duration;

/** {@code ralph task claim}. */
public final class TaskClaimCommand implements Command {

  @Override
  public CommandSyntax syntax() {
    return CommandSyntax.of("claim a task, or the next ready task, for the time of a lease")
        .optionalArgument("ID")
        .session()
        .flag("next", "claim the most urgent ready task instead of ID")
        .value("owner", "WHO", "owner of the claim")
        .value("lease", "TIME", "duration of the lease (default: 10m)")
        .store();
  }

  @Override
  public void run(Invocation call) {
    Arguments arguments = call.arguments();
    String ref = arguments.argument(0);
    if (arguments.has("next") == (ref != null)) {
      throw new UsageException("ralph task claim needs either a task's ID or --next");
    }
    String owner = arguments.required("owner");
    Duration lease = arguments.duration("lease", ClaimCommands.USUAL);
    TaskLog tasks = call.session().tasks();
    if (ref == null) {
      Claim next =
          tasks
              .claimNext(owner, lease)
              .orElseThrow(
                  () -> new NotYetAvailableException(NotReady.why(tasks.list(), call.moment())));
      TaskAnswer.with(call, tasks.get(next.taskId()));
      return;
    }
    if (tasks.claim(ref, owner, lease).isEmpty()) {
      throw ClaimCommands.heldByAnother(tasks.get(ref));
    }
    TaskAnswer.with(call, tasks.get(ref));
  }
}
