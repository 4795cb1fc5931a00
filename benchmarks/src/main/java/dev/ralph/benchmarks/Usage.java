package dev.ralph.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * The resources that a running process has used, on Linux; NaN on other systems and for ended
 * processes.
 *
 * @param cpuMillis CPU time of all threads
 * @param peakMegabytes peak resident memory
 */
record Usage(double cpuMillis, double peakMegabytes) {

  /**
   * The unit of CPU times in milliseconds: Linux reports hundredths of a second, for any kernel
   * timer.
   */
  private static final double TICK_MILLIS = 10;

  private static final int USER_TICKS = 11;

  /** Returns the resources that this process has used. */
  static Usage ofThis() {
    return of(ProcessHandle.current().pid());
  }

  static Usage of(long pid) {
    Path process = Path.of("/proc", Long.toString(pid));
    return new Usage(cpuMillis(process), peakMegabytes(process));
  }

  /**
   * Returns the larger of two lower bounds: the exact times of running threads, which exclude ended
   * threads, and the process time in ticks.
   */
  private static double cpuMillis(Path process) {
    try {
      String stat = Files.readString(process.resolve("stat"));
      String[] afterName = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
      double ticks = Double.parseDouble(afterName[USER_TICKS]);
      ticks += Double.parseDouble(afterName[USER_TICKS + 1]);
      return Math.max(ticks * TICK_MILLIS, threadsMillis(process));
    } catch (IOException e) {
      return Double.NaN;
    }
  }

  private static double threadsMillis(Path process) throws IOException {
    List<Path> threads;
    try (Stream<Path> listed = Files.list(process.resolve("task"))) {
      threads = listed.toList();
    }
    double nanos = 0;
    for (Path thread : threads) {
      try {
        nanos += Double.parseDouble(Files.readString(thread.resolve("schedstat")).split(" ")[0]);
      } catch (IOException e) {
        // The thread has ended, or the kernel lacks these counters; ticks are used.
      }
    }
    return nanos / 1e6;
  }

  private static double peakMegabytes(Path process) {
    try {
      for (String line : Files.readAllLines(process.resolve("status"))) {
        if (line.startsWith("VmHWM:")) {
          return Double.parseDouble(line.replaceAll("[^0-9]", "")) / 1024;
        }
      }
    } catch (IOException e) {
      // Not Linux, or the process has ended.
    }
    return Double.NaN;
  }
}
