package dev.ralph.benchmarks;

import java.util.Arrays;
import java.util.function.DoubleUnaryOperator;
import java.util.stream.DoubleStream;

/**
 * The measurements of one figure: speed and cost. Immutable.
 *
 * <p>Values that were not measured, or are not available on this system, are NaN.
 */
final class Measured {

  private static final double[] NONE = {};

  private final double[] figures;
  private final double[] cpuMillis;
  private final double[] p99Millis;
  private final double[] peakMegabytes;

  private Measured(
      double[] figures, double[] cpuMillis, double[] p99Millis, double[] peakMegabytes) {
    this.figures = figures;
    this.cpuMillis = cpuMillis;
    this.p99Millis = p99Millis;
    this.peakMegabytes = peakMegabytes;
  }

  /** Creates measurements in the unit of the row; may be empty. */
  static Measured of(double... figures) {
    return new Measured(figures.clone(), NONE, NONE, NONE);
  }

  /**
   * Creates measurements from durations of single calls in milliseconds, with their 99th
   * percentile.
   */
  static Measured ofCalls(double... millis) {
    return of(millis).withP99(percentile(millis, 0.99));
  }

  /** Adds CPU times of all threads, in milliseconds per operation. */
  Measured withCpu(double... millis) {
    return new Measured(figures, joined(cpuMillis, millis), p99Millis, peakMegabytes);
  }

  /** Adds 99th percentiles of the duration of a call, in milliseconds. */
  Measured withP99(double... millis) {
    return new Measured(figures, cpuMillis, joined(p99Millis, millis), peakMegabytes);
  }

  /** Adds peak memory of a process, in MB. */
  Measured withPeak(double... megabytes) {
    return new Measured(figures, cpuMillis, p99Millis, joined(peakMegabytes, megabytes));
  }

  /** Returns the union of both measurements. */
  Measured and(Measured other) {
    return new Measured(
        joined(figures, other.figures),
        joined(cpuMillis, other.cpuMillis),
        joined(p99Millis, other.p99Millis),
        joined(peakMegabytes, other.peakMegabytes));
  }

  /**
   * Converts times in milliseconds for several operations to rates per second and costs per
   * operation.
   */
  Measured perSecond(int count) {
    return new Measured(
        mapped(figures, millis -> count / millis * 1000),
        mapped(cpuMillis, millis -> millis / count),
        NONE,
        peakMegabytes);
  }

  double figure() {
    return median(figures);
  }

  double cpuMillis() {
    return median(cpuMillis);
  }

  double p99Millis() {
    return median(p99Millis);
  }

  double peakMegabytes() {
    return median(peakMegabytes);
  }

  /** Returns half the interquartile range relative to the median. */
  double spread() {
    return (upperQuartile() - lowerQuartile()) / 2 / figure();
  }

  double lowerQuartile() {
    return percentile(figures, 0.25);
  }

  double upperQuartile() {
    return percentile(figures, 0.75);
  }

  /** Returns the median; NaN if there are no values. */
  static double median(double... samples) {
    return percentile(samples, 0.5);
  }

  /** Returns a quantile; NaN if there are no values. */
  static double percentile(double[] samples, double share) {
    if (samples.length == 0) {
      return Double.NaN;
    }
    double[] sorted = samples.clone();
    Arrays.sort(sorted);
    double place = share * (sorted.length - 1);
    int below = (int) place;
    int above = Math.min(below + 1, sorted.length - 1);
    return sorted[below] + (place - below) * (sorted[above] - sorted[below]);
  }

  private static double[] mapped(double[] values, DoubleUnaryOperator each) {
    return Arrays.stream(values).map(each).toArray();
  }

  private static double[] joined(double[] some, double[] others) {
    return DoubleStream.concat(Arrays.stream(some), Arrays.stream(others))
        .filter(each -> !Double.isNaN(each))
        .toArray();
  }
}
