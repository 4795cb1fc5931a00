package dev.ralph.domain;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Finds things by the beginning of their id, and knows how much of each id it takes. It costs a
 * sort, so it is built when first needed, and shared by all states that have the same things in
 * them. Safe for use by many threads.
 */
final class IdIndex {

  /** Null until first needed. Threads that need it at once make the same. */
  private volatile @Nullable Sorted sorted;

  boolean isBuilt() {
    return sorted != null;
  }

  /** Returns the index of the given things, which are the same whenever this is called. */
  Sorted of(List<? extends Numbered> things) {
    Sorted known = sorted;
    if (known == null) {
      known = new Sorted(things);
      sorted = known;
    }
    return known;
  }

  /** The ids in order. A rank is a place in this order. */
  static final class Sorted {
    private final String[] ids;
    private final int[] order;
    private final int[] shortLength;

    private Sorted(List<? extends Numbered> things) {
      int size = things.size();
      Integer[] byId = new Integer[size];
      Arrays.setAll(byId, i -> i);
      Arrays.sort(byId, (one, other) -> things.get(one).id().compareTo(things.get(other).id()));
      ids = new String[size];
      order = new int[size];
      shortLength = new int[size];
      for (int i = 0; i < size; i++) {
        order[i] = byId[i];
        ids[i] = things.get(byId[i]).id();
      }
      int before = 0;
      for (int i = 0; i < size; i++) {
        int after = i + 1 < size ? inCommon(ids[i], ids[i + 1]) : 0;
        int needed = Math.max(References.SHORTEST, Math.max(before, after) + 1);
        shortLength[order[i]] = Math.min(needed, ids[i].length());
        before = after;
      }
    }

    private static int inCommon(String one, String other) {
      int end = Math.min(one.length(), other.length());
      int i = 0;
      while (i < end && one.charAt(i) == other.charAt(i)) {
        i++;
      }
      return i;
    }

    /** Returns the rank of the first id that begins with the prefix, if any does. */
    int firstRank(String prefix) {
      int found = Arrays.binarySearch(ids, prefix);
      return found < 0 ? -found - 1 : found;
    }

    /** Returns the rank after the last id that begins with the prefix. */
    int endRank(String prefix, int firstRank) {
      int end = firstRank;
      while (end < ids.length && ids[end].startsWith(prefix)) {
        end++;
      }
      return end;
    }

    /** Returns the index of the thing of that rank. */
    int indexOf(int rank) {
      return order[rank];
    }

    /** Returns how many characters of its id tell a thing from all others. */
    int shortLength(int index) {
      return shortLength[index];
    }
  }
}
