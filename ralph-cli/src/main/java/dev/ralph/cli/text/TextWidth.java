package dev.ralph.cli.text;

import java.util.ArrayList;
import java.util.List;

/**
 * Computes the width of text in terminal columns. Terminals differ for composed emoji. In doubt the
 * computed width is larger, so a line that fits here also fits the terminal.
 */
public final class TextWidth {

  private static final char ELLIPSIS = '\u2026';

  /**
   * The first and last character of each range with East Asian Width (UAX 11) wide, approximately.
   */
  private static final int[][] WIDE = {
    {0x1100, 0x115f},
    {0x231a, 0x231b},
    {0x2329, 0x232a},
    {0x23e9, 0x23f3},
    {0x25fd, 0x25fe},
    {0x2614, 0x2615},
    {0x2648, 0x2653},
    {0x267f, 0x267f},
    {0x2693, 0x2693},
    {0x26a1, 0x26a1},
    {0x26aa, 0x26ab},
    {0x26bd, 0x26be},
    {0x26c4, 0x26c5},
    {0x26ce, 0x26ce},
    {0x26d4, 0x26d4},
    {0x26ea, 0x26ea},
    {0x26f2, 0x26fd},
    {0x2705, 0x2705},
    {0x270a, 0x270b},
    {0x2728, 0x2728},
    {0x274c, 0x274e},
    {0x2753, 0x2757},
    {0x2795, 0x2797},
    {0x27b0, 0x27bf},
    {0x2b1b, 0x2b1c},
    {0x2b50, 0x2b55},
    {0x2e80, 0x303e},
    {0x3041, 0x33ff},
    {0x3400, 0x4dbf},
    {0x4e00, 0x9fff},
    {0xa000, 0xa4cf},
    {0xa960, 0xa97f},
    {0xac00, 0xd7a3},
    {0xf900, 0xfaff},
    {0xfe10, 0xfe19},
    {0xfe30, 0xfe6f},
    {0xff00, 0xff60},
    {0xffe0, 0xffe6},
    {0x16fe0, 0x18cff},
    {0x1b000, 0x1b2ff},
    {0x1f004, 0x1f004},
    {0x1f0cf, 0x1f0cf},
    {0x1f18e, 0x1f19a},
    {0x1f1e6, 0x1f320},
    {0x1f32d, 0x1f64f},
    {0x1f680, 0x1f6ff},
    {0x1f7e0, 0x1f7f0},
    {0x1f900, 0x1faff},
    {0x20000, 0x3fffd},
  };

  private TextWidth() {}

  /** Returns the width in columns of a single line of {@link SafeText}. */
  public static int of(String text) {
    int columns = 0;
    for (int at = 0; at < text.length(); ) {
      int c = text.codePointAt(at);
      columns += of(c);
      at += Character.charCount(c);
    }
    return columns;
  }

  /**
   * Cuts a text to a width, and marks a cut by {@code …}. Characters are not split from their
   * combining accents.
   *
   * @param most the width in columns; the result is empty if the width is not positive
   */
  public static String cut(String text, int most) {
    int columns = 0;
    int fits = 0; // the length that fits with the ellipsis
    boolean open = true;
    for (int at = 0; at < text.length(); ) {
      int c = text.codePointAt(at);
      int width = of(c);
      columns += width;
      if (columns > most) {
        return most <= 0 ? "" : text.substring(0, fits) + ELLIPSIS;
      }
      at += Character.charCount(c);
      open = open && columns <= most - 1;
      if (open) {
        fits = at;
      }
    }
    return text;
  }

  /**
   * Splits a text into pieces of at most a given width. An empty text results in an empty piece.
   */
  public static List<String> wrap(String text, int most) {
    List<String> pieces = new ArrayList<>();
    int begin = 0;
    int columns = 0;
    for (int at = 0; at < text.length(); ) {
      int c = text.codePointAt(at);
      int width = of(c);
      if (columns + width > most && at > begin) {
        pieces.add(text.substring(begin, at));
        begin = at;
        columns = 0;
      }
      columns += width;
      at += Character.charCount(c);
    }
    pieces.add(text.substring(begin));
    return pieces;
  }

  private static int of(int c) {
    if (c < 0x300) {
      return 1;
    }
    if (c == 0xfe0f) {
      return 1; // turns the previous sign into an emoji, which is wide
    }
    int type = Character.getType(c);
    if (type == Character.NON_SPACING_MARK
        || type == Character.ENCLOSING_MARK
        || type == Character.FORMAT
        || c >= 0x1160 && c <= 0x11ff) {
      return 0;
    }
    int low = 0;
    int high = WIDE.length - 1;
    while (low <= high) {
      int middle = (low + high) >>> 1;
      if (c > WIDE[middle][1]) {
        low = middle + 1;
      } else if (c < WIDE[middle][0]) {
        high = middle - 1;
      } else {
        return 2;
      }
    }
    return 1;
  }
}
