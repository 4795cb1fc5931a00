package dev.ralph.cli.text;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** Suggests a correction of a mistyped word. */
public final class Suggestion {

  private Suggestion() {}

  /** Returns the candidate most similar to a typed word, or null if no candidate is similar. */
  public static @Nullable String nearest(String typed, List<String> candidates) {
    String nearest = null;
    int most = Math.min(3, 1 + typed.length() / 3);
    int least = Integer.MAX_VALUE;
    // Longer texts resemble no name, and the comparison takes quadratic time.
    if (typed.isEmpty() || typed.length() > 40) {
      return null;
    }
    for (String candidate : candidates) {
      int distance =
          typed.length() > 2 && candidate.startsWith(typed) ? 1 : distance(typed, candidate);
      // The first letter is rarely wrong.
      int unlikely = 2 * distance + (candidate.startsWith(typed.substring(0, 1)) ? 0 : 3);
      if (distance <= most && unlikely < least) {
        least = unlikely;
        nearest = candidate;
      }
    }
    return nearest;
  }

  /** Counts the letters to insert, delete, replace, or swap with a neighbour. */
  private static int distance(String from, String to) {
    int[] beforeLast = new int[to.length() + 1];
    int[] last = new int[to.length() + 1];
    int[] row = new int[to.length() + 1];
    for (int j = 0; j <= to.length(); j++) {
      last[j] = j;
    }
    for (int i = 1; i <= from.length(); i++) {
      row[0] = i;
      for (int j = 1; j <= to.length(); j++) {
        int replace = last[j - 1] + (from.charAt(i - 1) == to.charAt(j - 1) ? 0 : 1);
        row[j] = Math.min(replace, 1 + Math.min(last[j], row[j - 1]));
        boolean swapped =
            i > 1
                && j > 1
                && from.charAt(i - 1) == to.charAt(j - 2)
                && from.charAt(i - 2) == to.charAt(j - 1);
        if (swapped) {
          row[j] = Math.min(row[j], beforeLast[j - 2] + 1);
        }
      }
      int[] free = beforeLast;
      beforeLast = last;
      last = row;
      row = free;
    }
    return last[to.length()];
  }
}
