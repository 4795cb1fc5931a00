package dev.ralph.benchmarks;

/** The change of a figure between two versions. Ratios are of times: 1.1 means 10 % slower. */
final class Change {
  static final String[] HEAD = {
    "name",
    "unit",
    "before",
    "after",
    "time",
    "+-%",
    "cpu before",
    "cpu after",
    "cpu",
    "+-%",
    "verdict"
  };

  /** The smallest ratio that counts as slower. */
  private static final double SLOWER = 1.03;

  private final String name;
  private final String unit;
  private final boolean isOurs;
  private Measured before = Measured.of();
  private Measured after = Measured.of();
  private Measured times = Measured.of();
  private Measured cpuTimes = Measured.of();

  /**
   * Creates a change without measurements.
   *
   * @param name the name of the figure
   * @param unit the unit of the figure
   * @param isOurs false for a baseline, which no version can change
   */
  Change(String name, String unit, boolean isOurs) {
    this.name = name;
    this.unit = unit;
    this.isOurs = isOurs;
  }

  /** Adds the measurements of one round. */
  void take(Measured one, Measured other) {
    before = before.and(one);
    after = after.and(other);
    double ratio = other.figure() / one.figure();
    times = times.and(Measured.of(Report.isRate(unit) ? 1 / ratio : ratio));
    double cpuRatio = other.cpuMillis() / one.cpuMillis();
    if (Double.isFinite(cpuRatio)) {
      cpuTimes = cpuTimes.and(Measured.of(cpuRatio));
    }
  }

  /** Returns the ratios of CPU times if known, because other processes affect these less. */
  private Measured judged() {
    return Double.isNaN(cpuTimes.figure()) ? times : cpuTimes;
  }

  /** Returns whether median and lower quartile are slower; always false for a baseline. */
  boolean isSlower() {
    return isOurs && judged().figure() > SLOWER && judged().lowerQuartile() > 1;
  }

  boolean isFaster() {
    return isOurs && judged().figure() < 1 / SLOWER && judged().upperQuartile() < 1;
  }

  String[] cells() {
    return new String[] {
      name,
      unit,
      Report.figure(before.figure()),
      Report.figure(after.figure()),
      Report.figure(times.figure()),
      percent(times),
      Report.time(before.cpuMillis()),
      Report.time(after.cpuMillis()),
      Report.figure(cpuTimes.figure()),
      percent(cpuTimes),
      isSlower() ? "SLOWER" : isFaster() ? "faster" : "-"
    };
  }

  private static String percent(Measured measured) {
    return Double.isNaN(measured.figure()) ? "-" : Math.round(measured.spread() * 100) + "";
  }
}
