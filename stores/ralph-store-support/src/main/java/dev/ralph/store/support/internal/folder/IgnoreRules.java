package dev.ralph.store.support.internal.folder;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Reads and writes lines of {@code .gitignore} and {@code info/exclude}, as far as needed to keep a
 * folder ignored; see gitignore(5). All texts are bytes, one character for each byte.
 */
final class IgnoreRules {

  /** Longer patterns count as a match without a comparison. */
  private static final int LONGEST = 4096;

  private IgnoreRules() {}

  /**
   * Returns the rule to ignore a folder.
   *
   * @param path the folder, relative to the folder in which the rules apply
   */
  static String lineFor(String path) {
    StringBuilder line = new StringBuilder("/");
    for (int i = 0; i < path.length(); i++) {
      char next = path.charAt(i);
      if (next == '\\' || next == '*' || next == '?' || next == '[') {
        line.append('\\');
      }
      line.append(next);
    }
    return line.append('/').toString();
  }

  /**
   * Returns the offset after a line and its line break, or -1 if the text does not contain the
   * line.
   */
  static int behind(String text, String line) {
    int at = text.indexOf(line);
    while (at >= 0) {
      int end = at + line.length();
      if ((at == 0 || text.charAt(at - 1) == '\n')
          && (end == text.length() || text.charAt(end) == '\n')) {
        return Math.min(end + 1, text.length());
      }
      at = text.indexOf(line, at + 1);
    }
    return -1;
  }

  /**
   * Returns the first line that may except a folder from the ignore rules, or null. May return a
   * line that does not match in git.
   *
   * @param from the offset of the first line to examine
   * @param path the folder, relative to the folder in which the rules apply
   */
  static @Nullable String exceptionIn(String text, int from, String path) {
    // git skips the byte order mark too
    int at = text.startsWith("\u00ef\u00bb\u00bf") ? Math.max(from, 3) : from;
    while (at < text.length()) {
      int end = text.indexOf('\n', at);
      end = end < 0 ? text.length() : end;
      if (text.charAt(at) == '!' && mayMatch(text.substring(at + 1, end), path)) {
        return text.substring(at, end).strip();
      }
      at = end + 1;
    }
    return null;
  }

  private static boolean mayMatch(String line, String path) {
    String pattern = line.stripTrailing();
    if (pattern.length() > LONGEST) {
      return true;
    }
    if (pattern.endsWith("/")) {
      pattern = pattern.substring(0, pattern.length() - 1);
    }
    int slash = pattern.indexOf('/');
    String name = slash < 0 ? path.substring(path.lastIndexOf('/') + 1) : path;
    return matches(
        (slash == 0 ? pattern.substring(1) : pattern).toLowerCase(Locale.ROOT),
        name.toLowerCase(Locale.ROOT));
  }

  /**
   * Matches with a table, because backtracking could take forever on a malicious pattern. {@code
   * reached[i]} is true if the pattern read so far matches the first i characters.
   */
  private static boolean matches(String pattern, String name) {
    boolean[] reached = new boolean[name.length() + 1];
    reached[0] = true;
    int at = 0;
    while (at < pattern.length()) {
      char next = pattern.charAt(at);
      boolean[] now = new boolean[reached.length];
      if (next == '*') {
        int end = at;
        while (end < pattern.length() && pattern.charAt(end) == '*') {
          end++;
        }
        boolean crosses = end - at > 1;
        for (int i = 0; i < now.length; i++) {
          now[i] = reached[i] || i > 0 && now[i - 1] && (crosses || name.charAt(i - 1) != '/');
        }
        at = end;
        if (crosses && at < pattern.length() && pattern.charAt(at) == '/') {
          boolean[] none = now.clone(); // "**/" also matches no folder
          boolean[] some = step(now, name, '/', false);
          for (int i = 0; i < now.length; i++) {
            now[i] = none[i] || some[i];
          }
          at++;
        }
      } else if (next == '[') {
        now = step(reached, name, next, true); // approximation: any character
        int end = pattern.indexOf(']', Math.min(at + 2, pattern.length()));
        at = end < 0 ? pattern.length() : end + 1;
      } else {
        if (next == '\\' && at + 1 < pattern.length()) {
          at++;
        }
        now = step(reached, name, pattern.charAt(at), next == '?');
        at++;
      }
      reached = now;
    }
    return reached[name.length()];
  }

  private static boolean[] step(boolean[] reached, String name, char letter, boolean any) {
    boolean[] next = new boolean[reached.length];
    for (int i = 0; i < name.length(); i++) {
      next[i + 1] = reached[i] && (any ? name.charAt(i) != '/' : name.charAt(i) == letter);
    }
    return next;
  }
}
