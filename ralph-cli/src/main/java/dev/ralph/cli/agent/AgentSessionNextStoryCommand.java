package dev.ralph.cli.agent;

import dev.ralph.cli.call.Command;
import dev.ralph.cli.call.Invocation;
import dev.ralph.cli.call.Syntax;
import dev.ralph.openspec.ChangeSession;

/** {@code ralph agent session next-story}. */
public final class AgentSessionNextStoryCommand implements Command {

  @Override
  public Syntax syntax() {
    return AgentCall.own(Syntax.of("the first story that is not complete, to work on from now on"));
  }

  @Override
  public void run(Invocation call) {
    ChangeSession work = AgentCall.session(call);
    AgentCall.requireNoLoop(
        work, work::isHeldBy, "goes on to the next story once this one passes its checks");
    work.change().requireTasks();
    AgentForm.nextStory(call, work.nextStory().orElse(null));
  }
}
