package dev.ralph.core.internal.loop;

import dev.ralph.StopReason;
import dev.ralph.Task;
import dev.ralph.core.internal.control.LedgerControl;
import dev.ralph.core.internal.control.Steering;
import dev.ralph.core.internal.session.LiveSession;
import java.util.List;
import javax.annotation.Nullable;

/** The reasons for which a loop ends by itself, in the order in which they count. */
final class Endings {

  private final LiveSession session;
  private final LedgerControl control;
  private final LoopSettings settings;
  private final Completion completion;
  private final Budget budget;
  private final ProgressWatch progress;

  Endings(
      LiveSession session,
      LoopSettings settings,
      Completion completion,
      Budget budget,
      ProgressWatch progress) {
    this.session = session;
    this.control = session.control();
    this.settings = settings;
    this.completion = completion;
    this.budget = budget;
    this.progress = progress;
  }

  /**
   * Returns why the loop ends because of how its agent ended, or null where that is no reason.
   *
   * @param failures how many iterations in a row have failed; 0 if this one did not
   */
  @Nullable
  Ending after(AgentOutcome outcome, int failures, TimeBox timeLimit) {
    if (outcome.isFatal()) {
      return new Ending(StopReason.FAILURES, outcome.summary());
    }
    if (failures >= settings.maxFailures() && !timeLimit.isUp()) {
      return new Ending(
          StopReason.FAILURES,
          failures == 1 ? "the iteration failed" : failures + " iterations in a row failed");
    }
    return null;
  }

  /** Returns why the loop ends whose agent was told to end and has not. */
  static Ending besideAgent(int iteration, TimeBox timeLimit) {
    return new Ending(
        timeLimit.isUp() ? StopReason.TIME_LIMIT : StopReason.FAILURES,
        "the agent was told to end in iteration " + iteration + " and has not");
  }

  /**
   * Returns why the loop ends between two iterations, or null where it goes on or a claim of
   * completion has to be judged again. Judges such a claim, which may take as long as the gates.
   *
   * @param steering what steers the loop now
   * @param last the newest iteration
   * @param iterations how many this run has begun
   */
  @Nullable
  Ending between(Steering steering, int last, int iterations, TimeBox timeLimit) {
    Steering.Stop stop = steering.stop();
    if (stop != null) {
      return new Ending(StopReason.STOPPED, stop.reason());
    }
    if (timeLimit.isUp()) {
      return new Ending(StopReason.TIME_LIMIT, null);
    }
    if (steering.claimed()) {
      if (completion.judge(last, timeLimit)) {
        return new Ending(StopReason.COMPLETED, null);
      }
      if (control.steering().claimed()) {
        return null;
      }
    }
    String spent = budget.reached();
    if (spent != null) {
      return new Ending(StopReason.BUDGET, spent);
    }
    String idle = progress.over();
    if (idle != null) {
      return new Ending(StopReason.NO_PROGRESS, idle);
    }
    if (settings.maxIterations() > 0 && iterations >= settings.maxIterations()) {
      return new Ending(StopReason.MAX_ITERATIONS, left());
    }
    return null;
  }

  /** Returns how much is left to do, or null where nobody has said what is to be done. */
  @Nullable
  private String left() {
    List<Task> tasks = session.tasks().list();
    long open = tasks.stream().filter(task -> !task.status().isTerminal()).count();
    if (tasks.isEmpty()) {
      return null;
    }
    return open == 0
        ? "no task is left, but nobody has said that the work is complete"
        : open == 1 ? "1 task left" : open + " tasks left";
  }
}
