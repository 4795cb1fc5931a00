package dev.ralph.core.internal.loop;

import dev.ralph.StopReason;
import dev.ralph.core.internal.loop.policy.LoopEnding;
import dev.ralph.log.RalphException;
import org.jspecify.annotations.Nullable;

/**
 * The decided end of a run; the first decision is final. Used only by the thread that holds the
 * stepping lock.
 */
final class RunDecision {

  /** The reason of a cancellation by closing the loop: {@value}. */
  static final String CLOSED = "the loop was closed";

  private final Cancellation cancellation;
  private @Nullable LoopEnding decided;

  RunDecision(Cancellation cancellation) {
    this.cancellation = cancellation;
  }

  /** Returns the decided end, or the end by a cancellation; null while the run continues. */
  @Nullable LoopEnding ending() {
    String why = cancellation.reason();
    return decided != null || why == null ? decided : new LoopEnding(StopReason.INTERRUPTED, why);
  }

  /** Decides to end, unless the end is decided or the loop is cancelled. Null decides nothing. */
  void decide(@Nullable LoopEnding why) {
    if (ending() == null) {
      decided = why;
    }
  }

  /** Decides to end because of a lone agent's outcome, even if the loop is cancelled. */
  void decideByAgent(@Nullable LoopEnding why) {
    if (decided == null) {
      decided = why;
    }
  }

  /** Decides that the session is complete, even if the loop was cancelled meanwhile. */
  void complete() {
    decided = new LoopEnding(StopReason.COMPLETED, null);
  }

  /**
   * Returns the reason why a closed loop ends.
   *
   * @param refused the failure of the store at the last step, or null
   */
  LoopEnding atClose(@Nullable RalphException refused) {
    LoopEnding known = ending();
    boolean byClosing = known == null || CLOSED.equals(known.detail());
    if (refused != null && byClosing) {
      return new LoopEnding(StopReason.STORE_FAILED, refused.getMessage());
    }
    return known == null ? new LoopEnding(StopReason.INTERRUPTED, CLOSED) : known;
  }
}
