package dev.ralph.core.internal.view;

import dev.ralph.log.Ledger;
import dev.ralph.log.TopicFilter;
import org.jspecify.annotations.Nullable;

/** A ledger of a session that also returns the state of the last shared read. */
public interface LiveLedger<R> extends Ledger<R> {

  /** Returns the state of the last shared read or a later state. Deciders get the present state. */
  R seen(SharedReading reading);

  @Override
  default <T extends @Nullable Object> T decide(
      String what, @Nullable TopicFilter others, Ledger.Decider<R, T> decider) {
    return decide(what, others, true, decider);
  }

  /** Decides, and appends the frames, synced or not. */
  <T extends @Nullable Object> T decide(
      String what, @Nullable TopicFilter others, boolean synced, Ledger.Decider<R, T> decider);
}
