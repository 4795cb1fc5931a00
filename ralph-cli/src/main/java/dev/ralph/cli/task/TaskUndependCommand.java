package dev.ralph.cli.task;

import dev.ralph.cli.call.Arguments;
import dev.ralph.cli.call.Command;
import dev.ralph.cli.call.Invocation;
import dev.ralph.cli.call.Syntax;

/** {@code ralph task undepend}. */
public final class TaskUndependCommand implements Command {

  @Override
  public Syntax syntax() {
    return Syntax.of("let a task no longer wait for another")
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
            .undepend(arguments.requiredArgument(0), arguments.requiredArgument(1)));
  }
}
