package dev.ralph.cli.agent;

import dev.ralph.cli.call.Command;
import dev.ralph.cli.call.CommandSyntax;
import dev.ralph.cli.call.Invocation;
import dev.ralph.openspec.internal.ChangeSession;
import java.util.ArrayList;
import java.util.List;

/** {@code ralph agent session list}. */
public final class AgentSessionListCommand implements Command {

  @Override
  public CommandSyntax syntax() {
    return AgentCall.common(
        CommandSyntax.of("list the active sessions on the changes of the project")
            .flag("all", "include ended sessions"));
  }

  @Override
  public void run(Invocation call) {
    boolean all = call.arguments().has("all");
    call.stores().share();
    List<ChangeSession> shown = new ArrayList<>();
    for (ChangeSession each :
        ChangeSession.list(call.stores().openIfAny().ralph(), AgentCall.project(call))) {
      if (all || !each.hasEnded()) {
        shown.add(each);
      }
    }
    AgentForm.sessions(call, shown);
  }
}
