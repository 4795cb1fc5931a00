package dev.ralph.openspec.internal;

import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Classifies lines of Markdown by the rules of OpenSpec's own tool. These differ from CommonMark: a
 * task counts in every place, even in a block of code.
 */
final class MarkdownLine {

  private MarkdownLine() {}

  /** Returns whether JavaScript treats a character as white space, as OpenSpec's patterns do. */
  static boolean isSpace(char c) {
    return switch (c) {
      case '\t', '\n', '\u000B', '\f', '\r', ' ' -> true;
      case '\u00A0', '\u1680', '\u2028', '\u2029', '\u202F', '\u205F', '\u3000', '\uFEFF' -> true;
      default -> c >= '\u2000' && c <= '\u200A';
    };
  }

  static String strip(String text) {
    int end = text.length();
    while (end > 0 && isSpace(text.charAt(end - 1))) {
      end--;
    }
    return text.substring(skipSpace(text, 0, end), end);
  }

  static int skipSpace(String line, int from) {
    return skipSpace(line, from, line.length());
  }

  private static int skipSpace(String line, int from, int end) {
    int at = from;
    while (at < end && isSpace(line.charAt(at))) {
      at++;
    }
    return at;
  }

  /** Returns the index after the bullet or number of a list item, or -1 if none exists. */
  static int afterBullet(String line) {
    int at = skipSpace(line, 0);
    if (at == line.length()) {
      return -1;
    }
    if ("-*+".indexOf(line.charAt(at)) >= 0) {
      return at + 1;
    }
    int digits = skipDigits(line, at);
    boolean numbered =
        digits > at
            && digits - at <= 9
            && digits < line.length()
            && ".)".indexOf(line.charAt(digits)) >= 0;
    return numbered ? digits + 1 : -1;
  }

  static int skipDigits(String line, int from) {
    int at = from;
    while (at < line.length() && line.charAt(at) >= '0' && line.charAt(at) <= '9') {
      at++;
    }
    return at;
  }

  /**
   * Returns the level of a heading, the number of its {@code #}, or 0 if the line is not a heading.
   */
  static int headingLevel(String line) {
    int begin = 0;
    while (begin < 3 && begin < line.length() && line.charAt(begin) == ' ') {
      begin++;
    }
    int at = begin;
    while (at < line.length() && line.charAt(at) == '#') {
      at++;
    }
    boolean ends = at == line.length() || isSpace(line.charAt(at));
    return ends && at - begin <= 6 ? at - begin : 0;
  }

  /** Returns the text of a heading, without the {@code #} before and after it. */
  static String headingText(String line) {
    String text = strip(line);
    int from = 0;
    while (from < text.length() && text.charAt(from) == '#') {
      from++;
    }
    text = strip(text.substring(from));
    int end = text.length();
    while (end > 0 && text.charAt(end - 1) == '#') {
      end--;
    }
    boolean closes = end < text.length() && (end == 0 || " \t".indexOf(text.charAt(end - 1)) >= 0);
    return closes ? strip(text.substring(0, end)) : text;
  }

  static boolean isBlank(String line) {
    return skipSpace(line, 0) == line.length();
  }

  /** Returns the characters of the fence that begins a block of code, or an empty text. */
  static String fence(String line) {
    int at = skipSpace(line, 0);
    int end = at;
    while (end < line.length()
        && line.charAt(end) == line.charAt(at)
        && "`~".indexOf(line.charAt(end)) >= 0) {
      end++;
    }
    return end - at >= 3 ? line.substring(at, end) : "";
  }

  /**
   * Returns the indexes of the lines in fenced blocks of code, including the fences. A fence
   * without an end does not begin a block.
   */
  static BitSet code(List<String> lines) {
    BitSet code = new BitSet();
    Map<Character, Integer> unclosed = new HashMap<>(); // a longer fence has no end either
    for (int begin = 0; begin < lines.size(); begin++) {
      String fence = fence(lines.get(begin));
      if (fence.isEmpty()
          || fence.length() >= unclosed.getOrDefault(fence.charAt(0), Integer.MAX_VALUE)) {
        continue;
      }
      int end = closing(lines, begin + 1, fence);
      if (end < 0) {
        unclosed.put(fence.charAt(0), fence.length());
      } else {
        code.set(begin, end + 1);
        begin = end;
      }
    }
    return code;
  }

  private static int closing(List<String> lines, int from, String fence) {
    for (int i = from; i < lines.size(); i++) {
      if (fence(lines.get(i)).startsWith(fence)
          && strip(lines.get(i)).equals(fence(lines.get(i)))) {
        return i;
      }
    }
    return -1;
  }
}
