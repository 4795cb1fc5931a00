package dev.ralph.micrometer;

import dev.ralph.log.Appended;
import dev.ralph.log.Batch;
import dev.ralph.log.Condition;
import dev.ralph.log.Draft;
import dev.ralph.spi.ForwardingStore;
import dev.ralph.spi.FrameStore;
import io.micrometer.observation.ObservationRegistry;
import java.util.List;

/** Writes the trace of the agent that appends into its frames. */
final class TracedStore extends ForwardingStore {

  private final ObservationRegistry observations;

  TracedStore(FrameStore store, ObservationRegistry observations) {
    super(store);
    this.observations = observations;
  }

  @Override
  public Appended append(Batch batch) {
    String trace = AgentContext.trace(observations.getCurrentObservation());
    return super.append(trace == null ? batch : traced(batch, trace));
  }

  private static Batch traced(Batch batch, String trace) {
    List<Draft> drafts = batch.drafts().stream().map(draft -> traced(draft, trace)).toList();
    Batch traced = Batch.of(batch.id(), drafts).durability(batch.durability());
    Condition condition = batch.condition();
    return condition == null ? traced : traced.onlyIf(condition);
  }

  /** What is imported stays as it was. */
  private static Draft traced(Draft draft, String trace) {
    return draft.id() == null
        ? Draft.of(draft.topic(), draft.meta().with(AgentContext.TRACE, trace), draft.content())
        : draft;
  }
}
