package dev.ralph.cli.agent;

import dev.ralph.cli.call.Command;
import dev.ralph.cli.call.Invocation;
import dev.ralph.cli.call.Syntax;
import dev.ralph.openspec.ChangeSession;
import dev.ralph.openspec.Story;

/** {@code ralph agent task done}. */
public final class AgentTaskDoneCommand implements Command {

  @Override
  public Syntax syntax() {
    return AgentCall.ofStory(Syntax.of("tick a task of the story in tasks.md").argument("ID"));
  }

  @Override
  public void run(Invocation call) {
    String task = call.arguments().requiredArgument(0);
    ChangeSession work = AgentCall.session(call);
    String id = AgentCall.story(call, work);
    boolean already =
        work.story(id).tasks().stream().anyMatch(each -> each.id().equals(task) && each.done());
    Story story = AgentCall.inScope(() -> work.done(id, task));
    AgentForm.done(call, task, story, already);
  }
}
