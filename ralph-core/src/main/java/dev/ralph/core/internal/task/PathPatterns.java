package dev.ralph.core.internal.task;

import dev.ralph.log.RalphException;
import java.util.List;

/**
 * The paths and patterns that tasks touch. A path includes all files below it. Two patterns overlap
 * if one literal prefix starts with the other literal prefix. The test may report an overlap too
 * many, which is safer than two agents in one file.
 */
public final class PathPatterns {

  private static final int MOST = 50;
  private static final int LONGEST = 500;
  private static final String NOT_LITERAL = "*?[]{}!\\";

  private PathPatterns() {}

  /**
   * Validates patterns.
   *
   * @throws RalphException INVALID if there are more than 50 patterns; also if a pattern is blank,
   *     has a control character or more than 500 characters, or leads out of the repository
   */
  static void check(List<String> globs) {
    if (globs.size() > MOST) {
      throw RalphException.invalid(
          "a task can have at most "
              + MOST
              + " patterns in touches, not "
              + globs.size()
              + "; use patterns of folders");
    }
    for (String glob : globs) {
      if (glob.isBlank() || glob.length() > LONGEST || glob.chars().anyMatch(c -> c < ' ')) {
        throw RalphException.invalid(
            "a pattern in touches must have 1 to "
                + LONGEST
                + " characters, such as src/login/**, not "
                + RalphException.quote(glob));
      }
      if (glob.startsWith("/") || List.of(glob.split("[/\\\\]", -1)).contains("..")) {
        throw RalphException.invalid(
            "a pattern in touches must be within the repository, such as src/login/**, not "
                + RalphException.quote(glob));
      }
    }
  }

  /** Returns whether a file may match patterns of both lists. */
  public static boolean overlap(List<String> some, List<String> others) {
    for (String one : some) {
      for (String other : others) {
        if (overlap(one, other)) {
          return true;
        }
      }
    }
    return false;
  }

  private static boolean overlap(String one, String other) {
    String begins = beginning(one);
    String otherBegins = beginning(other);
    return begins.length() <= otherBegins.length()
        ? otherBegins.startsWith(begins)
        : begins.startsWith(otherBegins);
  }

  /**
   * Returns the literal prefix of all matching paths, in lower case because some file systems
   * ignore case. A path without a pattern ends with a slash: the pattern matches the file, and the
   * files below the folder.
   */
  private static String beginning(String glob) {
    StringBuilder begins = new StringBuilder();
    for (String name : glob.split("/", -1)) {
      if (name.isEmpty() || name.equals(".")) {
        continue;
      }
      int literal = literal(name);
      if (literal < name.length() || name.equals("..")) {
        return begins.append(name.equals("..") ? "" : lower(name.substring(0, literal))).toString();
      }
      begins.append(lower(name)).append('/');
    }
    return begins.toString();
  }

  /**
   * Returns the length of the literal prefix. Ends before characters beyond ASCII, which have
   * several encodings.
   */
  private static int literal(String name) {
    int end = 0;
    while (end < name.length()
        && name.charAt(end) < 128
        && NOT_LITERAL.indexOf(name.charAt(end)) < 0) {
      end++;
    }
    return end;
  }

  private static String lower(String ascii) {
    StringBuilder lower = new StringBuilder(ascii);
    for (int i = 0; i < ascii.length(); i++) {
      char c = ascii.charAt(i);
      lower.setCharAt(i, c >= 'A' && c <= 'Z' ? (char) (c + ('a' - 'A')) : c);
    }
    return lower.toString();
  }
}
