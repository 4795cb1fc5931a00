package dev.ralph.domain;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Finds entries by a prefix of their id, and computes the shortest unique prefix of an id. Ids
 * usually increase, so the entries are already sorted. Otherwise the index sorts the ids on first
 * use, and all states with the same entries share the index. Safe for use by many threads.
 *
 * <p>Each call must pass entries with the same ids; their other values may change. A rank is a
 * place in the order of the ids.
 */
final class IdIndex {

  private final boolean increasing;

  /** The indexes by rank; null until first needed. Several threads may compute the same array. */
  private volatile int @Nullable [] order;

  /**
   * @param increasing whether each id is greater than the id of the previous entry
   */
  IdIndex(boolean increasing) {
    this.increasing = increasing;
  }

  /** Returns whether a lookup needs no sort. */
  boolean isReady() {
    return increasing || order != null;
  }

  /** Returns the index of the entry with a rank. */
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

  /** Returns the rank of the first id that is equal to or greater than the text. */
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

  /** Returns the length of the shortest unique prefix of an id, but at least {@code atLeast}. */
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
