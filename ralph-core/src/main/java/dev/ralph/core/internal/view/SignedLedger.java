package dev.ralph.core.internal.view;

import dev.ralph.log.Decision;
import dev.ralph.log.Draft;
import dev.ralph.log.TopicFilter;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A ledger that adds the name of a person to each frame. */
public final class SignedLedger<R> extends ForwardingLedger<R> {

  /** The member of a frame's metadata with the name of the person. */
  public static final String BY = "by";

  private final String person;

  public SignedLedger(LiveLedger<R> ledger, String person) {
    super(ledger);
    this.person = person;
  }

  @Override
  public <T extends @Nullable Object> T decide(
      String what, @Nullable TopicFilter others, boolean synced, Decider<R, T> decider) {
    return ledger.decide(what, others, synced, (state, now) -> signed(decider.decide(state, now)));
  }

  private <T extends @Nullable Object> Decision<R, T> signed(Decision<R, T> decision) {
    List<Draft> drafts = new ArrayList<>();
    for (Draft draft : decision.drafts()) {
      drafts.add(Draft.of(draft.topic(), draft.meta().with(BY, person), draft.content()));
    }
    return drafts.isEmpty() ? decision : Decision.append(drafts, decision::reply);
  }
}
