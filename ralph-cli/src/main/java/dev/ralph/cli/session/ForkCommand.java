package dev.ralph.cli.session;

import dev.ralph.Session;
import dev.ralph.cli.call.Command;
import dev.ralph.cli.call.CommandSyntax;
import dev.ralph.cli.call.Invocation;
import dev.ralph.cli.call.Json;
import dev.ralph.cli.call.StoreAccess;
import dev.ralph.cli.call.StoreAddress;

/** {@code ralph fork}. */
public final class ForkCommand implements Command {

  @Override
  public CommandSyntax syntax() {
    return CommandSyntax.of("start a new session with the state of an existing session")
        .argument("NEW")
        .session()
        .at()
        .value("to", "DIR", "the store of the new session (default: the same store)")
        .store();
  }

  @Override
  public void run(Invocation call) {
    Session source = call.view();
    String name = call.arguments().requiredArgument(0);
    String to = call.arguments().text("to");
    StoreAddress address =
        to == null ? call.stores().address() : StoreAddress.of(to, call.environment());
    if (address.location().equals(call.stores().address().location())) {
      answer(call, source.fork(name));
      return;
    }
    try (StoreAccess other = StoreAccess.orNew(address)) {
      answer(call, source.fork(other.ralph(), name));
    }
  }

  private static void answer(Invocation call, Session fork) {
    int tasks = fork.tasks().list().size();
    if (call.json()) {
      call.print(Json.of("forked").with("session", fork.name()).with("tasks", tasks).json());
    } else {
      call.print("The session " + fork.name() + " starts with " + count(tasks));
    }
  }

  private static String count(int tasks) {
    return tasks == 1 ? "1 task" : tasks + " tasks";
  }
}
