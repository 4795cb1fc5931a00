package dev.ralph.core.internal.view;

import dev.ralph.log.Ledger;
import dev.ralph.log.TopicFilter;
import org.jspecify.annotations.Nullable;

/** A ledger whose decisions also require a condition on other frames of the same scope. */
public final class FencedLedger<R> extends ForwardingLedger<R> {

  private final TopicFilter fence;
  private final Runnable check;

  /**
   * Creates a fenced ledger.
   *
   * @param fence selects the frames on which the check depends
   * @param check throws if the condition does not hold
   */
  public FencedLedger(LiveLedger<R> ledger, TopicFilter fence, Runnable check) {
    super(ledger);
    this.fence = fence;
    this.check = check;
  }

  @Override
  public <T extends @Nullable Object> T decide(
      String what, @Nullable TopicFilter others, boolean synced, Ledger.Decider<R, T> decider) {
    return ledger.decide(
        what,
        others == null ? fence : fence.or(others),
        synced,
        (state, now) -> {
          check.run();
          return decider.decide(state, now);
        });
  }
}
