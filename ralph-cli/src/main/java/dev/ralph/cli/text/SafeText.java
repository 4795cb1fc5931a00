package dev.ralph.cli.text;

import java.util.regex.Pattern;

/**
 * Makes stored text safe to print. The author of a task or a message must not move the reader's
 * cursor, recolour the screen or reverse a line. Control characters, direction overrides and
 * unpaired surrogates are printed as {@code \}{@code u001b} instead.
 */
public final class SafeText {

  private static final char[] HEX = "0123456789abcdef".toCharArray();

  private SafeText() {}

  /** Escapes control characters except line breaks and tabs. */
  public static String text(String text) {
    return visible(text, true);
  }

  /** Escapes control characters, and indents all lines after the first. */
  public static String indented(String text) {
    return text(text).replace("\n", "\n    ");
  }

  /** Escapes control characters including line breaks and tabs, so the result is a single line. */
  public static String line(String text) {
    return visible(text, false);
  }

  /**
   * Returns the final appearance of a program's line on a terminal, without control sequences and
   * overwritten text. Tabs are kept; remaining control characters are escaped.
   */
  public static String printed(String line) {
    String text = line.indexOf('\u001b') < 0 ? line : Painted.removedFrom(line);
    int end = text.length();
    while (end > 0 && text.charAt(end - 1) == '\r') {
      end--;
    }
    return text(text.substring(text.lastIndexOf('\r', end - 1) + 1, end));
  }

  private static String visible(String text, boolean keepLayout) {
    for (int i = 0; i < text.length(); i++) {
      if (!isSafe(text, i, keepLayout)) {
        return escapeFrom(text, i, keepLayout);
      }
    }
    return text;
  }

  private static String escapeFrom(String text, int first, boolean keepLayout) {
    StringBuilder safe = new StringBuilder(text.length() + 16).append(text, 0, first);
    for (int i = first; i < text.length(); i++) {
      char c = text.charAt(i);
      if (isSafe(text, i, keepLayout)) {
        safe.append(c);
      } else if (c == '\r' && keepLayout && i + 1 < text.length() && text.charAt(i + 1) == '\n') {
        // Of a CR LF line break, only the LF is kept.
        continue;
      } else if (c == '\n') {
        safe.append("\\n");
      } else if (c == '\t') {
        safe.append("\\t");
      } else {
        safe.append("\\u");
        for (int shift = 12; shift >= 0; shift -= 4) {
          safe.append(HEX[c >> shift & 15]);
        }
      }
    }
    return safe.toString();
  }

  private static boolean isSafe(String text, int index, boolean keepLayout) {
    char c = text.charAt(index);
    if (c < ' ') {
      return keepLayout && (c == '\n' || c == '\t');
    }
    if (c < 0x7f) {
      return true;
    }
    if (c <= 0x9f) {
      return false;
    }
    if (Character.isHighSurrogate(c)) {
      return index + 1 < text.length() && Character.isLowSurrogate(text.charAt(index + 1));
    }
    if (Character.isLowSurrogate(c)) {
      return index > 0 && Character.isHighSurrogate(text.charAt(index - 1));
    }
    boolean turnsDirection =
        (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069) || c == 0x200e || c == 0x200f;
    return !turnsDirection && c != 0x2028 && c != 0x2029;
  }

  /** A separate class, because the pattern costs a short command a millisecond. */
  private static final class Painted {

    /** Matches the control sequences for colours, cursor movements, titles and links. */
    private static final Pattern SEQUENCE =
        Pattern.compile("\u001b(\\[[0-?]*[ -/]*[@-~]|\\][^\u0007\u001b]*(\u0007|\u001b\\\\))");

    private static String removedFrom(String line) {
      return SEQUENCE.matcher(line).replaceAll("");
    }
  }
}
