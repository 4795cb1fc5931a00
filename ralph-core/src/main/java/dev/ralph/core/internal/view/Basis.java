package dev.ralph.core.internal.view;

import dev.ralph.log.Batch;
import dev.ralph.log.Frame;
import dev.ralph.log.Position;
import dev.ralph.log.TopicFilter;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a decision under way rests on: states, either as the log is now or as far as they are known.
 * For one thread.
 */
final class Basis {

  /** A state that was looked at as well, and up to where it was read. */
  private record Other(FoldView<?, ?> view, Position read) {}

  private final @Nullable Basis outer;
  private final TopicFilter relevant;
  private final boolean isFresh;

  /** Up to where the oldest of the states was read. */
  private Position since;

  private final List<Other> others = new ArrayList<>();

  /**
   * @param outer that of the decision within which this one is made, or null
   * @param relevant selects the frames that the decision depends on
   * @param since up to where its ledger was read
   * @param isFresh whether that was done for this decision
   */
  Basis(@Nullable Basis outer, TopicFilter relevant, Position since, boolean isFresh) {
    this.outer = outer;
    this.relevant = relevant;
    this.since = since;
    this.isFresh = isFresh;
  }

  /** Returns whether the decision takes the state of a view as far as it is known. */
  boolean takesKnown(FoldView<?, ?> view) {
    return !isFresh && covers(view);
  }

  /** Takes note of a state that was looked at for the decision, and of up to where it was read. */
  void restsOn(FoldView<?, ?> view, Position read) {
    if (covers(view)) {
      others.add(new Other(view, read));
      since = !isFresh && since.isAfter(read) ? read : since;
    }
  }

  private boolean covers(FoldView<?, ?> view) {
    return relevant.patterns().containsAll(view.filter().patterns());
  }

  /** The frames were appended, so nothing else had come of all that the decision rests on. */
  void appended(List<Frame> frames) {
    for (Other other : others) {
      other.view.passOver(other.read, frames);
    }
  }

  @Nullable Basis outer() {
    return outer;
  }

  TopicFilter relevant() {
    return relevant;
  }

  /** Returns what must hold for the decision to be of the present states. */
  Batch.Condition condition() {
    return new Batch.Condition(relevant, since);
  }
}
