package dev.ralph.cli.agent;

import dev.ralph.cli.call.Command;
import dev.ralph.cli.call.CommandSyntax;
import dev.ralph.cli.call.Invocation;
import dev.ralph.openspec.internal.ChangeSession;

/** {@code ralph agent session next-story}. */
public final class AgentSessionNextStoryCommand implements Command {

  @Override
  public CommandSyntax syntax() {
    return AgentCall.own(CommandSyntax.of("select and print the first incomplete story"));
  }

  @Override
  public void run(Invocation call) {
    ChangeSession work = AgentCall.session(call);
    AgentCall.requireNoLoop(
        work, work::isHeldBy, "selects the next story after the checks of this story");
    work.change().requireTasks();
    AgentForm.nextStory(call, work.nextStory().orElse(null));
  }
}
