package dev.ralph.core.internal.loop;

import dev.ralph.LoopEvent;
import dev.ralph.Meta;
import dev.ralph.Task;
import dev.ralph.core.internal.control.LedgerControl;
import dev.ralph.core.internal.session.LiveSession;
import java.util.List;
import javax.annotation.Nullable;

/**
 * Judges claims that a session is complete: granted if every task is terminal and every gate
 * passes, else refused with reasons, which the agent is shown until it has had an iteration to act
 * on them.
 */
final class Completion {

  private static final int TASKS_NAMED = 20;

  private final LiveSession session;
  private final LedgerControl control;
  private final Gates gates;
  private final Cancellation cancellation;
  private final Events events;

  /** Null while only an earlier run can have left a refusal. */
  @Nullable private volatile List<String> refusedFor;

  Completion(LiveSession session, Gates gates, Cancellation cancellation, Events events) {
    this.session = session;
    this.control = session.control();
    this.gates = gates;
    this.cancellation = cancellation;
    this.events = events;
  }

  /** Returns why the last claim was refused, for the next prompt; empty where it was not. */
  List<String> refusedFor() {
    List<String> known = refusedFor;
    return known == null ? control.refusals() : known;
  }

  /** Takes note that the agent has seen the refusal and worked on it. */
  void forgetRefusal() {
    refusedFor = List.of();
  }

  /**
   * Judges a claim. One that can't be judged, for the loop is cancelled or its time is up, stays
   * for the next run.
   *
   * @param iteration the newest one
   * @return whether the session is complete
   */
  boolean judge(int iteration, TimeBox limit) {
    List<String> reasons = openTasks();
    if (reasons.isEmpty()) {
      reasons = gates.run(iteration, limit);
      if (!reasons.isEmpty() && (cancellation.isRequested() || limit.isUp())) {
        return false;
      }
    }
    if (reasons.isEmpty()) {
      if (control.grantCompletion()) {
        return true;
      }
      // A task was added while the gates ran; it may be done by now, and the claim is judged anew.
      reasons = openTasks();
      if (reasons.isEmpty()) {
        return false;
      }
    }
    control.refuseCompletion(reasons);
    refusedFor = reasons;
    events.emit(
        LoopEvent.Type.COMPLETION_REFUSED,
        iteration,
        "completion refused: " + String.join("; ", reasons.stream().map(Words::firstLine).toList()),
        Meta.of("reasons", reasons));
    return false;
  }

  /** Returns the reason that open tasks are, or nothing where there are none. */
  private List<String> openTasks() {
    List<String> open =
        session.tasks().list().stream()
            .filter(task -> !task.status().isTerminal())
            .map(Completion::describe)
            .toList();
    if (open.isEmpty()) {
      return List.of();
    }
    int more = open.size() - TASKS_NAMED;
    return List.of(
        (open.size() == 1 ? "1 task is" : open.size() + " tasks are")
            + " still open: "
            + String.join(", ", more > 0 ? open.subList(0, TASKS_NAMED) : open)
            + (more > 0 ? " and " + more + " more" : ""));
  }

  private static String describe(Task task) {
    return "t" + task.number() + " (" + task.status().word().replace('_', ' ') + ")";
  }
}
