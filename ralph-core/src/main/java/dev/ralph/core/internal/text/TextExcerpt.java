package dev.ralph.core.internal.text;

import java.util.regex.Pattern;

/**
 * Renders stored text for a model, in prompts and in replies of tools. No text is hidden, and
 * continuation lines are indented. So no text can imitate another item, a heading or a message of
 * the operator.
 *
 * <p>Append the result to the start of a line, such as {@code "- "}.
 */
public final class TextExcerpt {

  private static final String INDENT = "  ";

  /** The beginning of a redactor's replacement for a secret. */
  private static final String MARK = "[redacted: ";

  /** The replacements of the built-in redactor are shorter. */
  private static final int LONGEST_MARK = 40;

  private TextExcerpt() {}

  /** Returns the visible text: line breaks are normalized, and hidden characters are removed. */
  public static String clean(String text) {
    return isPlain(text) ? text.strip() : Hidden.removedFrom(text).strip();
  }

  /** Returns whether the text has only visible ASCII characters, line feeds and tabs. */
  private static boolean isPlain(String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c > '~' || (c < ' ' && c != '\n' && c != '\t')) {
        return false;
      }
    }
    return true;
  }

  /** Returns the whole clean text with indented continuation lines. */
  public static String indented(String text) {
    return clean(text).replace("\n", "\n" + INDENT);
  }

  /**
   * Returns the clean text with indented continuation lines, cut after a number of characters and
   * an ellipsis.
   */
  public static String indented(String text, int characters) {
    return cut(clean(text), characters).replace("\n", "\n" + INDENT);
  }

  /**
   * Returns the first line of the clean text, cut after a number of characters; an ellipsis marks
   * omitted text.
   */
  public static String firstLine(String text, int characters) {
    String cleaned = clean(text);
    int end = cleaned.indexOf('\n');
    String line = end < 0 ? cleaned : cleaned.substring(0, end).stripTrailing() + " …";
    return cut(line.replace('\t', ' '), characters);
  }

  /**
   * Returns the first line of a text of which only the beginning was read.
   *
   * @param beginning at least the number of characters to show, or the whole text
   * @param length the length of the whole text
   */
  public static String firstLine(String beginning, int length, int characters) {
    String line = firstLine(beginning, characters);
    return beginning.length() == length || line.endsWith("…") ? line : line + "…";
  }

  /**
   * Returns the position at which to cut a text after a number of characters. Neither a surrogate
   * pair nor a replacement of a secret, such as {@code [redacted: API key]}, is split.
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

  /** Returns a text, or its beginning up to a number of characters with an ellipsis. */
  public static String cut(String text, int characters) {
    return text.length() <= characters ? text : text.substring(0, end(text, characters)) + "…";
  }

  /** A separate class, because compiling these patterns takes a short command milliseconds. */
  private static final class Hidden {

    private static final Pattern LINE_BREAK = Pattern.compile("\\R");

    /** Control characters and surrogates, except line breaks and tabs. */
    private static final Pattern CONTROL = Pattern.compile("[\\p{Cc}\\p{Cs}&&[^\n\t]]");

    /**
     * Invisible characters that change the text direction or hide text. Joiners are kept, because
     * scripts and emoji need them.
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
