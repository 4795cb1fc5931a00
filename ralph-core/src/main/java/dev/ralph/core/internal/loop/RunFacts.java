package dev.ralph.core.internal.loop;

import dev.ralph.Iteration;
import dev.ralph.core.internal.loop.policy.AgentOutcome;
import dev.ralph.core.internal.loop.policy.IdleCount;
import dev.ralph.core.internal.loop.policy.LoopFacts;
import org.jspecify.annotations.Nullable;

/** Collects the facts of a run for the policy. Used only by the thread that steps. */
final class RunFacts {

  private final RunDecision decision;
  private final RunLimits limits;
  private final WorkDetector changes;
  private IdleCount idle;
  private @Nullable String lastFailure;
  private int askedAfter = -1;
  private boolean isClaimed;

  RunFacts(RunDecision decision, RunLimits limits, WorkDetector changes, IdleCount idle) {
    this.decision = decision;
    this.limits = limits;
    this.changes = changes;
    this.idle = idle;
  }

  /** Returns the present facts. Reads no store. */
  LoopFacts collect(LoopFacts.AgentFacts agents) {
    return new LoopFacts(
        decision.ending(),
        limits.timeLimit().deadline(),
        limits.budget().reached(),
        lastFailure,
        new LoopFacts.HostFacts(limits.iterations(), askedAfter, isClaimed),
        idle,
        agents);
  }

  RunDecision decision() {
    return decision;
  }

  WorkDetector changes() {
    return changes;
  }

  IdleCount idle() {
    return idle;
  }

  /** Records the host's answer. */
  void answered(boolean claimed) {
    askedAfter = limits.iterations();
    isClaimed = claimed;
  }

  /** Records that the claim is being decided. */
  void judging() {
    isClaimed = false;
  }

  /** Records the outcome of an iteration, and whether it changed anything. */
  void ended(Iteration.Role role, AgentOutcome outcome, boolean changed) {
    idle = idle.after(role, outcome.status(), changed);
    lastFailure = outcome.failure();
  }
}
