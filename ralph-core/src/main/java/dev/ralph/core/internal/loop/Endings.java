package dev.ralph.core.internal.loop;

import dev.ralph.StopReason;
import dev.ralph.Task;
import dev.ralph.TaskList;
import dev.ralph.core.internal.control.ControlState;
import dev.ralph.core.internal.control.LedgerControl;
import dev.ralph.core.internal.session.LiveSession;
import dev.ralph.log.RalphException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Decides why a loop ends. The first matching reason is final:
 *
 * <ol>
 *   <li>the outcome of the agent: the agent can't work at all, or too many consecutive iterations
 *       have failed within the budget
 *   <li>the loop is cancelled
 *   <li>a cancelled agent has not ended
 *   <li>a person stopped the session
 *   <li>the time is up
 *   <li>completion is granted
 *   <li>the budget is used up
 *   <li>the iterations change nothing
 *   <li>no open task can be begun because of the attempt limit
 *   <li>the iteration limit is reached
 * </ol>
 *
 * <p>A loop that is closed earlier ends because of the close, or because of a failure of its store.
 */
final class Endings {

  /** The reason of a cancellation by closing the loop: {@value}. */
  static final String CLOSED = "the loop was closed";

  private final LiveSession session;

  /** The same session as of the last look; reading it needs no call to the store. */
  private final LiveSession seen;

  private final LedgerControl control;
  private final LoopSettings settings;
  private final Completion completion;
  private final ProgressWatch progress;
  private final Cancellation cancellation;
  private final RunLimits limits;
  private @Nullable LoopEnding decided;

  /** The failure of the last iteration with its reason; null if it did not fail. */
  private @Nullable String failure;

  /** The number of this run's iterations when the host was last asked; -1 before. */
  private int askedAfter = -1;

  Endings(
      LoopSession session, LoopSettings settings, Completion completion, ProgressWatch progress) {
    this.session = session.present();
    this.seen = session.seen();
    this.control = this.session.control();
    this.settings = settings;
    this.completion = completion;
    this.progress = progress;
    this.cancellation = session.cancellation();
    this.limits = session.limits();
  }

  Completion completion() {
    return completion;
  }

  ProgressWatch progress() {
    return progress;
  }

  /** Returns the reason why the loop ends, or null while it continues. */
  @Nullable LoopEnding decided() {
    if (decided == null && cancellation.isRequested()) {
      decided = new LoopEnding(StopReason.INTERRUPTED, cancellation.reason());
    }
    return decided;
  }

  boolean isDecided() {
    return decided() != null;
  }

  /**
   * Decides after the end of an agent.
   *
   * @param failures the number of consecutive failures; 0 if this iteration did not fail
   */
  void afterAgent(AgentOutcome outcome, int failures) {
    LoopEnding known = decided;
    LoopEnding of = ofAgent(outcome, failures);
    decided = known == null ? of : known;
    if (outcome.isAbandoned()) {
      besideAgent(limits.last());
    }
  }

  /**
   * Returns the reason why an agent stops after an outcome, or null if it continues.
   *
   * @param failures as for {@link #afterAgent}
   */
  @Nullable LoopEnding ofAgent(AgentOutcome outcome, int failures) {
    failure = outcome.failure();
    if (outcome.isFatal()) {
      return new LoopEnding(StopReason.FAILURES, outcome.summary());
    }
    boolean failed = failures >= settings.maxFailures() && limits.budget().reached() == null;
    return failed && !limits.timeLimit().isUp()
        ? new LoopEnding(
            StopReason.FAILURES,
            failures > 1
                ? failures + " failures in a row; the last iteration " + failure
                : "the iteration " + failure)
        : null;
  }

  /** Decides to end for a reason, unless the end is already decided. */
  void decide(LoopEnding why) {
    if (!isDecided()) {
      decided = why;
    }
  }

  /**
   * Decides to end because a cancelled agent has not ended.
   *
   * @param iteration the iteration of the agent
   */
  void besideAgent(int iteration) {
    if (!isDecided()) {
      decided =
          new LoopEnding(
              limits.timeLimit().isUp() ? StopReason.TIME_LIMIT : StopReason.FAILURES,
              "the agent of iteration " + iteration + " was told to end but still runs");
    }
  }

  /**
   * Decides between two iterations, unless a claim of completion has to be decided first.
   *
   * @param steering the present steering of the loop
   * @return whether a claim of completion has to be decided
   */
  boolean between(ControlState steering) {
    if (isDecided()) {
      return false;
    }
    decided = byOrderOrTime(steering);
    if (decided != null) {
      return false;
    }
    if (isDone() || steering.claimed()) {
      return true;
    }
    decided = byLimit(steering);
    return false;
  }

  /** Decides a claim of completion, which may take as long as the gates. */
  void judge() {
    judged(completion.judge(limits.last(), limits.timeLimit()));
  }

