package dev.ralph.core.internal.view;

import dev.ralph.log.Durability;
import dev.ralph.log.Ledger;
import dev.ralph.log.TopicFilter;
import org.jspecify.annotations.Nullable;

/** A ledger on which is decided only for as long as something else holds in the same scope. */
public final class FencedLedger<R> extends ForwardingLedger<R> {

  private final TopicFilter fence;
  private final Runnable check;

  /**
   * Fences a ledger.
   *
   * @param fence selects the frames that the check depends on
   * @param check throws if what must hold does not
   */
  public FencedLedger(LiveLedger<R> ledger, TopicFilter fence, Runnable check) {
    super(ledger);
    this.fence = fence;
    this.check = check;
  }

  @Override
  public <T extends @Nullable Object> T decide(
      String what,
      @Nullable TopicFilter others,
      Durability durability,
      Ledger.Decider<R, T> decider) {
    return ledger.decide(
        what,
        others == null ? fence : fence.or(others),
        durability,
        (state, now) -> {
          check.run();
          return decider.decide(state, now);
        });
  }
}
