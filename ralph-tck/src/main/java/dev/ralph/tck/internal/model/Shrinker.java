package dev.ralph.tck.internal.model;

import dev.ralph.tck.internal.TimeLimit;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * Makes a list that fails smaller while it goes on failing: leaves out ever shorter stretches
 * (delta debugging), then puts plainer items in the place of those left.
 *
 * @param <T> an item, such as an operation of a program
 */
final class Shrinker<T> {

  private final Predicate<List<T>> fails;
  private final Function<T, List<T>> plainer;
  private final TimeLimit deadline;

  /**
   * Makes a shrinker.
   *
   * @param plainer the items to try in place of one, the plainest first; each must be plainer than
   *     that, or there is no end
   * @param deadline when what has been found so far is good enough
   */
  Shrinker(Predicate<List<T>> fails, Function<T, List<T>> plainer, TimeLimit deadline) {
    this.fails = fails;
    this.plainer = plainer;
    this.deadline = deadline;
  }

  /** Returns a list that still fails, where no item can be left out or made plainer. */
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
