package dev.ralph.cli.session;

import dev.ralph.Iteration;
import dev.ralph.Session;
import dev.ralph.Task;
import dev.ralph.Usage;
import dev.ralph.cli.call.ListOutput;
import dev.ralph.cli.terminal.Style;
import dev.ralph.cli.text.Durations;
import dev.ralph.cli.text.SafeText;
import dev.ralph.cli.text.Times;
import dev.ralph.core.internal.json.JsonProfile;
import dev.ralph.core.internal.json.SessionJson;
import dev.ralph.log.Meta;
import dev.ralph.log.NotFoundException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Renders iterations as text and JSON. */
public final class IterationForm {

  /**
   * Returns the listing of iterations.
   *
   * @param cutOff whether running iterations were cut off with their loop
   */
  static ListOutput<Iteration> listing(Session session, boolean cutOff) {
    return new ListOutput<>(
        "iterations",
        "iterations",
        iteration -> json(iteration, session, cutOff),
        (iteration, style) -> line(iteration, session, cutOff, style));
  }

  private IterationForm() {}

  /**
   * Returns an iteration as text, with further lines for a long summary.
   *
   * @param cutOff whether a running iteration was cut off; the next run will log its interruption
   */
  public static String line(Iteration iteration, Session session, boolean cutOff, Style style) {
    Task task = task(iteration, session);
    Duration duration = iteration.duration();
    String summary = iteration.summary();
    String role = role(iteration);
    Iteration.Status known = status(iteration, cutOff);
    String status = known.word();
    String shown =
        switch (known) {
          case SUCCESS -> style.good(status);
          case FAILURE, TIMEOUT, INTERRUPTED -> style.bad(status);
          case RUNNING, RATE_LIMITED -> status;
        };
    return "#"
        + iteration.number()
        + " "
        + (iteration.agent() == 0 ? "" : "agent " + iteration.agent() + " ")
        + (task == null ? "" : "t" + task.number() + " ")
        + (role == null ? "" : role + " ")
        + shown
        + style.bad(refused(iteration))
        + " "
        + style.faint(Times.local(iteration.started()))
        + (duration == null ? "" : " " + Durations.format(duration))
        + (summary == null ? "" : "  " + SafeText.indented(summary))
        + (iteration.returned() == null
            ? ""
            : "  "
                + style.faint(
                    (iteration.task() == null ? "(refused: " : "(returned: ")
                        + SafeText.line(iteration.returned())
                        + ")"));
  }

  /**
   * Returns the consequence of a refused completion, after a comma: the iteration's task was
   * returned, or the session is not complete. Empty if no completion was refused.
   */
  public static String refused(Iteration iteration) {
    return iteration.returned() == null
        ? ""
        : iteration.task() == null ? ", completion refused" : ", task returned";
  }

  /** Returns an iteration as a JSON object. */
  static Meta json(Iteration iteration, Session session, boolean cutOff) {
    Task task = task(iteration, session);
    return SessionJson.iteration(
        iteration,
        status(iteration, cutOff),
        task == null ? null : "t" + task.number(),
        JsonProfile.FULL);
  }

  /** Returns the assignment of the iteration's agent, or null if missing or erased. */
  static @Nullable Task task(Iteration iteration, Session session) {
    String id = iteration.task();
    try {
      return id == null ? null : session.tasks().get(id);
    } catch (NotFoundException erased) {
      return null;
    }
  }

  /** Returns the role of the iteration, or null for the build role. */
  private static @Nullable String role(Iteration iteration) {
    return iteration.role() == Iteration.Role.BUILD ? null : iteration.role().word();
  }

  /** Returns whether a usage has a known part. */
  public static boolean isKnown(Usage usage) {
    return !usage.equals(Usage.NONE) && !usage.equals(Usage.UNKNOWN);
  }

  /** Returns the known status of the iteration. */
  public static Iteration.Status status(Iteration iteration, boolean cutOff) {
    return cutOff && iteration.status() == Iteration.Status.RUNNING
        ? Iteration.Status.INTERRUPTED
        : iteration.status();
  }
}
