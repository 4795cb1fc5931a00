package dev.ralph.cli.session;

import dev.ralph.Control.LoopEnd;
import dev.ralph.Iteration;
import dev.ralph.Session;
import dev.ralph.StopReason;
import dev.ralph.cli.call.ExitCode;
import dev.ralph.cli.text.SafeText;
import dev.ralph.cli.text.Times;
import dev.ralph.core.internal.text.StateWord;
import dev.ralph.log.Meta;
import org.jspecify.annotations.Nullable;

/** Renders the end of a session's last loop as text and JSON. */
public final class LoopEndForm {

  private LoopEndForm() {}

  /**
   * Returns the state of a session, followed by the reason of the last end: {@code idle; last run
   * ended: stopped (exit code 9)}. A running or completed session has the state only.
   */
  public static String state(Session session) {
    LoopEnd end = session.control().lastEnd().orElse(null);
    String state = StateWord.of(session.control(), session.control().running().orElse(null));
    if (end == null || session.control().isCompleted()) {
      return state;
    }
    Integer code = exitCode(session, end);
    return state
        + "; last run ended: "
        + SafeText.line(end.reason())
        + (code == null ? "" : " (exit code " + code + ")");
  }

  /** Returns the details of the last end; empty without details, and in a completed session. */
  static String detail(Session session) {
    LoopEnd end = session.control().lastEnd().orElse(null);
    String detail = end == null || session.control().isCompleted() ? null : end.detail();
    return detail == null ? "" : SafeText.line(detail);
  }

  /** Returns an end as a JSON object. */
  static Meta json(Session session, LoopEnd end) {
    return Meta.of("reason", end.reason())
        .with("detail", end.detail())
        .with("exit_code", exitCode(session, end))
        .with("time", Times.format(end.time()));
  }

  /** Returns the exit code of a {@code build} with this end, or null if a signal determined it. */
  private static @Nullable Integer exitCode(Session session, LoopEnd end) {
    Iteration last = session.iterations().last().orElse(null);
    boolean lastFailed =
        last != null
            && (last.status() == Iteration.Status.FAILURE
                || last.status() == Iteration.Status.TIMEOUT);
    for (StopReason reason : StopReason.values()) {
      if (reason != StopReason.INTERRUPTED && reason.word().equals(end.reason())) {
        return ExitCode.of(reason, lastFailed);
      }
    }
    return null;
  }
}
