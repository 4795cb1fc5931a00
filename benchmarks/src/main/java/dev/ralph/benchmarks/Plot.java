package dev.ralph.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/**
 * A picture of what stores do side by side: for each task a bar for each kind, as many times as
 * fast as the first kind, on a scale on which a step is a factor.
 */
final class Plot {

  private static final int LABEL_WIDTH = 300;
  private static final int BARS_WIDTH = 420;
  private static final int FIGURE_WIDTH = 130;
  private static final int BAR_HEIGHT = 9;
  private static final int GAP = 8;
  private static final int TOP = 58;
  private static final List<String> COLOURS = List.of("#777777", "#d9822b", "#3b6ea8");

  /** A bar that would be longer ends here. */
  private static final double MOST_DOUBLINGS = 6;

  private final StringBuilder svg = new StringBuilder();

  private Plot() {}

  /** Writes the picture as SVG. */
  static void write(List<Comparison> comparisons, Path file) throws IOException {
    Plot plot = new Plot();
    plot.draw(comparisons);
    Files.writeString(file, plot.svg);
  }

  private void draw(List<Comparison> comparisons) {
    int group = Comparison.KINDS.size() * BAR_HEIGHT + GAP;
    int height = TOP + comparisons.size() * group + GAP;
    int width = LABEL_WIDTH + BARS_WIDTH + FIGURE_WIDTH;
    add(
        "<svg xmlns='http://www.w3.org/2000/svg' width='%d' height='%d' viewBox='0 0 %d %d'"
            + " font-family='sans-serif' font-size='11'>%n<rect width='100%%' height='100%%'"
            + " fill='#ffffff'/>%n",
        width, height, width, height);
    for (int i = 0; i < COLOURS.size(); i++) {
      int x = LABEL_WIDTH + i * 90;
      add("<rect x='%d' y='8' width='10' height='10' fill='%s'/>%n", x, COLOURS.get(i));
      text(x + 14, 17, "start", Comparison.KINDS.get(i));
    }
    for (double doublings = -MOST_DOUBLINGS; doublings <= MOST_DOUBLINGS; doublings += 2) {
      double x = x(doublings);
      add(
          "<line x1='%.1f' y1='%d' x2='%.1f' y2='%d' stroke='%s'/>%n",
          x, TOP - 14, x, height - GAP, doublings == 0 ? "#444444" : "#dddddd");
      String factor = doublings < 0 ? "1/" + (1 << (int) -doublings) : "" + (1 << (int) doublings);
      text(x, TOP - 20, "middle", factor + " x");
    }
    for (int i = 0; i < comparisons.size(); i++) {
      draw(comparisons.get(i), TOP + i * group);
    }
    add("</svg>%n");
  }

  private void draw(Comparison comparison, int y) {
    text(LABEL_WIDTH - 10, y + 18, "end", comparison.name());
    for (int i = 0; i < Comparison.KINDS.size(); i++) {
      String kind = Comparison.KINDS.get(i);
      if (!comparison.has(kind)) {
        continue;
      }
      double doublings = Math.log(comparison.speed(kind)) / Math.log(2);
      double end = x(Math.max(-MOST_DOUBLINGS, Math.min(MOST_DOUBLINGS, doublings)));
      double from = Math.min(x(0), end);
      int top = y + i * BAR_HEIGHT;
      add(
          "<rect x='%.1f' y='%d' width='%.1f' height='%d' fill='%s'/>%n",
          from, top, Math.max(1, Math.abs(end - x(0))), BAR_HEIGHT - 1, COLOURS.get(i));
      svg.append("<g font-size='9'>");
      text(LABEL_WIDTH + BARS_WIDTH + 8, top + BAR_HEIGHT - 1, "start", comparison.figure(kind));
      svg.append("</g>\n");
    }
  }

  private static double x(double doublings) {
    return LABEL_WIDTH + BARS_WIDTH / 2.0 * (1 + doublings / MOST_DOUBLINGS);
  }

  private void text(double x, int y, String anchor, String text) {
    add("<text x='%.1f' y='%d' text-anchor='%s'>%s</text>%n", x, y, anchor, text);
  }

  private void add(String form, Object... values) {
    svg.append(String.format(Locale.ROOT, form, values));
  }
}
