package dev.ralph.core.internal.view;

import dev.ralph.log.Durability;
import dev.ralph.log.Ledger;
import dev.ralph.log.TopicFilter;
import org.jspecify.annotations.Nullable;

/** A ledger of a session, which also shows what was seen of it when somebody last looked. */
public interface LiveLedger<R> extends Ledger<R> {

  /**
   * Returns the state as it was at the last look, or later. To a decider, which needs the present
   * one, it is that.
   */
  R seen(SharedReading reading);

  @Override
  default <T extends @Nullable Object> T decide(
      String what, @Nullable TopicFilter others, Ledger.Decider<R, T> decider) {
    return decide(what, others, Durability.SYNC, decider);
  }

  /** Decides; what is appended lasts as that durability says. */
  <T extends @Nullable Object> T decide(
      String what,
      @Nullable TopicFilter others,
      Durability durability,
      Ledger.Decider<R, T> decider);
}
