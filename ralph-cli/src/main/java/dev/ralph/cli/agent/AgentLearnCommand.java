package dev.ralph.cli.agent;

import dev.ralph.cli.call.Command;
import dev.ralph.cli.call.CommandSyntax;
import dev.ralph.cli.call.Invocation;
import dev.ralph.openspec.internal.ChangeSession;

/** {@code ralph agent learn}. */
public final class AgentLearnCommand implements Command {

  @Override
  public CommandSyntax syntax() {
    return AgentCall.ofStory(
        CommandSyntax.of("record a learning for later stories")
            .optionalArgument("TEXT")
            .value("task", "ID", "the task of the learning"));
  }

  @Override
  public void run(Invocation call) {
    String task = call.arguments().text("task");
    ChangeSession work = AgentCall.session(call);
    String text = call.textOrPiped(0);
    int total = work.learn(text, AgentCall.storyIfAny(call, work), task);
    AgentForm.learned(call, text, task, total);
  }
}
