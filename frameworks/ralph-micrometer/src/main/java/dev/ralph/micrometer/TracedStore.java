package dev.ralph.micrometer;

import dev.ralph.log.Appended;
import dev.ralph.log.Batch;
import dev.ralph.log.Draft;
import dev.ralph.spi.ForwardingStore;
import dev.ralph.spi.FrameStore;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Writes the trace of the appending thread into frames. */
final class TracedStore extends ForwardingStore {

  private final Supplier<@Nullable String> trace;

  TracedStore(FrameStore store, Supplier<@Nullable String> trace) {
    super(store);
    this.trace = trace;
  }

  @Override
  public Appended append(Batch batch) {
    String current = trace.get();
    return super.append(current == null ? batch : traced(batch, current));
  }

  private static Batch traced(Batch batch, String trace) {
    List<Draft> drafts = batch.drafts().stream().map(draft -> traced(draft, trace)).toList();
    Batch traced = Batch.of(batch.id(), drafts).synced(batch.isSynced());
    Batch.Condition condition = batch.condition();
    return condition == null ? traced : traced.onlyIf(condition);
  }

  /** Returns the draft with the trace; imported drafts stay unchanged. */
  private static Draft traced(Draft draft, String trace) {
    return draft.id() == null
        ? Draft.of(draft.topic(), draft.meta().with(AgentContext.TRACE, trace), draft.content())
        : draft;
  }
}
