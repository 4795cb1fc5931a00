package dev.ralph.cli.agent;

import dev.ralph.Session;
import dev.ralph.Task;
import dev.ralph.cli.call.Command;
import dev.ralph.cli.call.CommandSyntax;
import dev.ralph.cli.call.Invocation;
import dev.ralph.openspec.internal.ChangeSession;
import dev.ralph.openspec.internal.Story;
import dev.ralph.openspec.internal.StoryTask;
import java.util.HashSet;
import java.util.Set;

/** {@code ralph agent task done}. */
public final class AgentTaskDoneCommand implements Command {

  @Override
  public CommandSyntax syntax() {
    return AgentCall.ofStory(
        CommandSyntax.of("tick a task of the story in tasks.md").argument("ID"));
  }

  @Override
  public void run(Invocation call) {
    String task = call.arguments().requiredArgument(0);
    ChangeSession work = AgentCall.session(call);
    String id = AgentCall.story(call, work);
    StoryTask found = AgentCall.inScope(() -> work.task(id, task));
    Story story =
        AgentCall.isOneOfSeveral(call)
            ? complete(call.session(), work.story(id), found.key())
            : AgentCall.inScope(() -> work.done(id, task));
    AgentForm.done(call, task, story, found.done());
  }

  /** Completes a task for an agent of a team. The task's box is ticked when the work is merged. */
  private static Story complete(Session session, Story story, String key) {
    Set<String> completed = new HashSet<>();
    for (Task task : session.tasks().list()) {
      boolean isMeant = key.equals(task.key()) && !task.status().isTerminal();
      Task now = isMeant ? session.tasks().complete(task.id()) : task;
      if (now.status() == Task.Status.COMPLETED && now.key() != null) {
        completed.add(now.key());
      }
    }
    return new Story(
        story.id(),
        story.title(),
        story.tasks().stream()
            .map(task -> completed.contains(task.key()) ? task.ticked() : task)
            .toList());
  }
}
