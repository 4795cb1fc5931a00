package dev.ralph.core.internal.text;

import java.util.regex.Pattern;

/**
 * Stored text as a model is shown it, in prompts and in the replies of tools: nothing in it is
 * hidden, and its further lines are indented, so that no text can pass for another item, a heading
 * or a message of the operator.
 *
 * <p>What is returned goes behind the beginning of a line, such as {@code "- "}.
 */
public final class Excerpt {

  private static final String INDENT = "  ";

  /** How a redactor's words for a secret begin. */
  private static final String MARK = "[redacted: ";

  /** The built-in redactor's are shorter. */
  private static final int LONGEST_MARK = 40;

  private Excerpt() {}

  /** Returns the text as a reader would see it: every line break is one, and nothing is hidden. */
  public static String clean(String text) {
    return isPlain(text) ? text.strip() : Hidden.removedFrom(text).strip();
  }

  /** Says whether there is nothing in the text but what ASCII shows, and its lines and tabs. */
  private static boolean isPlain(String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c > '~' || (c < ' ' && c != '\n' && c != '\t')) {
        return false;
      }
    }
    return true;
  }

  /** Returns the whole text, clean; its further lines are indented. */
  public static String indented(String text) {
    return clean(text).replace("\n", "\n" + INDENT);
  }

  /**
   * Returns the text, clean, up to so many characters; its further lines are indented, and an
   * ellipsis stands for whatever is left out.
   */
  public static String indented(String text, int characters) {
    return cut(clean(text), characters).replace("\n", "\n" + INDENT);
  }

  /**
   * Returns the first line, clean, up to so many characters; an ellipsis stands for whatever is
   * left out.
   */
  public static String firstLine(String text, int characters) {
    String cleaned = clean(text);
    int end = cleaned.indexOf('\n');
    String line = end < 0 ? cleaned : cleaned.substring(0, end).stripTrailing() + " …";
    return cut(line.replace('\t', ' '), characters);
  }

  /**
   * Returns the same of a text that only the beginning was read of.
   *
   * @param beginning of so many characters at least as are to be shown, or all of the text
   * @param length of the whole text
   */
  public static String firstLine(String beginning, int length, int characters) {
    String line = firstLine(beginning, characters);
    return beginning.length() == length || line.endsWith("…") ? line : line + "…";
  }

  /**
   * Returns where to cut a text after at most so many characters, so that neither a character of
   * two {@code char}s is halved, nor a word that stands for a secret, such as {@code [redacted: API
   * key]}.
   */
  public static int end(CharSequence text, int characters) {
    int end = Math.min(text.length(), characters);
    if (end <= 0 || end == text.length()) {
      return end;
    }
    for (int at = end - 1; at >= Math.max(0, end - LONGEST_MARK); at--) {
      char c = text.charAt(at);
      if (c == ']' || c == '\n') {
        break;
      } else if (c == '[') {
        return isMark(text, at) ? at : endOfCharacter(text, end);
      }
    }
    return endOfCharacter(text, end);
  }

  private static int endOfCharacter(CharSequence text, int end) {
    return Character.isHighSurrogate(text.charAt(end - 1)) ? end - 1 : end;
  }

  private static boolean isMark(CharSequence text, int at) {
    int compared = Math.min(MARK.length(), text.length() - at);
    return MARK.contentEquals(text.subSequence(at, at + compared));
  }

  /** Returns a text, or its beginning up to so many characters and an ellipsis. */
  public static String cut(String text, int characters) {
    return text.length() <= characters ? text : text.substring(0, end(text, characters)) + "…";
  }

  /** Apart from the rest, because these patterns cost a short command milliseconds. */
  private static final class Hidden {

    private static final Pattern LINE_BREAK = Pattern.compile("\\R");

    /** Characters that a terminal obeys, or that are none. Line breaks and tabs are left. */
    private static final Pattern CONTROL = Pattern.compile("[\\p{Cc}\\p{Cs}&&[^\n\t]]");

    /**
     * Characters that nobody sees, which turn the direction of text or hide text in it. The joiners
     * are left: scripts and emoji need them.
     */
    private static final Pattern INVISIBLE =
        Pattern.compile(
            "[\\x{ad}\\x{61c}\\x{200b}\\x{200e}\\x{200f}\\x{202a}-\\x{202e}\\x{2060}-\\x{206f}"
                + "\\x{feff}\\x{fff9}-\\x{fffb}\\x{e0000}-\\x{e007f}]");

    private static String removedFrom(String text) {
      String lines = LINE_BREAK.matcher(text).replaceAll("\n");
      String visible = INVISIBLE.matcher(lines).replaceAll("");
      return CONTROL.matcher(visible).replaceAll(" ");
    }
  }
}
