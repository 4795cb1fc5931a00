package dev.ralph.benchmarks;

import dev.ralph.benchmarks.Growth.Figure;
import dev.ralph.benchmarks.Growth.Point;
import dev.ralph.benchmarks.Growth.Shape;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/**
 * A chart of costs of a growing log: a panel per figure with a line per kind of store, on
 * logarithmic scales.
 */
final class GrowthPlot {

  private static final List<Shape> SHAPES = List.of(Shape.FRAMES, Shape.TASKS);
  private static final int PANEL_WIDTH = 200;
  private static final int PANEL_HEIGHT = 130;
  private static final int LEFT = 50;
  private static final int RIGHT = 15;
  private static final int ABOVE = 30;
  private static final int BELOW = 40;
  private static final int TOP = 30;

  private final List<Point> points;
  private final Svg svg =
      new Svg(
          Figure.values().length * (LEFT + PANEL_WIDTH + RIGHT),
          TOP + SHAPES.size() * (ABOVE + PANEL_HEIGHT + BELOW));

  private GrowthPlot(List<Point> points) {
    this.points = points;
  }

  /** Writes the chart as SVG. */
  static void write(List<Point> points, Path file) throws IOException {
    GrowthPlot plot = new GrowthPlot(points);
    plot.svg.legend(LEFT, 8, 2);
    for (int row = 0; row < SHAPES.size(); row++) {
      for (Figure figure : Figure.values()) {
        plot.draw(SHAPES.get(row), row, figure);
      }
    }
    plot.svg.write(file);
  }

  private void draw(Shape shape, int row, Figure figure) {
    List<Point> shown =
        points.stream()
            .filter(each -> each.shape() == shape && each.figure() == figure)
            .filter(each -> each.value() > 0)
            .toList();
    if (shown.isEmpty()) {
      return;
    }
    int x = figure.ordinal() * (LEFT + PANEL_WIDTH + RIGHT) + LEFT;
    int y = TOP + row * (ABOVE + PANEL_HEIGHT + BELOW) + ABOVE;
    Scale across = Scale.of(shown.stream().mapToDouble(Point::size).toArray(), x, x + PANEL_WIDTH);
    Scale up = Scale.of(shown.stream().mapToDouble(Point::value).toArray(), y + PANEL_HEIGHT, y);
    svg.words(x, y - 10, "start", figure.title + ", " + figure.unit);
    for (int power = across.from; power <= across.to; power++) {
      double at = across.at(Math.pow(10, power));
      svg.line(at, y, at, y + PANEL_HEIGHT, "#dddddd");
      svg.smallWords(at, y + PANEL_HEIGHT + 12, "middle", tenTo(power));
    }
    for (int power = up.from; power <= up.to; power++) {
      double at = up.at(Math.pow(10, power));
      svg.line(x, at, x + PANEL_WIDTH, at, "#dddddd");
      svg.smallWords(x - 5, at + 3, "end", tenTo(power));
    }
    svg.smallWords(x + PANEL_WIDTH / 2.0, y + PANEL_HEIGHT + 26, "middle", shape.unit);
    for (int kind = 0; kind < Comparison.KINDS.size(); kind++) {
      String name = Comparison.KINDS.get(kind);
      draw(shown.stream().filter(each -> each.kind().equals(name)).toList(), kind, across, up);
    }
  }

  /** Draws the points of a kind of store, connected by lines. */
  private void draw(List<Point> ofKind, int kind, Scale across, Scale up) {
    String colour = Svg.COLOURS.get(kind);
    for (int i = 0; i < ofKind.size(); i++) {
      double x = across.at(ofKind.get(i).size());
      double y = up.at(ofKind.get(i).value());
      svg.dot(x, y, colour);
      if (i > 0) {
        Point before = ofKind.get(i - 1);
        svg.line(across.at(before.size()), up.at(before.value()), x, y, colour);
      }
    }
  }

  private static String tenTo(int power) {
    return power < 0
        ? String.format(Locale.ROOT, "%." + -power + "f", Math.pow(10, power))
        : power < 3 ? "" + (int) Math.pow(10, power) : thousands(power);
  }

  private static String thousands(int power) {
    int first = (int) Math.pow(10, power % 3);
    return first + List.of("", " k", " M", " G").get(power / 3);
  }

  /**
   * A logarithmic scale.
   *
   * @param from the power of ten at {@code begin}
   * @param to the power of ten at {@code end}
   * @param begin the first pixel
   * @param end the last pixel
   */
  private record Scale(int from, int to, double begin, double end) {

    static Scale of(double[] values, double begin, double end) {
      double least = Measured.percentile(values, 0);
      double most = Measured.percentile(values, 1);
      int from = (int) Math.floor(Math.log10(least));
      int to = Math.max(from + 1, (int) Math.ceil(Math.log10(most)));
      return new Scale(from, to, begin, end);
    }

    double at(double value) {
      return begin + (Math.log10(value) - from) / (to - from) * (end - begin);
    }
  }
}
