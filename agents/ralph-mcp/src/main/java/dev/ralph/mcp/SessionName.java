package dev.ralph.mcp;

import dev.ralph.internal.NameDistance;
import dev.ralph.log.RalphException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The name of a missing session, as a model has written it.
 *
 * @param text the name
 */
record SessionName(String text) {

  /** The length from which names may match with a single different letter. */
  private static final int SHORTEST_SIMILAR = 6;

  private static final int MOST_NAMED = 10;

  /** Returns the error for a call that needs the session, with the nearest existing name. */
  String unknown(List<String> names) {
    String nearest = similar(names);
    StringBuilder words = new StringBuilder("no session ").append(RalphException.quote(text));
    if (nearest != null) {
      words.append("; did you mean ").append(RalphException.quote(nearest)).append('?');
    } else if (names.isEmpty()) {
      words.append("; no sessions yet");
    } else {
      List<String> shown = names.subList(0, Math.min(names.size(), MOST_NAMED));
      words.append("; sessions: ").append(String.join(", ", shown));
      words.append(shown.size() < names.size() ? ", ..." : "");
    }
    words.append(nearest == null ? ". " : " ");
    return words.append("task_add creates a session").toString();
  }

  /** Returns the error for creating the session, or null if no existing name is too similar. */
  @Nullable String confusedWith(List<String> names) {
    String nearest = similar(names);
    return nearest == null
        ? null
        : "no session "
            + RalphException.quote(text)
            + ", but "
            + RalphException.quote(nearest)
            + ". Use that name or create the session: ralph task add --create -n "
            + text
            + " TEXT";
  }

  /**
   * Returns an existing name with the same letters in another case, or null. Names of at least six
   * characters also match if one letter is added, missing, replaced or swapped with its neighbour.
   * Names that differ in a digit never match, because they differ on purpose.
   */
  private @Nullable String similar(List<String> names) {
    String one = null;
    for (String name : names) {
      if (name.equalsIgnoreCase(text)) {
        return name;
      }
      if (one == null && differsByOneLetter(name)) {
        one = name;
      }
    }
    return one;
  }

  private boolean differsByOneLetter(String name) {
    return Math.min(text.length(), name.length()) >= SHORTEST_SIMILAR
        && Math.abs(text.length() - name.length()) <= 1
        && NameDistance.between(text, name) == 1
        && !differsInDigit(name);
  }

  /** Returns whether a digit is added, missing, replaced or moved. */
  private boolean differsInDigit(String name) {
    if (text.length() != name.length()) {
      return !digits(text).equals(digits(name));
    }
    for (int i = 0; i < name.length(); i++) {
      boolean isDigit = Character.isDigit(text.charAt(i)) || Character.isDigit(name.charAt(i));
      if (isDigit && text.charAt(i) != name.charAt(i)) {
        return true;
      }
    }
    return false;
  }

  private static String digits(String name) {
    StringBuilder digits = new StringBuilder();
    name.chars().filter(Character::isDigit).forEach(digits::appendCodePoint);
    return digits.toString();
  }
}
