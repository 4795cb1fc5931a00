package dev.ralph.benchmarks;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * A chart of store comparisons: a bar per task and kind, with the speed relative to the first kind
 * on a logarithmic scale.
 */
final class Plot {

  private static final int LABEL_WIDTH = 300;
  private static final int BARS_WIDTH = 420;
  private static final int FIGURE_WIDTH = 130;
  private static final int BAR_HEIGHT = 9;
  private static final int GAP = 8;
  private static final int TOP = 58;
  private static final int GROUP = Comparison.KINDS.size() * BAR_HEIGHT + GAP;

  /** The maximum length of a bar, in doublings; longer bars are cut. */
  private static final double MOST_DOUBLINGS = 6;

  private final Svg svg;

  private Plot(int height) {
    this.svg = new Svg(LABEL_WIDTH + BARS_WIDTH + FIGURE_WIDTH, height);
    svg.legend(LABEL_WIDTH, 8, Comparison.KINDS.size());
    for (double doublings = -MOST_DOUBLINGS; doublings <= MOST_DOUBLINGS; doublings += 2) {
      double x = x(doublings);
      svg.line(x, TOP - 14, x, height - GAP, doublings == 0 ? "#444444" : "#dddddd");
      String factor = doublings < 0 ? "1/" + (1 << (int) -doublings) : "" + (1 << (int) doublings);
      svg.words(x, TOP - 20, "middle", factor + " x");
    }
  }

  /** Writes the chart as SVG. */
  static void write(List<Comparison> comparisons, Path file) throws IOException {
    Plot plot = new Plot(TOP + comparisons.size() * GROUP + GAP);
    for (int i = 0; i < comparisons.size(); i++) {
      plot.draw(comparisons.get(i), TOP + i * GROUP);
    }
    plot.svg.write(file);
  }

  private void draw(Comparison comparison, int y) {
    svg.words(LABEL_WIDTH - 10, y + 18, "end", comparison.name());
    for (int i = 0; i < Comparison.KINDS.size(); i++) {
      String kind = Comparison.KINDS.get(i);
      if (!comparison.has(kind)) {
        continue;
      }
      double doublings = Math.log(comparison.speed(kind)) / Math.log(2);
      double end = x(Math.max(-MOST_DOUBLINGS, Math.min(MOST_DOUBLINGS, doublings)));
      int top = y + i * BAR_HEIGHT;
      double width = Math.max(1, Math.abs(end - x(0)));
      svg.box(Math.min(x(0), end), top, width, BAR_HEIGHT - 1, Svg.COLOURS.get(i));
      svg.smallWords(
          LABEL_WIDTH + BARS_WIDTH + 8, top + BAR_HEIGHT - 1, "start", comparison.figure(kind));
    }
  }

  private static double x(double doublings) {
    return LABEL_WIDTH + BARS_WIDTH / 2.0 * (1 + doublings / MOST_DOUBLINGS);
  }
}
