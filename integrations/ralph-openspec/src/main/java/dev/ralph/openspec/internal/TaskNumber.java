package dev.ralph.openspec.internal;

import org.jspecify.annotations.Nullable;

/**
 * The number at the beginning of a task's text: {@code 2.1}, {@code 2.1a:}, and the same within
 * emphasis, code or brackets, as in {@code **2.1** text} and {@code **2.1 text**}.
 *
 * @param number two or more numbers joined by dots, optionally followed by letters
 * @param rest the text after the number
 */
record TaskNumber(String number, String rest) {

  private static final String OPENING = "*_`~[(";
  private static final String CLOSING = "*_`~])";

  /** Returns the number, or null if the text has no number at its beginning. */
  static @Nullable TaskNumber of(String text) {
    int open = 0;
    while (open < text.length() && open < 3 && OPENING.indexOf(text.charAt(open)) >= 0) {
      open++;
    }
    int end = end(text, open);
    if (end == open) {
      return null;
    }
    String number = text.substring(open, end);
    int at = mark(text, end);
    if (open == 0) {
      return isEnd(text, at) ? new TaskNumber(number, text.substring(at)) : null;
    }
    String opening = text.substring(0, open);
    int close = text.startsWith(closing(opening), end) ? end : at;
    if (text.startsWith(closing(opening), close)) {
      int behind = mark(text, close + open);
      return isEnd(text, behind) ? new TaskNumber(number, text.substring(behind)) : null;
    }
    boolean isEmphasis = "*_~".indexOf(opening.charAt(0)) >= 0;
    return isEmphasis && at < text.length() && isEnd(text, at)
        ? new TaskNumber(number, opening + MarkdownLine.strip(text.substring(at)))
        : null;
  }

  private static String closing(String opening) {
    StringBuilder closing = new StringBuilder();
    for (int i = opening.length() - 1; i >= 0; i--) {
      closing.append(CLOSING.charAt(OPENING.indexOf(opening.charAt(i))));
    }
    return closing.toString();
  }

  /** Returns the index after a punctuation mark that belongs to the number. */
  private static int mark(String text, int at) {
    return at < text.length() && ".:)".indexOf(text.charAt(at)) >= 0 ? at + 1 : at;
  }

  private static boolean isEnd(String text, int at) {
    return at == text.length() || MarkdownLine.isSpace(text.charAt(at));
  }

  /** Returns the end of the number at an index, or the index itself if none exists. */
  private static int end(String text, int from) {
    int at = MarkdownLine.skipDigits(text, from);
    int parts = at > from ? 1 : 0;
    while (parts > 0 && at < text.length() && text.charAt(at) == '.') {
      int next = MarkdownLine.skipDigits(text, at + 1);
      if (next == at + 1) {
        break;
      }
      at = next;
      parts++;
    }
    if (parts < 2) {
      return from;
    }
    while (at < text.length() && isLetter(text.charAt(at))) {
      at++;
    }
    return at;
  }

  private static boolean isLetter(char c) {
    return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z';
  }
}
