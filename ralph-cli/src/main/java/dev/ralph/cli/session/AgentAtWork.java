package dev.ralph.cli.session;

import dev.ralph.Control;
import dev.ralph.Iteration;
import dev.ralph.Session;
import dev.ralph.Task;
import dev.ralph.cli.text.Durations;
import dev.ralph.cli.text.SafeText;
import dev.ralph.cli.text.Times;
import dev.ralph.core.internal.text.AtWork;
import dev.ralph.log.Meta;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a loop, or one of its agents, does just now, in a line and as an object.
 *
 * @param at what it does
 * @param task that the agent was given, or null
 */
public record AgentAtWork(AtWork at, @Nullable Task task) {

  /** More than fits a line. */
  private static final int TEXT = 100;

  /**
   * Returns what is said besides how an only agent's iteration stands: what the loop as a whole
   * does, then each of several agents.
   */
  public static List<AgentAtWork> all(Session session, Control.@Nullable RunningLoop loop) {
    List<AgentAtWork> all = new ArrayList<>();
    for (AtWork at : AtWork.of(session, loop)) {
      Iteration iteration = at.iteration();
      if (at.agent() > 0 || !at.doing().isEmpty()) {
        all.add(
            new AgentAtWork(at, iteration == null ? null : IterationForm.task(iteration, session)));
      }
    }
    return all;
  }

  /** Returns what stands before the lines of all that is done alike, the first time. */
  public String heading() {
    return at.agent() == 0 ? "  now         " : "  agents      ";
  }

  /** Returns whether another one stands below the same heading. */
  public boolean isBelow(@Nullable AgentAtWork other) {
    return other != null && other.heading().equals(heading());
  }

  /** Returns it in a line, without the time. */
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

  /** Returns for how long it has gone on, or still goes on; empty where that is not known. */
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

  /** Returns what is done besides an agent's work, or null where nothing is. */
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
