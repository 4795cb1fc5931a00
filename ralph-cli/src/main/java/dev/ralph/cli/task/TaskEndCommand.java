package dev.ralph.cli.task;

import dev.ralph.StatusChange;
import dev.ralph.Task;
import dev.ralph.cli.call.Command;
import dev.ralph.cli.call.CommandSyntax;
import dev.ralph.cli.call.Invocation;

/** {@code ralph task done} and {@code ralph task cancel}: end tasks. */
public final class TaskEndCommand implements Command {

  private final Task.Status status;

  /**
   * @param status the new status of the tasks
   */
  public TaskEndCommand(Task.Status status) {
    this.status = status;
  }

  @Override
  public CommandSyntax syntax() {
    boolean done = status == Task.Status.COMPLETED;
    return CommandSyntax.of(done ? "complete tasks" : "cancel tasks")
        .arguments("ID")
        .session()
        .value("reason", "TEXT", "why")
        .token()
        .iteration()
        .store();
  }

  @Override
  public void run(Invocation call) {
    TaskAnswer.withChanged(
        call, call.arguments().all(), StatusChange.to(status).because(call.reason()));
  }
}
