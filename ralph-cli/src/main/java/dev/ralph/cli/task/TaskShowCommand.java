package dev.ralph.cli.task;

import dev.ralph.Claim;
import dev.ralph.Session;
import dev.ralph.Task;
import dev.ralph.cli.call.Command;
import dev.ralph.cli.call.CommandSyntax;
import dev.ralph.cli.call.Invocation;
import dev.ralph.cli.text.SafeText;
import dev.ralph.cli.text.Times;
import dev.ralph.core.internal.text.TaskWords;
import java.time.Instant;

/** {@code ralph task show}. */
public final class TaskShowCommand implements Command {

  @Override
  public CommandSyntax syntax() {
    return CommandSyntax.of("show all details of a task").argument("ID").session().at().store();
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
    for (String glob : task.touches()) {
      call.print("  touches   " + SafeText.line(glob));
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
    String branch = task.branch();
    if (branch != null) {
      call.print(
          "  branch    "
              + SafeText.line(branch)
              + (task.status() == Task.Status.COMPLETED && !task.isSettled()
                  ? ", not merged yet"
                  : ""));
    }
    Instant merged = task.mergedAt();
    if (merged != null) {
      String commit = task.commit();
      call.print(
          "  merged    "
              + Times.local(merged)
              + (commit == null ? ", no changes" : " as " + SafeText.line(commit)));
    }
    if (task.attempts() > 0) {
      call.print("  attempts  " + TaskWords.attempts(task));
    }
    String reason = task.reason();
    if (reason != null && reason.indexOf('\n') >= 0) {
      call.print("  reason    " + SafeText.indented(reason));
    }
  }
}
