package dev.ralph.core.internal.list;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The difference between two lists of texts, as a sequence of changes.
 *
 * <p>The number of changed texts is minimal if it is at most {@value #MOST_CHANGES}. Otherwise the
 * range between the common prefix and the common suffix is replaced as a whole. Time is
 * proportional to the length of the lists times the number of changes.
 */
public final class ListDifference {

  /** The maximum number of removed and inserted texts in a search; memory grows with its square. */
  private static final int MOST_CHANGES = 1_000;

  private ListDifference() {}

  /**
   * A replaced range.
   *
   * @param at the index of the range, in the list after the previous changes
   * @param removed the number of removed texts
   * @param inserted the inserted texts
   */
  public record Change(int at, int removed, List<String> inserted) {}

  /** Returns the changes from the first list to the second, by ascending index. */
  public static List<Change> between(List<String> from, List<String> to) {
    Map<String, Integer> numbers = new HashMap<>();
    int[] old = numbered(from, numbers);
    int[] wanted = numbered(to, numbers);
    int shorter = Math.min(old.length, wanted.length);
    int begin = 0;
    while (begin < shorter && old[begin] == wanted[begin]) {
      begin++;
    }
    int end = 0;
    while (end < shorter - begin && old[old.length - 1 - end] == wanted[wanted.length - 1 - end]) {
      end++;
    }
    if (begin == old.length && begin == wanted.length) {
      return List.of();
    }
    boolean[] removed = new boolean[old.length - end - begin];
    boolean[] inserted = new boolean[wanted.length - end - begin];
    if (removed.length == 0
        || inserted.length == 0
        || !mark(old, wanted, begin, removed, inserted)) {
      Arrays.fill(removed, true);
      Arrays.fill(inserted, true);
    }
    return changes(begin, removed, inserted, to);
  }

  private static int[] numbered(List<String> texts, Map<String, Integer> numbers) {
    int[] numbered = new int[texts.size()];
    for (int i = 0; i < numbered.length; i++) {
      Integer next = numbers.size();
      Integer known = numbers.putIfAbsent(texts.get(i), next);
      numbered[i] = known == null ? next : known;
    }
    return numbered;
  }

  /**
   * Marks the texts of a shortest edit script, by Myers' greedy algorithm.
   *
   * @param begin the start index of the compared range in both lists; the lengths of the ranges are
   *     the lengths of {@code removed} and {@code inserted}
   * @return false, with no marks, if the script has more than {@value #MOST_CHANGES} texts
   */
  private static boolean mark(
      int[] old, int[] wanted, int begin, boolean[] removed, boolean[] inserted) {
    int n = removed.length;
    int m = inserted.length;
    int most = Math.min(n + m, MOST_CHANGES);
    int[] reached = new int[2 * most + 3]; // by diagonal x - y, the largest x
    int middle = most + 1;
    List<int[]> trace = new ArrayList<>();
    for (int d = 0; d <= most; d++) {
      for (int k = -d; k <= d; k += 2) {
        boolean down = k == -d || k != d && reached[middle + k - 1] < reached[middle + k + 1];
        int x = down ? reached[middle + k + 1] : reached[middle + k - 1] + 1;
        while (x < n && x - k < m && old[begin + x] == wanted[begin + x - k]) {
          x++;
        }
        reached[middle + k] = x;
        if (x >= n && x - k >= m) {
          walkBack(trace, d, n, m, removed, inserted);
          return true;
        }
      }
      int[] copy = new int[2 * d + 1];
      System.arraycopy(reached, middle - d, copy, 0, copy.length);
      trace.add(copy);
    }
    return false;
  }

  private static void walkBack(
      List<int[]> trace, int changes, int n, int m, boolean[] removed, boolean[] inserted) {
    int x = n;
    int y = m;
    for (int d = changes; d > 0; d--) {
      int[] before = trace.get(d - 1); // diagonals -(d - 1) to d - 1
      int k = x - y;
      int at = k + d - 1;
      boolean down = k == -d || k != d && reach(before, at - 1) < reach(before, at + 1);
      int fromX = down ? before[at + 1] : before[at - 1];
      if (down) {
        y = fromX - (k + 1);
        inserted[y] = true;
      } else {
        y = fromX - (k - 1);
        removed[fromX] = true;
      }
      x = fromX;
    }
  }

  private static int reach(int[] before, int at) {
    return at < 0 || at >= before.length ? 0 : before[at];
  }

  private static List<Change> changes(
      int begin, boolean[] removed, boolean[] inserted, List<String> to) {
    List<Change> changes = new ArrayList<>();
    int x = 0;
    int y = 0;
    while (x < removed.length || y < inserted.length) {
      int gone = x;
      int come = y;
      while (x < removed.length && removed[x]) {
        x++;
      }
      while (y < inserted.length && inserted[y]) {
        y++;
      }
      if (x > gone || y > come) {
        changes.add(
            new Change(begin + come, x - gone, List.copyOf(to.subList(begin + come, begin + y))));
      } else {
        x++;
        y++;
      }
    }
    return changes;
  }
}
