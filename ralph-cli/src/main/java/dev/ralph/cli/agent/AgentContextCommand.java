package dev.ralph.cli.agent;

import dev.ralph.cli.call.Command;
import dev.ralph.cli.call.CommandSyntax;
import dev.ralph.cli.call.Invocation;
import dev.ralph.openspec.internal.Change;
import dev.ralph.openspec.internal.ChangeSession;
import dev.ralph.openspec.internal.Story;
import dev.ralph.openspec.internal.Verification;

/** {@code ralph agent context}. */
public final class AgentContextCommand implements Command {

  @Override
  public CommandSyntax syntax() {
    return AgentCall.ofStory(
        CommandSyntax.of("print the context of a story: texts, tasks, learnings and checks"));
  }

  @Override
  public void run(Invocation call) {
    ChangeSession work = AgentCall.session(call);
    String id = AgentCall.story(call, work);
    work.renew();
    Change change = work.assign();
    Story story = change.requireStory(id);
    Verification verify = Verification.of(AgentCall.project(call));
    AgentForm.context(call, change, story, work.learnings(), verify);
  }
}
