package dev.ralph.tx;

import dev.ralph.log.RalphException;

/** Text for display in a single line, without invisible characters. */
final class OneLine {

  private static final int FIRST_JOINER = 0x200c;
  private static final int LAST_JOINER = 0x200d;

  private OneLine() {}

  /**
   * Checks a text.
   *
   * @param what the kind of the text, for the error message
   * @param longest the maximum number of characters
   * @return the text
   */
  static String require(String what, String text, int longest) {
    if (text.isBlank()) {
      throw RalphException.invalid(what + " must not be blank");
    }
    if (text.length() > longest) {
      throw RalphException.invalid(
          what + " has " + text.length() + " characters; at most " + longest + " are allowed");
    }
    if (!isVisible(text)) {
      throw RalphException.invalid(
          what + " contains an invisible character or a line break: " + RalphException.quote(text));
    }
    return text;
  }

  /** Returns whether a text has neither line breaks nor other invisible characters. */
  static boolean isVisible(String text) {
    return text.codePoints().noneMatch(OneLine::isHidden);
  }

  /** Replaces line breaks and invisible characters by blanks. */
  static String visible(String text) {
    StringBuilder visible = new StringBuilder(text.length());
    text.codePoints().forEach(c -> visible.appendCodePoint(isHidden(c) ? ' ' : c));
    return visible.toString().strip();
  }

  /** Returns whether a character is invisible. Joiners are allowed: scripts and emoji need them. */
  private static boolean isHidden(int c) {
    if (c >= FIRST_JOINER && c <= LAST_JOINER) {
      return false;
    }
    return switch (Character.getType(c)) {
      case Character.CONTROL,
          Character.FORMAT,
          Character.SURROGATE,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR ->
          true;
      default -> false;
    };
  }
}
