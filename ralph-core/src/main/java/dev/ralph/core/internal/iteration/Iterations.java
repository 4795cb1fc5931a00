package dev.ralph.core.internal.iteration;

import dev.ralph.Iteration;
import dev.ralph.Usage;
import dev.ralph.domain.NumberedList;
import dev.ralph.domain.NumberedState;
import dev.ralph.log.RalphException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** All iterations of a session at one moment. Immutable; safe for use by many threads. */
public final class Iterations extends NumberedList<IterationEntry, Iteration> {

  Iterations(NumberedState<IterationEntry> state) {
    super(state, "iteration", 'i');
  }

  @Override
  public Iteration view(int index) {
    return entry(index);
  }

  Optional<Iteration> last() {
    return size() == 0 ? Optional.empty() : Optional.of(view(size() - 1));
  }

  Usage usage() {
    Usage sum = Usage.NONE;
    for (IterationEntry entry : entries()) {
      sum = sum.plus(entry.usage());
    }
    return sum;
  }

  List<IterationEntry> running() {
    List<IterationEntry> running = new ArrayList<>();
    for (IterationEntry entry : entries()) {
      if (entry.status() == Iteration.Status.RUNNING) {
        running.add(entry);
      }
    }
    return running;
  }

  /** Returns the first iteration that started after the end of another, if any. */
  Optional<IterationEntry> after(IterationEntry ended) {
    if (ended.lastBeside() == 0) {
      return Optional.empty();
    }
    for (IterationEntry entry : entries()) {
      if (entry.number() > ended.lastBeside()) {
        return Optional.of(entry);
      }
    }
    return Optional.empty();
  }

  IterationEntry get(int number) {
    for (int i = size() - 1; i >= 0; i--) {
      if (entry(i).number() == number) {
        return entry(i);
      }
    }
    throw RalphException.notFound(
        "there is no iteration "
            + number
            + (size() == 0
                ? "; no iteration has begun"
                : "; there are " + entry(0).number() + " to " + highestNumber()));
  }
}
