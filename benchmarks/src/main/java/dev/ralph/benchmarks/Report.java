package dev.ralph.benchmarks;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The table of what was measured. */
final class Report {

  private final List<Row> rows = new ArrayList<>();
  private final List<Comparison> comparisons = new ArrayList<>();

  /** What a figure is measured by. */
  enum Bound {
    /** The ratio of ours to the baseline must not be less. */
    RATIO_AT_LEAST("ratio >= "),
    /** The ratio of ours to the baseline must not be more. */
    RATIO_AT_MOST("ratio <= "),
    /** Our figure must not be more. */
    OURS_AT_MOST("ours <= "),
    /** Our figure must not be more than the baseline by more. */
    OVER_BASELINE_AT_MOST("ours - baseline <= "),
    /** There is no goal. */
    NONE("reported");

    private final String text;

    Bound(String text) {
      this.text = text;
    }
  }

  /**
   * A goal.
   *
   * @param bound what must be within the limit
   * @param limit of no meaning without a bound
   */
  record Goal(Bound bound, double limit) {

    static final Goal NONE = new Goal(Bound.NONE, 0);

    static Goal atLeast(double ratio) {
      return new Goal(Bound.RATIO_AT_LEAST, ratio);
    }

    static Goal atMost(double ratio) {
      return new Goal(Bound.RATIO_AT_MOST, ratio);
    }

    static Goal oursAtMost(double limit) {
      return new Goal(Bound.OURS_AT_MOST, limit);
    }

    static Goal overBaselineAtMost(double limit) {
      return new Goal(Bound.OVER_BASELINE_AT_MOST, limit);
    }

    @Override
    public String toString() {
      return bound == Bound.NONE ? bound.text : bound.text + figure(limit);
    }
  }

  /**
   * A line of the table.
   *
   * @param baseline NaN where there is none
   */
  private record Row(String name, String unit, double ours, double baseline, Goal goal) {

    double ratio() {
      return ours / baseline;
    }

    @Nullable Boolean isMet() {
      return switch (goal.bound) {
        case RATIO_AT_LEAST -> ratio() >= goal.limit;
        case RATIO_AT_MOST -> ratio() <= goal.limit;
        case OURS_AT_MOST -> ours <= goal.limit;
        case OVER_BASELINE_AT_MOST -> ours - baseline <= goal.limit;
        case NONE -> null;
      };
    }

    String[] cells() {
      Boolean met = isMet();
      return new String[] {
        name,
        unit,
        figure(ours),
        Double.isNaN(baseline) ? "-" : figure(baseline),
        Double.isNaN(baseline) ? "-" : figure(ratio()),
        goal.toString(),
        met == null ? "-" : met ? "yes" : "NO"
      };
    }
  }

  /** Adds what kinds of stores do side by side. */
  void add(Comparison comparison) {
    comparisons.add(comparison);
  }

  List<Comparison> comparisons() {
    return comparisons;
  }

  /** Adds a figure beside its baseline. */
  void add(String name, String unit, double ours, double baseline, Goal goal) {
    rows.add(new Row(name, unit, ours, baseline, goal));
  }

  /** Adds a figure that stands for itself. */
  void add(String name, String unit, double ours, Goal goal) {
    add(name, unit, ours, Double.NaN, goal);
  }

  /** Returns the value in the middle, or between the two in the middle. */
  static double median(double... samples) {
    double[] sorted = samples.clone();
    Arrays.sort(sorted);
    int middle = sorted.length / 2;
    return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }

  /** Returns the tables as text. */
  String text() {
    String text = "";
    if (!rows.isEmpty()) {
      List<String[]> lines = new ArrayList<>();
      lines.add(new String[] {"name", "unit", "ours", "baseline", "ratio", "goal", "met"});
      rows.forEach(row -> lines.add(row.cells()));
      text = table(lines, 2, 4);
    }
    if (!comparisons.isEmpty()) {
      List<String[]> lines = new ArrayList<>();
      lines.add(Comparison.head());
      comparisons.forEach(comparison -> lines.add(comparison.cells()));
      text += (text.isEmpty() ? "" : "\n") + table(lines, 2, lines.get(0).length - 1);
    }
    return text;
  }

  private static String table(List<String[]> lines, int firstNumber, int lastNumber) {
    int[] widths = new int[lines.get(0).length];
    for (String[] line : lines) {
      for (int i = 0; i < widths.length; i++) {
        widths[i] = Math.max(widths[i], line[i].length());
      }
    }
    StringBuilder text = new StringBuilder();
    for (String[] line : lines) {
      StringBuilder padded = new StringBuilder();
      for (int i = 0; i < widths.length; i++) {
        boolean number = i >= firstNumber && i <= lastNumber;
        padded.append(String.format("%" + (number ? "" : "-") + widths[i] + "s  ", line[i]));
      }
      text.append(padded.toString().stripTrailing()).append('\n');
    }
    return text.toString();
  }

  /** Writes the table as JSON. */
  void writeJson(Path file) throws IOException {
    try (JsonGenerator json =
        new JsonFactory()
            .createGenerator(file.toFile(), com.fasterxml.jackson.core.JsonEncoding.UTF8)) {
      json.useDefaultPrettyPrinter();
      json.writeStartObject();
      json.writeStringField("java", Runtime.version().toString());
      json.writeNumberField("processors", Runtime.getRuntime().availableProcessors());
      json.writeArrayFieldStart("rows");
      for (Row row : rows) {
        json.writeStartObject();
        json.writeStringField("name", row.name);
        json.writeStringField("unit", row.unit);
        json.writeNumberField("ours", row.ours);
        if (!Double.isNaN(row.baseline)) {
          json.writeNumberField("baseline", row.baseline);
          json.writeNumberField("ratio", row.ratio());
        }
        json.writeStringField("goal", row.goal.toString());
        Boolean met = row.isMet();
        if (met != null) {
          json.writeBooleanField("met", met);
        }
        json.writeEndObject();
      }
      json.writeEndArray();
      json.writeArrayFieldStart("stores");
      for (Comparison comparison : comparisons) {
        comparison.writeTo(json);
      }
      json.writeEndArray();
      json.writeEndObject();
    }
  }

  static String figure(double value) {
    double size = Math.abs(value);
    String form = size >= 1000 ? "%,.0f" : size >= 100 ? "%.0f" : size >= 10 ? "%.1f" : "%.2f";
    return String.format(Locale.ROOT, size > 0 && size < 0.1 ? "%.4f" : form, value);
  }
}
