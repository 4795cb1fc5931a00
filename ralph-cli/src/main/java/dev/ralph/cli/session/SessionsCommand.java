package dev.ralph.cli.session;

import dev.ralph.cli.call.Command;
import dev.ralph.cli.call.CommandSyntax;
import dev.ralph.cli.call.Invocation;
import java.util.List;

/** {@code ralph sessions}. */
public final class SessionsCommand implements Command {

  @Override
  public CommandSyntax syntax() {
    return CommandSyntax.of("list the sessions in the store, most recently active first").store();
  }

  @Override
  public void run(Invocation call) {
    List<SessionSummary> sessions = SessionSummary.all(call.store());
    if (call.json()) {
      call.print(SessionSummary.json(sessions));
    } else if (sessions.isEmpty()) {
      call.print("No sessions yet");
    } else {
      SessionSummary.lines(sessions, call.style(), call.moment()).forEach(call::print);
    }
  }
}
