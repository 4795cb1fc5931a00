package dev.ralph.store.support.internal.folder;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The lines of a {@code .gitignore}, or of {@code info/exclude}, as far as it takes to keep a
 * folder ignored; see gitignore(5). Texts are bytes, a character each.
 */
final class IgnoreRules {

  /** A longer pattern is not looked at, but taken to match. */
  private static final int LONGEST = 4096;

  private IgnoreRules() {}

  /**
   * Returns the line that ignores a folder and nothing else.
   *
   * @param path relative to where the line counts
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

  /** Returns where that line ends in the text, behind its line break if it has one; -1 if none. */
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
   * Returns the first line that may say that a folder is not ignored, or null. It may say so of a
   * few more than git would take it for.
   *
   * @param from where in the text to begin, at the beginning of a line
   * @param path relative to the folder that the text is for
   */
  static @Nullable String exceptionIn(String text, int from, String path) {
    int at = text.startsWith("\u00ef\u00bb\u00bf") ? Math.max(from, 3) : from; // git skips that too
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
   * Matches by a table instead of by trying, because the pattern may be made so that trying takes
   * for ever: {@code reached[i]} says whether what was read of the pattern can match the first i
   * letters.
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
          boolean[] none = now.clone(); // "**/" may stand for no folder at all
          boolean[] some = step(now, name, '/', false);
          for (int i = 0; i < now.length; i++) {
            now[i] = none[i] || some[i];
          }
          at++;
        }
      } else if (next == '[') {
        now = step(reached, name, next, true); // any letter will do
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
