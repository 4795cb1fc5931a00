package dev.ralph.benchmarks;

import java.util.Arrays;
import java.util.function.DoubleUnaryOperator;
import java.util.stream.DoubleStream;

/**
 * What was measured of one thing: how fast it was, and what it cost. Immutable.
 *
 * <p>What was not measured, or can't be on this system, is NaN.
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

  /** Takes figures in the unit of their row; there may be none. */
  static Measured of(double... figures) {
    return new Measured(figures.clone(), NONE, NONE, NONE);
  }

  /** Takes the times of single calls, in milliseconds: they say the 99th percentile as well. */
  static Measured ofCalls(double... millis) {
    return of(millis).withP99(percentile(millis, 0.99));
  }

  /** Adds the processor time of all threads, in milliseconds for one of what is counted. */
  Measured withCpu(double... millis) {
    return new Measured(figures, joined(cpuMillis, millis), p99Millis, peakMegabytes);
  }

  /** Adds 99th percentiles of what one call took, in milliseconds. */
  Measured withP99(double... millis) {
    return new Measured(figures, cpuMillis, joined(p99Millis, millis), peakMegabytes);
  }

  /** Adds the most memory that a process had, in MB. */
  Measured withPeak(double... megabytes) {
    return new Measured(figures, cpuMillis, p99Millis, joined(peakMegabytes, megabytes));
  }

  /** Returns both together. */
  Measured and(Measured other) {
    return new Measured(
        joined(figures, other.figures),
        joined(cpuMillis, other.cpuMillis),
        joined(p99Millis, other.p99Millis),
        joined(peakMegabytes, other.peakMegabytes));
  }

  /** Takes times of so many, in milliseconds, as rates a second, and the cost as that of one. */
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

  /** Half the distance between the quartiles of the figures, as a share of their median. */
  double spread() {
    return (upperQuartile() - lowerQuartile()) / 2 / figure();
  }

  double lowerQuartile() {
    return percentile(figures, 0.25);
  }

  double upperQuartile() {
    return percentile(figures, 0.75);
  }

  /** Returns the value in the middle, or between the two in the middle; NaN if there is none. */
  static double median(double... samples) {
    return percentile(samples, 0.5);
  }

  /** Returns the value at that share of the way from the least to the most; NaN if none. */
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
