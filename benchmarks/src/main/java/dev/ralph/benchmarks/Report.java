package dev.ralph.benchmarks;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The table of all measurements. */
final class Report {

  private final List<Row> rows = new ArrayList<>();
  private final List<Comparison> comparisons = new ArrayList<>();

  /** The load of the machine by other processes. */
  private String load = "";

  /** The kind of limit of a goal. */
  enum Bound {
    /** Minimum of the ratio of our figure to the baseline. */
    RATIO_AT_LEAST("ratio >= "),
    /** Maximum of the ratio of our figure to the baseline. */
    RATIO_AT_MOST("ratio <= "),
    /** Maximum of our figure. */
    OURS_AT_MOST("ours <= "),
    /** Maximum of the difference between our figure and the baseline. */
    OVER_BASELINE_AT_MOST("ours - baseline <= "),
    /** No goal. */
    NONE("reported");

    private final String text;

    Bound(String text) {
      this.text = text;
    }
  }

  /**
   * A goal.
   *
   * @param bound the kind of limit
   * @param limit the limit; ignored for {@link Bound#NONE}
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
   * A row of the table.
   *
   * @param name the name of the figure
   * @param unit the unit of the figure
   * @param ours our measurements
   * @param baseline the measurements of the baseline; empty for none
   * @param goal the goal
   */
  private record Row(String name, String unit, Measured ours, Measured baseline, Goal goal) {

    double ratio() {
      return ours.figure() / baseline.figure();
    }

    /** Returns the ratio of CPU times, which other processes affect less. */
    double cpuRatio() {
      double timesAsMuch = ours.cpuMillis() / baseline.cpuMillis();
      return isRate(unit) ? 1 / timesAsMuch : timesAsMuch;
    }

    @Nullable Boolean isMet() {
      return switch (goal.bound) {
        case RATIO_AT_LEAST -> ratio() >= goal.limit;
        case RATIO_AT_MOST -> ratio() <= goal.limit;
        case OURS_AT_MOST -> ours.figure() <= goal.limit;
        case OVER_BASELINE_AT_MOST -> ours.figure() - baseline.figure() <= goal.limit;
        case NONE -> null;
      };
    }

    /** Returns whether CPU times meet the goal; null if they are unknown or do not apply. */
    @Nullable Boolean isMetByCpu() {
      if (Double.isNaN(cpuRatio())) {
        return null;
      }
      return switch (goal.bound) {
        case RATIO_AT_LEAST -> cpuRatio() >= goal.limit;
        case RATIO_AT_MOST -> cpuRatio() <= goal.limit;
        default -> null;
      };
    }

    static final String[] HEAD = {
      "name",
      "unit",
      "ours",
      "baseline",
      "ratio",
      "cpu",
      "of baseline",
      "cpu ratio",
      "p99",
      "of baseline",
      "memory",
      "of baseline",
      "goal",
      "met",
      "by cpu"
    };

    String[] cells() {
      return new String[] {
        name,
        unit,
        figure(ours.figure()),
        figure(baseline.figure()),
        figure(ratio()),
        time(ours.cpuMillis()),
        time(baseline.cpuMillis()),
        figure(cpuRatio()),
        time(ours.p99Millis()),
        time(baseline.p99Millis()),
        memory(ours.peakMegabytes()),
        memory(baseline.peakMegabytes()),
        goal.toString(),
        answer(isMet()),
        answer(isMetByCpu())
      };
    }
  }

  private static String answer(@Nullable Boolean met) {
    return met == null ? "-" : met ? "yes" : "NO";
  }

  /** Returns whether higher values of a unit are faster. */
  static boolean isRate(String unit) {
    return unit.endsWith("/s");
  }

  /** Adds a comparison of store kinds. */
  void add(Comparison comparison) {
    comparisons.add(comparison);
  }

  /** Sets the text about the machine's load, which precedes the tables. */
  void setLoad(String text) {
    load = text;
  }

