package dev.ralph.cli;

/** {@code ralph task depend}. */
final class TaskDependCommand implements Command {

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
    return call.answer(
        call.session()
            .tasks()
            .depend(arguments.requiredArgument(0), arguments.requiredArgument(1)));
  }
}
