package dev.ralph.cli;

import dev.ralph.StatusChange;
import dev.ralph.Task;

/** {@code ralph task block}. */
final class TaskBlockCommand implements Command {

  @Override
  public Syntax syntax() {
    return Syntax.of("say that a task waits for something outside, and for what")
        .argument("ID")
        .optionalArgument("TEXT")
        .session()
        .token()
        .iteration()
        .store();
  }

  @Override
  public int run(Invocation call) {
    return call.change(StatusChange.to(Task.Status.BLOCKED).because(call.textIfAny(1)));
  }
}
