package dev.ralph.cli.task;

import dev.ralph.Claim;
import dev.ralph.Session;
import dev.ralph.Task;
import dev.ralph.cli.call.Command;
import dev.ralph.cli.call.Invocation;
import dev.ralph.cli.call.Syntax;
import dev.ralph.cli.text.SafeText;
import dev.ralph.cli.text.Times;

/** {@code ralph task show}. */
public final class TaskShowCommand implements Command {

  @Override
  public Syntax syntax() {
    return Syntax.of("one task, with all there is to know of it")
        .argument("ID")
        .session()
        .at()
        .store();
  }

  @Override
  public void run(Invocation call) {
    Session session = call.view();
    Task task = session.tasks().get(call.arguments().requiredArgument(0));
    if (call.json()) {
      call.answer("task", "task", TaskForm.whole(task, call.moment()));
      return;
    }
    call.print(TaskForm.wholeLine(task, call.style(), call.moment()));
    call.print("  id        " + task.id());
    call.print("  added     " + Times.local(task.added()));
    call.print("  priority  " + task.priority());
    for (String dependency : task.dependencies()) {
      Task on = session.tasks().get(dependency);
      call.print("  after     t" + on.number() + " " + on.status().word());
    }
    if (task.iteration() > 0) {
      call.print("  changed   in iteration " + task.iteration());
    }
    Claim claim = task.claimAt(call.moment());
    if (claim != null) {
      call.print(
          "  claim     "
              + SafeText.line(claim.owner())
              + " until "
              + Times.local(claim.until())
              + ", token "
              + claim.token());
    }
  }
}
