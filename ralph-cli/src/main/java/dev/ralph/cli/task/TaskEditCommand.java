package dev.ralph.cli.task;

import dev.ralph.TaskEdit;
import dev.ralph.cli.call.Arguments;
import dev.ralph.cli.call.Command;
import dev.ralph.cli.call.CommandSyntax;
import dev.ralph.cli.call.Invocation;
import dev.ralph.cli.call.UsageException;
import java.util.List;

/** {@code ralph task edit}. */
public final class TaskEditCommand implements Command {

  @Override
  public CommandSyntax syntax() {
    return CommandSyntax.of("change the text, priority, dependencies or touched files of a task")
        .argument("ID")
        .optionalArgument("TEXT")
        .session()
        .value("priority", "0-4", "the new priority: 0 first, 4 last")
        .values(
            "depends", "ID", "a task that must be completed first; replaces the list; repeatable")
        .values("touches", "GLOB", "files touched by the task; replaces the list; repeatable")
        .store();
  }

  @Override
  public void run(Invocation call) {
    Arguments arguments = call.arguments();
    String text = call.textIfAny(1);
    List<String> depends = arguments.values("depends");
    List<String> touches = arguments.values("touches");
    boolean urgency = arguments.has("priority");
    if (text == null && !urgency && depends.isEmpty() && touches.isEmpty()) {
      throw new UsageException(
          "nothing to change; give a new TEXT, --priority, --depends or --touches");
    }
    TaskEdit edit = TaskEdit.of();
    if (text != null) {
      edit = edit.content(text);
    }
    if (urgency) {
      edit = edit.priority(arguments.number("priority", 0, 0, 4));
    }
    if (!depends.isEmpty()) {
      edit = edit.dependencies(depends);
    }
    if (!touches.isEmpty()) {
      edit = edit.touches(touches);
    }
    TaskAnswer.with(call, call.session().tasks().edit(arguments.requiredArgument(0), edit));
  }
}
