package dev.ralph.core.internal.loop.agent;

import dev.ralph.Session;
import dev.ralph.TaskList;
import dev.ralph.core.internal.control.LedgerControl;
import dev.ralph.core.internal.loop.run.Cancellation;
import dev.ralph.core.internal.loop.run.LoopEvents;
import dev.ralph.core.internal.loop.run.TimeBox;
import dev.ralph.core.internal.session.LiveSession;
import dev.ralph.core.internal.text.LogText;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Decides claims that a session is complete. A claim is granted if each task is terminal, each
 * message is read, and each gate passes. Otherwise it is rejected with reasons. Prompts show the
 * reasons until the agent has had an iteration to act on them.
 */
public final class Completion {

  /** Further conditions of completion. */
  public interface Checks {

    /**
     * Returns the reasons of failed conditions; empty if all hold.
     *
     * @param iteration the newest iteration
     */
    List<String> run(int iteration, TimeBox limit);
  }

  private final LiveSession session;
  private final LedgerControl control;
  private final Predicate<Session> done;
  private final Checks checks;
  private final Cancellation cancellation;
  private final LoopEvents events;

  /** Null while only an earlier run can have left a rejection. */
  private volatile @Nullable List<String> refusedFor;

  /**
   * @param done decides whether to claim completion for the agent
   */
  public Completion(
      LiveSession session,
      Predicate<Session> done,
      Checks checks,
      Cancellation cancellation,
      LoopEvents events) {
    this.session = session;
    this.control = session.control();
    this.done = done;
    this.checks = checks;
    this.cancellation = cancellation;
    this.events = events;
  }

  /** Asks the host whether the work is done. If it is done, claims completion. */
  boolean claimIfDone() {
    return done.test(session) && control.claimIfDone();
  }

  /** Returns a description of the remaining work, or null if no work was specified. */
  @Nullable String remaining() {
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
    String refusal = refusal();
    return "no task is left, but " + (refusal == null ? "no agent called complete" : refusal);
  }

  /** Returns a description of the last rejection, or null without a rejection. */
  @Nullable String refusal() {
    List<String> refusals = refusedFor();
    return refusals.isEmpty() ? null : "completion was refused: " + firstLines(refusals);
  }

  private static String firstLines(List<String> reasons) {
    return String.join("; ", reasons.stream().map(LogText::firstLine).toList());
  }

  /** Returns the reasons of the last rejection for the next prompt; empty otherwise. */
  List<String> refusedFor() {
    List<String> known = refusedFor;
    return known == null ? control.steering().refusals() : known;
  }

  /** Records that the agent has seen the rejection and worked on it. */
  void forgetRefusal() {
    refusedFor = List.of();
  }

  /**
   * Decides a claim. A claim that can't be decided, because the loop is cancelled or its time is
   * up, ends with the run.
   *
   * @param iteration the newest iteration
   * @return whether the session is complete
   */
  boolean judge(int iteration, TimeBox limit) {
    List<String> reasons = control.refusals();
    if (reasons.isEmpty()) {
      reasons = checks.run(iteration, limit);
      if (!reasons.isEmpty() && (cancellation.isRequested() || limit.isUp())) {
        return false;
      }
    }
    if (reasons.isEmpty()) {
      if (control.grantCompletion()) {
        return true;
      }
      // The session changed while the gates ran. If the new work is already done, the claim is
      // decided again.
      reasons = control.refusals();
      if (reasons.isEmpty()) {
        return false;
      }
    }
    List<String> refused = List.copyOf(reasons);
    String summary = firstLines(refused);
    control.refuseCompletion(refused);
    refusedFor = refused;
    events.completionRefused(iteration, summary, refused);
    if (iteration > 0) {
      session.iterations().returned(iteration, null, summary);
    }
    return false;
  }
}
