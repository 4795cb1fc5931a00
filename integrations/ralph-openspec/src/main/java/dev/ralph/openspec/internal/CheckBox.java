package dev.ralph.openspec.internal;

import org.jspecify.annotations.Nullable;

/**
 * The box of a task line: {@code - [ ] 2.1 Do it}. Accepts every line that OpenSpec's own tool
 * accepts: any bullet or number, at any indent. The box contains white space and at most one other
 * character.
 *
 * @param done whether the box contains an x
 * @param mark the index of the character to replace by an x. The index is -1 if there is no such
 *     character, as in {@code []}, or if the tick would create a link
 * @param text the text after the box, stripped
 */
record CheckBox(boolean done, int mark, String text) {

  /** Returns the box of a line, or null if the line is not a task. */
  static @Nullable CheckBox of(String line) {
    int bullet = MarkdownLine.afterBullet(line);
    if (bullet < 0) {
      return null;
    }
    int open = MarkdownLine.skipSpace(line, bullet);
    if (open == line.length() || line.charAt(open) != '[') {
      return null;
    }
    int at = MarkdownLine.skipSpace(line, open + 1);
    if (at == line.length()) {
      return null;
    }
    char held = line.charAt(at);
    int close = held == ']' ? at : MarkdownLine.skipSpace(line, at + 1);
    if (close == line.length() || line.charAt(close) != ']') {
      return null;
    }
    boolean empty = close == at;
    boolean blank = empty && at > open + 1;
    boolean isLink = close + 1 < line.length() && "([".indexOf(line.charAt(close + 1)) >= 0;
    if (isLink && !blank) {
      return null;
    }
    int mark = !empty ? at : blank && !isLink ? open + 1 : -1; // an x would create a link
    return new CheckBox(
        !empty && (held == 'x' || held == 'X'), mark, MarkdownLine.strip(rest(line, close + 1)));
  }

  /** Returns the rest of the line. U+2028 and U+2029 end a line too, as in JavaScript. */
  private static String rest(String line, int from) {
    int begin = MarkdownLine.skipSpace(line, from);
    int end = begin;
    while (end < line.length() && "\r\u2028\u2029".indexOf(line.charAt(end)) < 0) {
      end++;
    }
    return line.substring(begin, end);
  }
}
