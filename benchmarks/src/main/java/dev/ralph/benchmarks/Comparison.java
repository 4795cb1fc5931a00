package dev.ralph.benchmarks;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A comparison of the store kinds in the same task and run. */
final class Comparison {

  /** The kinds of stores. Speeds are relative to the first kind. */
  static final List<String> KINDS = List.of("file", "chronicle", "memory");

  private final String name;
  private final String unit;
  private final boolean moreIsFaster;
  private final Map<String, Measured> samples = new LinkedHashMap<>();

  private Comparison(String name, String unit, boolean moreIsFaster) {
    this.name = name;
    this.unit = unit;
    this.moreIsFaster = moreIsFaster;
  }

  /** Creates a comparison of rates. */
  static Comparison ofRates(String name, String unit) {
    return new Comparison(name, unit, true);
  }

  /** Creates a comparison of times. */
  static Comparison ofTimes(String name, String unit) {
    return new Comparison(name, unit, false);
  }

  /** Adds measurements of a kind. */
  Comparison with(String kind, Measured measured) {
    samples.merge(kind, measured, Measured::and);
    return this;
  }

  String name() {
    return name;
  }

  /** Returns whether the kind has measurements. */
  boolean has(String kind) {
    return samples.containsKey(kind);
  }

  /** Returns the median of a kind, with its unit. */
  String figure(String kind) {
    return Report.figure(median(kind)) + " " + unit;
  }

  private double median(String kind) {
    return of(kind).figure();
  }

  private Measured of(String kind) {
    return samples.getOrDefault(kind, Measured.of());
  }

  /** Returns the speed of a kind relative to the first kind. */
  double speed(String kind) {
    double ratio = median(kind) / median(KINDS.get(0));
    return moreIsFaster ? ratio : 1 / ratio;
  }

  static String[] head() {
    List<String> head = new ArrayList<>(List.of("name", "unit"));
    for (String kind : KINDS) {
      head.addAll(List.of(kind, "+-%", "cpu", "p99"));
    }
    head.add("chronicle/file speed");
    return head.toArray(String[]::new);
  }

  String[] cells() {
    List<String> cells = new ArrayList<>(List.of(name, unit));
    for (String kind : KINDS) {
      Measured measured = of(kind);
      cells.add(Report.figure(measured.figure()));
      cells.add(has(kind) ? Math.round(measured.spread() * 100) + "" : "-");
      cells.add(Report.time(measured.cpuMillis()));
      cells.add(Report.time(measured.p99Millis()));
    }
    cells.add(Report.figure(speed("chronicle")));
    return cells.toArray(String[]::new);
  }

  void writeTo(JsonGenerator json) throws IOException {
    json.writeStartObject();
    json.writeStringField("name", name);
    json.writeStringField("unit", unit);
    for (String kind : KINDS) {
      Report.write(json, kind, of(kind));
    }
    json.writeEndObject();
  }
}
