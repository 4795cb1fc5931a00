package dev.ralph.core.internal.view;

import dev.ralph.log.Batch;
import dev.ralph.log.Frame;
import dev.ralph.log.Position;
import dev.ralph.log.TopicFilter;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The states on which a running decision depends: present states or known older states. Not
 * thread-safe.
 */
final class DecisionBasis {

  /** A further state that the decision has read, with its position. */
  private record Other(FoldView<?, ?> view, Position read) {}

  private final @Nullable DecisionBasis outer;
  private final TopicFilter relevant;
  private final boolean isFresh;

  /** The position of the oldest of the states. */
  private Position since;

  private final List<Other> others = new ArrayList<>();

  /**
   * @param outer the basis of the enclosing decision, or null
   * @param relevant selects the frames on which the decision depends
   * @param since the position of the ledger's state
   * @param isFresh whether the state was read for this decision
   */
  DecisionBasis(
      @Nullable DecisionBasis outer, TopicFilter relevant, Position since, boolean isFresh) {
    this.outer = outer;
    this.relevant = relevant;
    this.since = since;
    this.isFresh = isFresh;
  }

  /** Returns whether the decision accepts the known state of a view, which may be old. */
  boolean takesKnown(FoldView<?, ?> view) {
    return !isFresh && covers(view);
  }

  /** Records a state that the decision has read, with its position. */
  void restsOn(FoldView<?, ?> view, Position read) {
    if (covers(view)) {
      others.add(new Other(view, read));
      since = !isFresh && since.isAfter(read) ? read : since;
    }
  }

  private boolean covers(FoldView<?, ?> view) {
    return relevant.patterns().containsAll(view.filter().patterns());
  }

  /** Updates the views after the append, whose condition proves that no other frame came before. */
  void appended(List<Frame> frames) {
    for (Other other : others) {
      other.view.passOver(other.read, frames);
    }
  }

  @Nullable DecisionBasis outer() {
    return outer;
  }

  TopicFilter relevant() {
    return relevant;
  }

  /** Returns the condition under which the states are the present states. */
  Batch.Condition condition() {
    return new Batch.Condition(relevant, since);
  }
}
