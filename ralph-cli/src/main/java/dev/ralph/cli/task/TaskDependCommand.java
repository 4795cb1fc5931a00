package dev.ralph.cli.task;

import dev.ralph.Task;
import dev.ralph.TaskLog;
import dev.ralph.cli.call.Command;
import dev.ralph.cli.call.CommandSyntax;
import dev.ralph.cli.call.Invocation;

/** {@code ralph task depend} and {@code ralph task undepend}. */
public final class TaskDependCommand implements Command {

  private final boolean waits;

  /** Creates the command that adds or removes a dependency. */
  public TaskDependCommand(boolean waits) {
    this.waits = waits;
  }

  @Override
  public CommandSyntax syntax() {
    return CommandSyntax.of(
            waits ? "add a dependency to a task" : "remove a dependency from a task")
        .argument("ID")
        .argument("ON")
        .session()
        .store();
  }

  @Override
  public void run(Invocation call) {
    TaskLog tasks = call.session().tasks();
    String task = call.arguments().requiredArgument(0);
    String on = call.arguments().requiredArgument(1);
    if (waits) {
      TaskAnswer.with(call, tasks.depend(task, on));
      return;
    }
    Task other = tasks.get(on);
    Task before = tasks.get(task);
    if (!before.dependencies().contains(other.id())) {
      call.warn("t" + before.number() + " did not wait for t" + other.number());
    }
    TaskAnswer.with(call, tasks.undepend(task, on));
  }
}
