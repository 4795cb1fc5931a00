package dev.ralph.cli.session;

import dev.ralph.Iteration;
import dev.ralph.Session;
import dev.ralph.Task;
import dev.ralph.cli.text.SafeText;
import dev.ralph.cli.text.Times;
import dev.ralph.log.Meta;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What one of several agents works on.
 *
 * @param iteration that runs
 * @param task that the agent was given, or null
 */
public record AgentAtWork(Iteration iteration, @Nullable Task task) {

  /** More than fits a line. */
  private static final int TEXT = 100;

  /** Returns those whose iterations run, by their numbers. */
  static List<AgentAtWork> all(Session session) {
    List<AgentAtWork> all = new ArrayList<>();
    for (Iteration iteration : session.iterations().list()) {
      if (iteration.status() == Iteration.Status.RUNNING && iteration.agent() > 0) {
        all.add(new AgentAtWork(iteration, IterationForm.task(iteration, session)));
      }
    }
    all.sort(Comparator.comparingInt(agent -> agent.iteration().agent()));
    return all;
  }

  /** Returns the agent in a line. */
  public String line() {
    String text = task == null ? "" : task.beginning(TEXT).lines().findFirst().orElse("");
    return iteration.agent()
        + ": "
        + (task == null ? iteration.role().word() : "t" + task.number() + " " + SafeText.line(text))
        + ", iteration "
        + iteration.number();
  }

  Meta json() {
    return Meta.of("agent", iteration.agent())
        .with("iteration", iteration.number())
        .with("task", task == null ? null : "t" + task.number())
        .with("branch", task == null ? null : task.branch())
        .with("started", Times.format(iteration.started()));
  }
}
