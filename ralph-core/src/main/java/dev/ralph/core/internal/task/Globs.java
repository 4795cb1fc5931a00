package dev.ralph.core.internal.task;

import dev.ralph.log.RalphException;
import java.util.List;

/**
 * What tasks say that they touch: paths in a repository, which stand for what is below them as
 * well, and patterns. Whether two of them can mean the same file is told from how they begin, up to
 * the first character that is not taken literally: a file too many is better than two agents in
 * one.
 */
public final class Globs {

  private static final int MOST = 50;
  private static final int LONGEST = 500;
  private static final String NOT_LITERAL = "*?[]{}!\\";

  private Globs() {}

  /**
   * @throws RalphException INVALID if one is blank, longer than 500 characters, or leads out of the
   *     repository, or if there are more than 50
   */
  static void check(List<String> globs) {
    if (globs.size() > MOST) {
      throw RalphException.invalid(
          "a task can name at most "
              + MOST
              + " patterns of what it touches, not "
              + globs.size()
              + "; name folders instead");
    }
    for (String glob : globs) {
      if (glob.isBlank() || glob.length() > LONGEST || glob.chars().anyMatch(c -> c < ' ')) {
        throw RalphException.invalid(
            "what a task touches is a pattern of 1 to "
                + LONGEST
                + " characters, such as src/login/**, not "
                + RalphException.quote(glob));
      }
      if (glob.startsWith("/") || List.of(glob.split("[/\\\\]", -1)).contains("..")) {
        throw RalphException.invalid(
            "what a task touches is within the repository, such as src/login/**, not "
                + RalphException.quote(glob));
      }
    }
  }

  /** Returns whether a file may exist that patterns of both mean. */
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
   * Returns how every path begins that a pattern means, in lower case, because some file systems
   * take both as the same. A path without a pattern is followed by a slash: it means that file, or
   * what is below that folder.
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

  /** Characters other than those of ASCII can be written in several ways. */
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
