package dev.ralph.tck.internal.model;

import dev.ralph.tck.internal.TimeLimit;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * Shrinks a failing list while it still fails: removes ever shorter ranges (delta debugging), then
 * replaces the remaining items by simpler ones.
 *
 * @param <T> the type of an item, such as an operation of a program
 */
final class Shrinker<T> {

  private final Predicate<List<T>> fails;
  private final Function<T, List<T>> plainer;
  private final TimeLimit deadline;

  /**
   * Creates a shrinker.
   *
   * @param fails returns whether a list fails
   * @param plainer returns simpler items, the simplest first; must not return equally simple ones,
   *     or shrinking does not end
   * @param deadline the time at which the present result is returned
   */
  Shrinker(Predicate<List<T>> fails, Function<T, List<T>> plainer, TimeLimit deadline) {
    this.fails = fails;
    this.plainer = plainer;
    this.deadline = deadline;
  }

  /** Returns a failing list in which no item can be removed or simplified. */
  List<T> shrink(List<T> failing) {
    List<T> smallest = failing;
    while (!deadline.left().isZero()) {
      List<T> smaller = makePlainer(leaveOut(smallest));
      if (smaller.equals(smallest)) {
        return smallest;
      }
      smallest = smaller;
    }
    return smallest;
  }

  private List<T> leaveOut(List<T> failing) {
    List<T> smallest = failing;
    for (int length = Math.max(1, failing.size() / 2); length > 0; length /= 2) {
      int from = smallest.size() - length;
      while (from >= 0 && !deadline.left().isZero()) {
        List<T> without = new ArrayList<>(smallest.subList(0, from));
        without.addAll(smallest.subList(from + length, smallest.size()));
        if (fails.test(without)) {
          smallest = without;
        }
        from = Math.min(from, smallest.size()) - length;
      }
    }
    return smallest;
  }

  private List<T> makePlainer(List<T> failing) {
    List<T> plainest = new ArrayList<>(failing);
    for (int i = 0; i < plainest.size(); i++) {
      boolean changed = true;
      while (changed && !deadline.left().isZero()) {
        changed = false;
        T original = plainest.get(i);
        for (T candidate : plainer.apply(original)) {
          plainest.set(i, candidate);
          changed = fails.test(List.copyOf(plainest));
          if (changed) {
            break;
          }
          plainest.set(i, original);
        }
      }
    }
    return plainest;
  }
}
