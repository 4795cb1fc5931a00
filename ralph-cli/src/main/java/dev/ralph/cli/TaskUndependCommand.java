package dev.ralph.cli;

/** {@code ralph task undepend}. */
final class TaskUndependCommand implements Command {

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
    return call.answer(
        call.session()
            .tasks()
            .undepend(arguments.requiredArgument(0), arguments.requiredArgument(1)));
  }
}
