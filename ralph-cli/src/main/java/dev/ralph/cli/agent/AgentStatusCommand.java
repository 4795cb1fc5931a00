package dev.ralph.cli.agent;

import dev.ralph.cli.call.Command;
import dev.ralph.cli.call.CommandSyntax;
import dev.ralph.cli.call.Invocation;
import dev.ralph.openspec.internal.Change;
import dev.ralph.openspec.internal.ChangeSession;

/** {@code ralph agent status}. */
public final class AgentStatusCommand implements Command {

  @Override
  public CommandSyntax syntax() {
    return AgentCall.ofStory(CommandSyntax.of("show the progress of the story and of the change"));
  }

  @Override
  public void run(Invocation call) {
    ChangeSession work = AgentCall.session(call);
    String id = AgentCall.storyIfAny(call, work);
    if (work.isLive()) {
      work.renew(); // the status is available even after the session has ended or lost the change
    }
    Change change = work.change();
    AgentForm.status(call, change, id == null ? null : change.requireStory(id));
  }
}
