package dev.ralph.cli.agent;

import dev.ralph.Ralph;
import dev.ralph.cli.call.Command;
import dev.ralph.cli.call.CommandSyntax;
import dev.ralph.cli.call.Invocation;
import dev.ralph.openspec.internal.Change;
import dev.ralph.openspec.internal.ChangeSession;
import java.nio.file.Path;
import java.util.Objects;

/** {@code ralph agent session init}. */
public final class AgentSessionInitCommand implements Command {

  @Override
  public CommandSyntax syntax() {
    return AgentCall.common(
        AgentCall.owner(
                CommandSyntax.of("begin a session on a change and lock the change")
                    .value("change", "CHANGE", "the change: a folder in openspec/changes"))
            .create());
  }

  @Override
  public void run(Invocation call) {
    call.arguments().required("change");
    String change = Objects.requireNonNull(call.changeName());
    ProcessHandle owner = AgentCall.owner(call);
    Path project = AgentCall.project(call);
    Change.read(project, change); // validates the change before a store is created
    call.stores().share();
    Ralph ralph = call.stores().openToBegin().ralph();
    AgentForm.session(call, ChangeSession.begin(ralph, project, change, owner));
  }
}
