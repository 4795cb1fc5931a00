package dev.ralph.domain;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Finds things by the beginning of their id, and knows how many characters of each id that takes.
 * Ids mostly increase, so that the things stand in their order; for others the order costs a sort,
 * so it is made when first needed, and shared by all states that have the same things in them. Safe
 * for use by many threads.
 *
 * <p>The things must be the same whenever one is asked, but may have changed in all but their ids.
 * A rank is a place in the order of the ids.
 */
final class IdIndex {

  private final boolean increasing;

  /** By rank; null until first needed. Threads that need it at once make the same. */
  private volatile int @Nullable [] order;

  /**
   * @param increasing whether each thing's id is greater than that of the one before
   */
  IdIndex(boolean increasing) {
    this.increasing = increasing;
  }

  /** Returns whether to look something up costs no sort. */
  boolean isReady() {
    return increasing || order != null;
  }

  /** Returns the index of the thing of that rank. */
  int indexOf(int rank, List<? extends Numbered> things) {
    return increasing ? rank : order(things)[rank];
  }

  private int[] order(List<? extends Numbered> things) {
    int[] known = order;
    if (known == null) {
      Integer[] byId = new Integer[things.size()];
      Arrays.setAll(byId, i -> i);
      Arrays.sort(byId, (one, other) -> things.get(one).id().compareTo(things.get(other).id()));
      known = new int[byId.length];
      for (int i = 0; i < known.length; i++) {
        known[i] = byId[i];
      }
      order = known;
    }
    return known;
  }

  private String id(int rank, List<? extends Numbered> things) {
    return things.get(indexOf(rank, things)).id();
  }

  /** Returns the rank of the first id that is the text or greater, as are those it begins. */
  int firstRank(String text, List<? extends Numbered> things) {
    int low = 0;
    int high = things.size();
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (id(middle, things).compareTo(text) < 0) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /** Returns the rank after the last id that begins with the prefix. */
  int endRank(String prefix, int firstRank, List<? extends Numbered> things) {
    int end = firstRank;
    while (end < things.size() && id(end, things).startsWith(prefix)) {
      end++;
    }
    return end;
  }

  /** Returns how many characters of its id tell a thing from all others, at least so many. */
  int shortLength(int index, int atLeast, List<? extends Numbered> things) {
    String id = things.get(index).id();
    int rank = increasing ? index : firstRank(id, things);
    int before = rank == 0 ? 0 : inCommon(id(rank - 1, things), id);
    int after = rank + 1 == things.size() ? 0 : inCommon(id, id(rank + 1, things));
    return Math.min(id.length(), Math.max(atLeast, Math.max(before, after) + 1));
  }

  private static int inCommon(String one, String other) {
    int end = Math.min(one.length(), other.length());
    int i = 0;
    while (i < end && one.charAt(i) == other.charAt(i)) {
      i++;
    }
    return i;
  }
}