  List<Comparison> comparisons() {
    return comparisons;
  }

  /** Adds measurements with a baseline. */
  void add(String name, String unit, Measured ours, Measured baseline, Goal goal) {
    rows.add(new Row(name, unit, ours, baseline, goal));
  }

  /** Adds measurements without a baseline. */
  void add(String name, String unit, Measured ours, Goal goal) {
    add(name, unit, ours, Measured.of(), goal);
  }

  /** Adds a figure with a baseline. */
  void add(String name, String unit, double ours, double baseline, Goal goal) {
    add(name, unit, Measured.of(ours), Measured.of(baseline), goal);
  }

  /** Adds a figure without a baseline. */
  void add(String name, String unit, double ours, Goal goal) {
    add(name, unit, Measured.of(ours), goal);
  }

  /** Returns the median. */
  static double median(double... samples) {
    return Measured.median(samples);
  }

  /** Returns the tables as text. */
  String text() {
    String text = load + "\n\n";
    if (!rows.isEmpty()) {
      List<String[]> lines = new ArrayList<>();
      lines.add(Row.HEAD);
      rows.forEach(row -> lines.add(row.cells()));
      text += table(lines, 2, 11);
    }
    if (!comparisons.isEmpty()) {
      List<String[]> lines = new ArrayList<>();
      lines.add(Comparison.head());
      comparisons.forEach(comparison -> lines.add(comparison.cells()));
      text += (rows.isEmpty() ? "" : "\n") + table(lines, 2, lines.get(0).length - 1);
    }
    return text;
  }

  static String table(List<String[]> lines, int firstNumber, int lastNumber) {
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
      json.writeStringField("load", load);
      json.writeArrayFieldStart("rows");
      for (Row row : rows) {
        json.writeStartObject();
        json.writeStringField("name", row.name);
        json.writeStringField("unit", row.unit);
        write(json, "ours", row.ours);
        write(json, "baseline", row.baseline);
        writeIfThere(json, "ratio", row.ratio());
        writeIfThere(json, "cpuRatio", row.cpuRatio());
        json.writeStringField("goal", row.goal.toString());
        Boolean met = row.isMet();
        if (met != null) {
          json.writeBooleanField("met", met);
        }
        Boolean metByCpu = row.isMetByCpu();
        if (metByCpu != null) {
          json.writeBooleanField("metByCpu", metByCpu);
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

  /** Writes measurements as a member; nothing if there are none. */
  static void write(JsonGenerator json, String name, Measured measured) throws IOException {
    if (Double.isNaN(measured.figure())) {
      return;
    }
    json.writeObjectFieldStart(name);
    json.writeNumberField("median", measured.figure());
    json.writeNumberField("spread", measured.spread());
    writeIfThere(json, "cpuMillis", measured.cpuMillis());
    writeIfThere(json, "p99Millis", measured.p99Millis());
    writeIfThere(json, "peakMegabytes", measured.peakMegabytes());
    json.writeEndObject();
  }

  private static void writeIfThere(JsonGenerator json, String name, double value)
      throws IOException {
    if (!Double.isNaN(value)) {
      json.writeNumberField(name, value);
    }
  }

  static String figure(double value) {
    if (Double.isNaN(value)) {
      return "-";
    }
    double size = Math.abs(value);
    String form = size >= 1000 ? "%,.0f" : size >= 100 ? "%.0f" : size >= 10 ? "%.1f" : "%.2f";
    return String.format(Locale.ROOT, size > 0 && size < 0.1 ? "%.4f" : form, value);
  }

  /** Returns a time with its unit, in microseconds if it is short. */
  static String time(double millis) {
    if (Double.isNaN(millis)) {
      return "-";
    }
    return millis < 1 ? figure(millis * 1000) + " us" : figure(millis) + " ms";
  }

  private static String memory(double megabytes) {
    return Double.isNaN(megabytes) ? "-" : Math.round(megabytes) + " MB";
  }
}
