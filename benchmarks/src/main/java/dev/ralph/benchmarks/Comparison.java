package dev.ralph.benchmarks;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What the kinds of stores did in the same task, side by side in one run. */
final class Comparison {

  /** The kinds. The others are measured by the first. */
  static final List<String> KINDS = List.of("file", "chronicle", "memory");

  private final String name;
  private final String unit;
  private final boolean moreIsFaster;
  private final Map<String, double[]> samples = new LinkedHashMap<>();

  private Comparison(String name, String unit, boolean moreIsFaster) {
    this.name = name;
    this.unit = unit;
    this.moreIsFaster = moreIsFaster;
  }

  /** Compares how many there are in a second. */
  static Comparison ofRates(String name, String unit) {
    return new Comparison(name, unit, true);
  }

  /** Compares how long something takes. */
  static Comparison ofTimes(String name, String unit) {
    return new Comparison(name, unit, false);
  }

  /** Takes in what a kind did, once or often. */
  Comparison with(String kind, double... all) {
    double[] before = samples.getOrDefault(kind, new double[0]);
    double[] joined = Arrays.copyOf(before, before.length + all.length);
    System.arraycopy(all, 0, joined, before.length, all.length);
    samples.put(kind, joined);
    return this;
  }

  String name() {
    return name;
  }

  /** Returns whether there is a figure of that kind. */
  boolean has(String kind) {
    return samples.containsKey(kind);
  }

  /** Returns the median of what a kind did, with its unit. */
  String figure(String kind) {
    return Report.figure(median(kind)) + " " + unit;
  }

  private double median(String kind) {
    return Report.median(samples.getOrDefault(kind, new double[0]));
  }

  /** Returns how many times as fast as the first kind another one is. */
  double speed(String kind) {
    double ratio = median(kind) / median(KINDS.get(0));
    return moreIsFaster ? ratio : 1 / ratio;
  }

  /** Half the distance between the quartiles, as a share of the median. */
  private double spread(String kind) {
    double[] sorted = samples.getOrDefault(kind, new double[0]).clone();
    Arrays.sort(sorted);
    int last = sorted.length - 1;
    double half = (sorted[(int) Math.ceil(last * 0.75)] - sorted[(int) (last * 0.25)]) / 2;
    return half / median(kind);
  }

  static String[] head() {
    return new String[] {
      "name", "unit", "file", "+-%", "chronicle", "+-%", "memory", "+-%", "chronicle/file speed"
    };
  }

  String[] cells() {
    String[] cells = new String[head().length];
    cells[0] = name;
    cells[1] = unit;
    for (int i = 0; i < KINDS.size(); i++) {
      String kind = KINDS.get(i);
      cells[2 + 2 * i] = has(kind) ? Report.figure(median(kind)) : "-";
      cells[3 + 2 * i] = has(kind) ? Math.round(spread(kind) * 100) + "" : "-";
    }
    cells[cells.length - 1] = Report.figure(speed("chronicle"));
    return cells;
  }

  void writeTo(JsonGenerator json) throws IOException {
    json.writeStartObject();
    json.writeStringField("name", name);
    json.writeStringField("unit", unit);
    for (String kind : KINDS) {
      if (has(kind)) {
        json.writeObjectFieldStart(kind);
        json.writeNumberField("median", median(kind));
        json.writeNumberField("spread", spread(kind));
        json.writeNumberField("speed", speed(kind));
        json.writeEndObject();
      }
    }
    json.writeEndObject();
  }
}
