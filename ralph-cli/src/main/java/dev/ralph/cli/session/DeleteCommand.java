package dev.ralph.cli.session;

import dev.ralph.cli.call.Command;
import dev.ralph.cli.call.ExitCode;
import dev.ralph.cli.call.Invocation;
import dev.ralph.cli.call.Json;
import dev.ralph.cli.call.Syntax;

/** {@code ralph delete}. */
public final class DeleteCommand implements Command {

  @Override
  public Syntax syntax() {
    return Syntax.of("erase all frames of a session for good").session().store();
  }

  @Override
  public int run(Invocation call) {
    String name = call.sessionName();
    call.session().delete();
    if (call.json()) {
      call.print(Json.of("deleted").with("session", name).json());
    } else {
      call.print(
          "Deleted the session "
              + name
              + " for good; backups, exports and copies of the store still hold it");
    }
    return ExitCode.DONE;
  }
}
