package dev.ralph.core.internal.iteration;

import dev.ralph.Iteration;
import dev.ralph.RalphException;
import dev.ralph.Usage;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** All iterations of a session at one moment, oldest first, by increasing number. Immutable. */
public final class Iterations {

  private final List<IterationEntry> entries;
  private final int highestNumber;

  Iterations(List<IterationEntry> entries, int highestNumber) {
    this.entries = entries;
    this.highestNumber = highestNumber;
  }

  List<Iteration> list() {
    return List.copyOf(entries);
  }

  Optional<Iteration> last() {
    return entries.isEmpty() ? Optional.empty() : Optional.of(entries.get(entries.size() - 1));
  }

  Usage usage() {
    Usage sum = Usage.NONE;
    for (IterationEntry entry : entries) {
      sum = sum.plus(entry.usage());
    }
    return sum;
  }

  int highestNumber() {
    return highestNumber;
  }

  List<IterationEntry> running() {
    List<IterationEntry> running = new ArrayList<>();
    for (IterationEntry entry : entries) {
      if (entry.status() == Iteration.Status.RUNNING) {
        running.add(entry);
      }
    }
    return running;
  }

  IterationEntry get(int number) {
    for (int i = entries.size() - 1; i >= 0; i--) {
      if (entries.get(i).number() == number) {
        return entries.get(i);
      }
    }
    throw RalphException.notFound(
        "there is no iteration "
            + number
            + (entries.isEmpty()
                ? "; there are none yet"
                : "; there are " + entries.get(0).number() + " to " + highestNumber));
  }
}
