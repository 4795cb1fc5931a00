package dev.ralph.core.internal.loop;

import dev.ralph.core.internal.loop.policy.AgentOutcome;
import dev.ralph.core.internal.loop.policy.Backoff;
import java.time.Duration;

/** The backoff of an agent. Used only by the thread that steps. */
final class AgentPauses {

  private final LoopClock time;
  private Backoff backoff;

  AgentPauses(Duration failurePause, LoopClock time) {
    this.time = time;
    this.backoff = Backoff.none(failurePause, time.nanos());
  }

  Backoff backoff() {
    return backoff;
  }

  /**
   * Records the outcome of an iteration; returns the number of consecutive failures, 0 if this
   * iteration did not fail.
   *
   * @param idle whether the iteration succeeded and repeatedly changed nothing
   */
  int ended(AgentOutcome outcome, boolean idle) {
    int before = backoff.failures().tries();
    backoff = backoff.after(outcome, idle, time.nanos());
    int failures = backoff.failures().tries();
    return failures > before ? failures : 0;
  }

  /** Ends a delay due to missing progress if the session has new work. */
  void cutShortIfStirred(WorkDetector changes) {
    if (backoff.isIdlePause() && changes.hasNewWork()) {
      backoff = backoff.cutShort(time.nanos());
    }
  }

  /** Records that the delay was reported. */
  void reported() {
    backoff = backoff.reported();
  }
}
