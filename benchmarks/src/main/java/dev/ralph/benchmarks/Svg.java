package dev.ralph.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/** Builds an SVG image of lines, boxes and text. Lengths are pixels from the upper left corner. */
final class Svg {

  /** The colours of the store kinds, in the order of {@link Comparison#KINDS}. */
  static final List<String> COLOURS = List.of("#777777", "#d9822b", "#3b6ea8");

  private final StringBuilder text = new StringBuilder();

  Svg(int width, int height) {
    add(
        "<svg xmlns='http://www.w3.org/2000/svg' width='%d' height='%d' viewBox='0 0 %d %d'"
            + " font-family='sans-serif' font-size='11'>%n<rect width='100%%' height='100%%'"
            + " fill='#ffffff'/>%n",
        width, height, width, height);
  }

  /** Draws the legend of the colours, from left to right. */
  void legend(int x, int y, int kinds) {
    for (int i = 0; i < kinds; i++) {
      int left = x + i * 90;
      box(left, y, 10, 10, COLOURS.get(i));
      words(left + 14, y + 9, "start", Comparison.KINDS.get(i));
    }
  }

  void box(double x, double y, double width, double height, String colour) {
    add(
        "<rect x='%.1f' y='%.1f' width='%.1f' height='%.1f' fill='%s'/>%n",
        x, y, width, height, colour);
  }

  void line(double x1, double y1, double x2, double y2, String colour) {
    add("<line x1='%.1f' y1='%.1f' x2='%.1f' y2='%.1f' stroke='%s'/>%n", x1, y1, x2, y2, colour);
  }

  void dot(double x, double y, String colour) {
    add("<circle cx='%.1f' cy='%.1f' r='2.5' fill='%s'/>%n", x, y, colour);
  }

  /**
   * Draws a line of text.
   *
   * @param x the horizontal position
   * @param y the vertical position
   * @param anchor the part of the text at this position: {@code start}, {@code middle} or {@code
   *     end}
   * @param words the text
   */
  void words(double x, double y, String anchor, String words) {
    add("<text x='%.1f' y='%.1f' text-anchor='%s'>%s</text>%n", x, y, anchor, words);
  }

  /** Draws a line of small text. */
  void smallWords(double x, double y, String anchor, String words) {
    add("<text x='%.1f' y='%.1f' text-anchor='%s' font-size='9'>%s</text>%n", x, y, anchor, words);
  }

  private void add(String form, Object... values) {
    text.append(String.format(Locale.ROOT, form, values));
  }

  void write(Path file) throws IOException {
    Files.writeString(file, text + "</svg>\n");
  }
}
