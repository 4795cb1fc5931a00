package dev.ralph.cli.task;

import dev.ralph.NewTask;
import dev.ralph.Session;
import dev.ralph.Task;
import dev.ralph.TaskLog;
import dev.ralph.cli.call.Arguments;
import dev.ralph.cli.call.Command;
import dev.ralph.cli.call.CommandSyntax;
import dev.ralph.cli.call.Invocation;
import dev.ralph.cli.call.UsageException;
import dev.ralph.cli.github.IssueQuery;
import dev.ralph.cli.github.IssueTasks;
import dev.ralph.log.RalphException;
import java.util.List;

/** {@code ralph task add}. */
public final class TaskAddCommand implements Command {

  @Override
  public CommandSyntax syntax() {
    return CommandSyntax.of("add a task")
        .optionalArgument("TEXT")
        .session()
        .value(
            "from",
            "FILE",
            "add the open items of Markdown check lists or of a PRD in JSON (- is standard input),"
                + " or GitHub issues: gh:issues?label=LABEL")
        .flag("from-anybody", "also add issues of people who are not members or collaborators")
        .value("priority", "0-4", "priority: 0 first, 4 last (default: 2)")
        .values("depends", "ID", "a task that must be completed first; repeatable")
        .values("touches", "GLOB", "files touched by the task, such as 'src/login/**'; repeatable")
        .value("status", "STATUS", "the initial status (default: remaining)")
        .iteration()
        .create()
        .store();
  }

  @Override
  public void run(Invocation call) {
    call.sessionName(); // validates the name before a store is created
    String from = call.arguments().text("from");
    String text = call.textIfAny(0);
    if (from != null && text != null) {
      throw new UsageException("give either TEXT or --from, not both");
    }
    boolean areIssues = from != null && IssueQuery.isQuery(from);
    if (call.arguments().has("from-anybody") && !areIssues) {
      throw new UsageException("--from-anybody is for --from gh:issues");
    }
    if (from != null) {
      answer(call, areIssues ? addIssues(call, from) : addListed(call, from));
      return;
    }
    if (text == null) {
      throw new UsageException("ralph task add needs TEXT, or --from; see ralph task add --help");
    }
    NewTask task = withOptions(call, NewTask.of(call.kept(text)));
    Session session = begin(call);
    TaskAnswer.with(call, session.tasks().add(task.iteration(call.iteration(session))));
  }

  private static List<Task> addIssues(Invocation call, String from) {
    IssueTasks issues = IssueTasks.fetch(call, IssueQuery.parse(from));
    Session session = begin(call);
    int iteration = call.iteration(session);
    return issues.addTo(session, task -> withOptions(call, task).iteration(iteration));
  }

  private static List<Task> addListed(Invocation call, String from) {
    ListedTasks tasks = ListedTasks.read(call, from, false);
    if (tasks.isEmpty()) {
      throw RalphException.invalid(
          (from.equals("-")
                  ? "standard input"
                  : RalphException.quote(call.environment().path(from).toString()))
              + (tasks.areStories()
                  ? " has no open user story"
                  : " has no open item such as '- [ ] Write the form'"));
    }
    Session session = begin(call);
    int iteration = call.iteration(session);
    return tasks.addTo(session, task -> withOptions(call, task).iteration(iteration));
  }

  private static void answer(Invocation call, List<Task> added) {
    if (call.json()) {
      call.answer("tasks", "tasks", TaskForm.json(added, call.moment()));
    } else {
      for (Task task : added) {
        call.print(TaskForm.line(task, call.style(), call.moment()));
      }
    }
  }

  private static NewTask withOptions(Invocation call, NewTask of) {
    Arguments arguments = call.arguments();
    String status = arguments.text("status");
    NewTask task =
        of.priority(arguments.number("priority", TaskLog.DEFAULT_PRIORITY, 0, 4))
            .status(status == null ? Task.Status.REMAINING : TaskAnswer.status(status));
    for (String dependency : arguments.values("depends")) {
      task = task.dependsOn(dependency);
    }
    for (String glob : arguments.values("touches")) {
      task = task.touches(glob);
    }
    return task;
  }

  private static Session begin(Invocation call) {
    call.stores().openToBegin();
    return call.sessionOrNew();
  }
}
