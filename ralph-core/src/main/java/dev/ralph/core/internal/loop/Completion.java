package dev.ralph.core.internal.loop;

import dev.ralph.LoopEvent;
import dev.ralph.core.internal.control.LedgerControl;
import dev.ralph.log.Meta;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Judges claims that a session is complete: granted if every task is terminal, every message read,
 * and every gate passes, else refused with reasons, which the agent is shown until it has had an
 * iteration to act on them.
 */
final class Completion {

  /** What has to hold besides. */
  interface Checks {

    /**
     * Returns why it does not; empty where it does.
     *
     * @param iteration the newest one
     */
    List<String> run(int iteration, TimeBox limit);
  }

  private final LedgerControl control;
  private final Checks checks;
  private final Cancellation cancellation;
  private final Listeners events;

  /** Null while only an earlier run can have left a refusal. */
  private volatile @Nullable List<String> refusedFor;

  Completion(LedgerControl control, Checks checks, Cancellation cancellation, Listeners events) {
    this.control = control;
    this.checks = checks;
    this.cancellation = cancellation;
    this.events = events;
  }

  /** Returns why the last claim was refused, for the next prompt; empty where it was not. */
  List<String> refusedFor() {
    List<String> known = refusedFor;
    return known == null ? control.steering().refusals() : known;
  }

  /** Takes note that the agent has seen the refusal and worked on it. */
  void forgetRefusal() {
    refusedFor = List.of();
  }

  /**
   * Judges a claim. One that can't be judged, because the loop is cancelled or its time is up, ends
   * with the run.
   *
   * @param iteration the newest one
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
      // Something came while the gates ran. It may be done by now: then the claim is judged again.
      reasons = control.refusals();
      if (reasons.isEmpty()) {
        return false;
      }
    }
    List<String> refused = List.copyOf(reasons);
    control.refuseCompletion(refused);
    refusedFor = refused;
    events.emit(
        LoopEvent.Type.COMPLETION_REFUSED,
        iteration,
        "completion refused: "
            + String.join("; ", refused.stream().map(LogText::firstLine).toList()),
        Meta.of("reasons", refused),
        head -> new LoopEvent.CompletionRefused(head, refused));
    return false;
  }
}
