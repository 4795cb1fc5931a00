package dev.ralph.cli.text;

import dev.ralph.internal.NameDistance;
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
          typed.length() > 2 && candidate.startsWith(typed)
              ? 1
              : NameDistance.between(typed, candidate);
      // The first letter is rarely wrong.
      int unlikely = 2 * distance + (candidate.startsWith(typed.substring(0, 1)) ? 0 : 3);
      if (distance <= most && unlikely < least) {
        least = unlikely;
        nearest = candidate;
      }
    }
    return nearest;
  }
}
