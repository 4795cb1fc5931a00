package dev.ralph.benchmarks;

/** What became of one figure. Ratios are of times: 1.1 is slower by a tenth. */
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

  /** What changes by less is not called slower. */
  private static final double SLOWER = 1.03;

  private final String name;
  private final String unit;
  private final boolean isOurs;
  private Measured before = Measured.of();
  private Measured after = Measured.of();
  private Measured times = Measured.of();
  private Measured cpuTimes = Measured.of();

  /**
   * @param unit of the figures
   * @param isOurs false for a baseline, which has nothing in it that a version could change
   */
  Change(String name, String unit, boolean isOurs) {
    this.name = name;
    this.unit = unit;
    this.isOurs = isOurs;
  }

  /** Takes in what one round measured of each version. */
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

  /** Goes by processor time where it is known, because others on the machine change it less. */
  private Measured judged() {
    return Double.isNaN(cpuTimes.figure()) ? times : cpuTimes;
  }

  /** Not if it is so in the middle of the rounds only, or if nothing of ours is in it. */
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
