package dev.ralph.cli.task;

import dev.ralph.RalphException;
import dev.ralph.Session;
import dev.ralph.StatusChange;
import dev.ralph.Task;
import dev.ralph.cli.call.ExitCode;
import dev.ralph.cli.call.Invocation;
import dev.ralph.cli.call.UsageException;

/** What the commands that change one task end with: the task as it is then. */
final class TaskAnswer {

  private TaskAnswer() {}

  /** Answers with a task. */
  static int with(Invocation call, Task task) {
    if (call.json()) {
      call.answer("task", "task", TaskForm.json(task, call.moment()));
    } else {
      call.print(TaskForm.line(task, call.style(), call.moment()));
    }
    return ExitCode.DONE;
  }

  /** Changes the status of the task named first, and answers with the task. */
  static int withChanged(Invocation call, StatusChange change) {
    Session session = call.session();
    return with(
        call,
        session
            .tasks()
            .status(
                call.arguments().requiredArgument(0),
                change.under(call.arguments().text("token")).iteration(call.iteration(session))));
  }

  /**
   * Returns the status of that word.
   *
   * @throws UsageException if there is none
   */
  static Task.Status status(String word) {
    try {
      return Task.Status.of(word);
    } catch (RalphException e) {
      throw new UsageException(String.valueOf(e.getMessage()));
    }
  }
}
