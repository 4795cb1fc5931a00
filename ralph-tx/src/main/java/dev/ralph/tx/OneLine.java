package dev.ralph.tx;

import dev.ralph.log.RalphException;

/** Text that is shown as it is, in a line among others: nothing in it is hidden. */
final class OneLine {

  private static final int FIRST_JOINER = 0x200c;
  private static final int LAST_JOINER = 0x200d;

  private OneLine() {}

  /**
   * Checks text.
   *
   * @param what what the text is, as the error message calls it
   * @param longest how many characters it may have
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
          what
              + " holds a character that can't be seen, or a line break: "
              + RalphException.quote(text));
    }
    return text;
  }

  /** Returns whether a text has no line break and nothing else that can't be seen. */
  static boolean isVisible(String text) {
    return text.codePoints().noneMatch(OneLine::isHidden);
  }

  /** Returns the text with a blank in the place of each line break and of what can't be seen. */
  static String visible(String text) {
    StringBuilder visible = new StringBuilder(text.length());
    text.codePoints().forEach(c -> visible.appendCodePoint(isHidden(c) ? ' ' : c));
    return visible.toString().strip();
  }

  /** The joiners are not: scripts and emoji need them. */
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
