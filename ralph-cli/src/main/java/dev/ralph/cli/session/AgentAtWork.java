package dev.ralph.cli.session;

import dev.ralph.Control;
import dev.ralph.Iteration;
import dev.ralph.Session;
import dev.ralph.Task;
import dev.ralph.cli.text.Durations;
import dev.ralph.cli.text.SafeText;
import dev.ralph.cli.text.Times;
import dev.ralph.core.internal.text.ActivityText;
import dev.ralph.log.Meta;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The present activity of a loop or of its agents, as a line and as a JSON object.
 *
 * @param at the activity
 * @param task the assignment of the agent, or null
 */
public record AgentAtWork(ActivityText at, @Nullable Task task) {

  /** The maximum length of a text, more than fits a line. */
  private static final int TEXT = 100;

  /**
   * Returns the activity of the loop as a whole, then the activity of each agent in a team. The
   * plain iteration of a single agent is omitted.
   */
  public static List<AgentAtWork> all(Session session, Control.@Nullable RunningLoop loop) {
    List<AgentAtWork> all = new ArrayList<>();
    for (ActivityText at : ActivityText.of(session, loop)) {
      Iteration iteration = at.iteration();
      if (at.agent() > 0 || !at.doing().isEmpty()) {
        all.add(
            new AgentAtWork(at, iteration == null ? null : IterationForm.task(iteration, session)));
      }
    }
    return all;
  }

  /** Returns the heading above the lines of the same kind. */
  public String heading() {
    return at.agent() == 0 ? "  now         " : "  agents      ";
  }

  /** Returns whether another activity has the same heading. */
  public boolean isBelow(@Nullable AgentAtWork other) {
    return other != null && other.heading().equals(heading());
  }

  /** Returns the activity as a line without its duration. */
  public String line() {
    Iteration iteration = at.iteration();
    String doing = SafeText.line(at.doing());
    if (iteration == null) {
      return (at.agent() == 0 ? "" : at.agent() + ": ") + doing;
    }
    String text = task == null ? "" : task.beginning(TEXT).lines().findFirst().orElse("");
    return at.agent()
        + ": "
        + (task == null ? iteration.role().word() : "t" + task.number() + " " + SafeText.line(text))
        + ", iteration "
        + iteration.number()
        + (doing.isEmpty() ? "" : ", " + doing);
  }

  /** Returns the elapsed or remaining time of the activity; empty if unknown. */
  public String time(Instant now) {
    Instant since = at.since();
    Instant until = at.until();
    if (until != null) {
      return ", " + Durations.seconds(Duration.between(now, until)) + " more";
    }
    return since == null
        ? ""
        : (at.doing().isEmpty() ? " " : ", for ") + Durations.seconds(Duration.between(since, now));
  }

  Meta json() {
    Iteration iteration = at.iteration();
    return Meta.of("agent", at.agent())
        .with("iteration", iteration == null ? null : iteration.number())
        .with("task", task == null ? null : "t" + task.number())
        .with("branch", task == null ? null : task.branch())
        .with("started", iteration == null ? null : Times.format(iteration.started()))
        .with("doing", doing());
  }

  /** Returns the activity outside the agent's own work, or null. */
  @Nullable Meta doing() {
    Instant since = at.since();
    Instant until = at.until();
    return at.doing().isEmpty()
        ? null
        : Meta.of("text", at.doing())
            .with("since", since == null ? null : Times.format(since))
            .with("until", until == null ? null : Times.format(until));
  }
}
