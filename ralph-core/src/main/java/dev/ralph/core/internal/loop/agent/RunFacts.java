package dev.ralph.core.internal.loop.agent;

import dev.ralph.Iteration;
import dev.ralph.StopReason;
import dev.ralph.core.internal.loop.policy.AgentOutcome;
import dev.ralph.core.internal.loop.policy.IdleCount;
import dev.ralph.core.internal.loop.policy.LoopEnding;
import dev.ralph.core.internal.loop.policy.LoopFacts;
import dev.ralph.core.internal.loop.run.Cancellation;
import dev.ralph.core.internal.loop.run.LoopSession;
import dev.ralph.core.internal.loop.run.RunLimits;
import dev.ralph.log.RalphException;
import org.jspecify.annotations.Nullable;

/**
 * The facts of a run for the policy, and the decided end of the run; the first decision is final.
 * Used only by the thread that holds the stepping lock.
 */
public final class RunFacts {

  /** The reason of a cancellation by closing the loop: {@value}. */
  public static final String CLOSED = "the loop was closed";

  private final RunLimits limits;
  private final Cancellation cancellation;
  private final WorkDetector changes;
  private IdleCount idle;
  private @Nullable LoopEnding decided;
  private @Nullable String lastFailure;
  private int askedAfter = -1;
  private boolean isClaimed;

  public RunFacts(LoopSession session, WorkDetector changes, IdleCount idle) {
    this.limits = session.limits();
    this.cancellation = session.cancellation();
    this.changes = changes;
    this.idle = idle;
  }

  /**
   * Returns the present facts. Reads no store.
   *
   * @param ending the end to assume, normally {@link #ending()}
   */
  LoopFacts collect(@Nullable LoopEnding ending, LoopFacts.AgentFacts agents) {
    return new LoopFacts(
        ending,
        limits.timeLimit().deadline(),
        limits.budget().reached(),
        lastFailure,
        limits.iterations(),
        askedAfter == limits.iterations(),
        isClaimed,
        idle,
        agents);
  }

  public WorkDetector changes() {
    return changes;
  }

  IdleCount idle() {
    return idle;
  }

  /** Records the host's answer whether the work is done. */
  void answered(boolean claimed) {
    askedAfter = limits.iterations();
    isClaimed = claimed;
  }

  /** Records the outcome of an iteration, and whether it changed anything. */
  void ended(Iteration.Role role, AgentOutcome outcome, boolean changed) {
    idle = idle.after(role, outcome.status(), changed);
    lastFailure = outcome.failure();
  }

  // ---- the decided end

  /** Returns the decided end, or the end by a cancellation; null while the run continues. */
  public @Nullable LoopEnding ending() {
    String why = cancellation.reason();
    return decided != null || why == null ? decided : new LoopEnding(StopReason.INTERRUPTED, why);
  }

  /** Decides to end, unless the end is decided or the loop is cancelled. Null decides nothing. */
  public void decide(@Nullable LoopEnding why) {
    if (ending() == null) {
      decided = why;
    }
  }

  /** Decides to end because of a lone agent's outcome, even if the loop is cancelled. */
  public void decideByAgent(@Nullable LoopEnding why) {
    if (decided == null) {
      decided = why;
    }
  }

  /**
   * Records the decision on a claim of completion. A granted claim completes the session, even if
   * the loop was cancelled meanwhile.
   *
   * @param refusal the reason to end after a rejected claim; null to continue
   */
  void judged(boolean isGranted, @Nullable LoopEnding refusal) {
    if (isGranted) {
      decided = new LoopEnding(StopReason.COMPLETED, null);
    } else {
      decide(refusal);
    }
  }

  /**
   * Returns the reason why a closed loop ends.
   *
   * @param refused the failure of the store at the last step, or null
   */
  public LoopEnding atClose(@Nullable RalphException refused) {
    LoopEnding known = ending();
    boolean byClosing = known == null || CLOSED.equals(known.detail());
    if (refused != null && byClosing) {
      return new LoopEnding(StopReason.STORE_FAILED, refused.getMessage());
    }
    return known == null ? new LoopEnding(StopReason.INTERRUPTED, CLOSED) : known;
  }
}
