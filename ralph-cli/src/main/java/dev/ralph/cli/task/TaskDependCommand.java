package dev.ralph.cli.task;

import dev.ralph.cli.call.Arguments;
import dev.ralph.cli.call.Command;
import dev.ralph.cli.call.Invocation;
import dev.ralph.cli.call.Syntax;

/** {@code ralph task depend}. */
public final class TaskDependCommand implements Command {

  @Override
  public Syntax syntax() {
    return Syntax.of("make a task wait for another")
        .argument("ID")
        .argument("ON")
        .session()
        .store();
  }

  @Override
  public int run(Invocation call) {
    Arguments arguments = call.arguments();
    return TaskAnswer.with(
        call,
        call.session()
            .tasks()
            .depend(arguments.requiredArgument(0), arguments.requiredArgument(1)));
  }
}