  /**
   * Decides after the decision on a claim of completion.
   *
   * @param granted whether the session is complete
   */
  void judged(boolean granted) {
    if (granted) {
      decided = new LoopEnding(StopReason.COMPLETED, null);
    } else if (!isDecided() && limits.timeLimit().isUp()) {
      decided = new LoopEnding(StopReason.TIME_LIMIT, "the gates were still running");
    }
  }

  /** Returns whether no further iteration may begin, independent of the running iterations. */
  boolean areNear(ControlState steering) {
    return isDecided() || byOrderOrTime(steering) != null || byLimit(steering) != null;
  }

  private @Nullable LoopEnding byOrderOrTime(ControlState steering) {
    ControlState.Stop stop = steering.stop();
    if (stop != null) {
      return new LoopEnding(StopReason.STOPPED, stop.reason());
    }
    if (limits.timeLimit().isUp()) {
      return new LoopEnding(StopReason.TIME_LIMIT, null);
    }
    return null;
  }

  private @Nullable LoopEnding byLimit(ControlState steering) {
    String spent = limits.budget().reached();
    if (spent != null) {
      return new LoopEnding(StopReason.BUDGET, spent);
    }
    String idle = progress.over();
    if (idle != null) {
      String refused = refused();
      return new LoopEnding(
          StopReason.NO_PROGRESS, refused.isEmpty() ? idle : idle + "; " + refused);
    }
    List<Task> blocked = seen.tasks().allOutOfAttempts();
    if (!blocked.isEmpty()) {
      return new LoopEnding(StopReason.TASKS_BLOCKED, outOfAttempts(blocked));
    }
    if (settings.maxIterations() > 0 && limits.iterations() >= mostIterations(steering)) {
      String left = left();
      return new LoopEnding(
          StopReason.MAX_ITERATIONS,
          failure == null
              ? left
              : (left == null ? "" : left + "; ") + "the last iteration " + failure);
    }
    return null;
  }

  private static String outOfAttempts(List<Task> blocked) {
    Task first = blocked.get(0);
    String ref = "t" + first.number();
    String others =
        blocked.size() == 1
            ? ""
            : blocked.size() == 2 ? " and 1 more" : " and " + (blocked.size() - 1) + " more";
    return ref
        + others
        + (blocked.size() == 1 ? " is" : " are")
        + " blocked after "
        + first.attempts()
        + " failed attempts: "
        + LogText.firstLine(String.valueOf(first.reason()))
        + "; edit the task, name the task in a message, or set the task to remaining: ralph"
        + " task status "
        + ref
        + " remaining";
  }

  /** Returns the iteration limit, which a person may have raised. */
  private int mostIterations(ControlState steering) {
    ControlState.Run run = steering.run();
    return run == null ? settings.maxIterations() : Math.max(settings.maxIterations(), run.limit());
  }

  /**
   * Asks the host whether the work is done, once after each iteration and before the first. If it
   * is done, claims completion.
   */
  private boolean isDone() {
    if (askedAfter == limits.iterations()) {
      return false;
    }
    boolean done = settings.done().test(session) && control.claimIfDone();
    askedAfter = limits.iterations();
    return done;
  }

  /**
   * Returns the reason why a closed loop ends.
   *
   * @param refused the failure of the store at the last step, or null
   */
  LoopEnding atClose(@Nullable RalphException refused) {
    LoopEnding known = decided();
    boolean byClosing = known == null || CLOSED.equals(known.detail());
    if (refused != null && byClosing) {
      return new LoopEnding(StopReason.STORE_FAILED, refused.getMessage());
    }
    return known == null ? new LoopEnding(StopReason.INTERRUPTED, CLOSED) : known;
  }

  /** Returns the reason why a loop ends after an unexpected failure. */
  static LoopEnding atFault(Throwable fault) {
    return new LoopEnding(StopReason.FAILURES, fault.toString());
  }

  /** Returns the remaining work, or null if no work was specified. */
  private @Nullable String left() {
    TaskList tasks = session.tasks().list();
    int open = tasks.open().size();
    String unread = control.unread();
    if (tasks.isEmpty()) {
      return unread;
    }
    if (open > 0) {
      return (open == 1 ? "1 task left" : open + " tasks left")
          + (unread == null ? "" : "; " + unread);
    }
    if (unread != null) {
      return "no task is left, but " + unread;
    }
    String refused = refused();
    return "no task is left, but " + (refused.isEmpty() ? "no agent called complete" : refused);
  }

  /** Returns the first lines of the reasons of the last refusal; empty without a refusal. */
  private String refused() {
    List<String> refusals = completion.refusedFor();
    return refusals.isEmpty()
        ? ""
        : "completion was refused: "
            + String.join("; ", refusals.stream().map(LogText::firstLine).toList());
  }
}
