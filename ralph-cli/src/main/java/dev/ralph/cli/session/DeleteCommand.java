package dev.ralph.cli.session;

import dev.ralph.Session;
import dev.ralph.cli.call.Command;
import dev.ralph.cli.call.Invocation;
import dev.ralph.cli.call.Json;
import dev.ralph.cli.call.Syntax;
import dev.ralph.cli.call.UsageException;
import dev.ralph.log.RalphException;

/** {@code ralph delete}. */
public final class DeleteCommand implements Command {

  @Override
  public Syntax syntax() {
    return Syntax.of("erase all frames of a session for good")
        .session()
        .flag("yes", "don't ask before")
        .store();
  }

  @Override
  public void run(Invocation call) {
    if (!call.namesASession()) {
      throw new UsageException("ralph delete needs --name: what it erases is gone for good");
    }
    String name = call.sessionName();
    Session session = call.session();
    boolean asks = call.environment().isTypedIn() && !call.json() && !call.arguments().has("yes");
    if (asks && !call.isAgreed(question(session))) {
      throw RalphException.invalid("nothing was deleted");
    }
    session.delete();
    if (call.json()) {
      call.print(Json.of("deleted").with("session", name).json());
    } else {
      call.print(
          "Deleted the session "
              + name
              + " for good; backups, exports and copies of the store still hold it");
    }
  }

  private static String question(Session session) {
    int tasks = session.tasks().list().size();
    int iterations = session.iterations().list().size();
    return "Erase the session "
        + session.name()
        + " for good? It has "
        + tasks
        + (tasks == 1 ? " task and " : " tasks and ")
        + iterations
        + (iterations == 1 ? " iteration." : " iterations.");
  }
}
