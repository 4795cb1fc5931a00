package dev.ralph.cli;

import dev.ralph.Control;
import dev.ralph.Iteration;
import dev.ralph.Meta;
import dev.ralph.Session;
import dev.ralph.Task;
import dev.ralph.Usage;
import java.util.List;
import javax.annotation.Nullable;

/** {@code ralph status}. */
final class StatusCommand implements Command {

  @Override
  public Syntax syntax() {
    return Syntax.of("how far a session is: its loop, tasks, messages, last iteration")
        .session()
        .at()
        .store();
  }

  @Override
  public int run(Invocation call) {
    Session session = call.view();
    Control control = session.control();
    Control.RunningLoop loop = control.running().orElse(null);
    String state = state(control, loop);
    int[] counts = new int[Task.Status.values().length];
    List<Task> tasks = session.tasks().list();
    for (Task task : tasks) {
      counts[task.status().ordinal()]++;
    }
    int unread = session.inbox().unread().size();
    Iteration last = session.iterations().last().orElse(null);
    Usage usage = session.iterations().usage();
    if (call.json()) {
      Meta byStatus = Meta.empty();
      for (Task.Status status : Task.Status.values()) {
        byStatus = byStatus.with(status.word(), counts[status.ordinal()]);
      }
      call.print(
          Json.of("status")
              .with("session", session.name())
              .with("state", state)
              .with("paused", control.isPaused())
              .with("loop", loop(loop))
              .with("tasks", byStatus)
              .with("unread", unread)
              .with("last_iteration", last == null ? null : IterationForm.json(last))
              .with("usage", IterationForm.usage(usage))
              .json());
      return ExitCode.DONE;
    }
    Style style = call.style();
    call.print(style.heading(session.name()) + ": " + state + where(loop));
    StringBuilder line = new StringBuilder("  tasks       ");
    line.append(counts[Task.Status.COMPLETED.ordinal()]).append(" of ").append(tasks.size());
    line.append(" completed");
    for (Task.Status status : Task.Status.values()) {
      if (status != Task.Status.COMPLETED && counts[status.ordinal()] > 0) {
        line.append(", ").append(counts[status.ordinal()]).append(' ').append(status.word());
      }
    }
    call.print(line.toString());
    call.print("  inbox       " + unread + " unread");
    call.print("  iterations  " + (last == null ? "none yet" : IterationForm.line(last, style)));
    if (!usage.equals(Usage.NONE)) {
      call.print("  used        " + usage);
    }
    return ExitCode.DONE;
  }

  private static String state(Control control, @Nullable Control.RunningLoop loop) {
    if (loop != null && loop.live()) {
      return control.isPaused() ? "paused" : "running";
    }
    if (control.isCompleted()) {
      return "completed";
    }
    return loop != null ? "crashed" : control.isPaused() ? "paused" : "idle";
  }

  private static String where(@Nullable Control.RunningLoop loop) {
    return loop == null
        ? ""
        : " (process " + loop.pid() + " on " + dev.ralph.cli.text.Harmless.line(loop.host()) + ")";
  }

  @Nullable
  private static Meta loop(@Nullable Control.RunningLoop loop) {
    return loop == null
        ? null
        : Meta.of("host", loop.host()).with("pid", loop.pid()).with("live", loop.live());
  }
}
