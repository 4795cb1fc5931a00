package dev.ralph.cli;

import dev.ralph.Task;
import dev.ralph.TaskLog;
import java.time.Duration;

/** {@code ralph task renew}. */
final class TaskRenewCommand implements Command {

  @Override
  public Syntax syntax() {
    return Syntax.of("keep a claimed task for longer, from now on")
        .argument("ID")
        .session()
        .token()
        .value("lease", "TIME", "for how long; 10m if not given")
        .store();
  }

  @Override
  public int run(Invocation call) {
    Arguments arguments = call.arguments();
    Duration given = arguments.duration("lease");
    String token = arguments.required("token");
    TaskLog tasks = call.session().tasks();
    Task task = tasks.get(arguments.requiredArgument(0));
    tasks.renew(Lease.of(task, token), given == null ? Lease.USUAL : given);
    return call.answer(tasks.get(task.id()));
  }
}
