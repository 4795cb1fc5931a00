package dev.ralph.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * What a running process has used so far, as Linux tells; NaN on other systems, and for a process
 * that has ended.
 *
 * @param cpuMillis processor time of all its threads
 * @param peakMegabytes the most memory that it had resident
 */
record Usage(double cpuMillis, double peakMegabytes) {

  /** Linux counts in hundredths of a second there, whatever the kernel's own clock is. */
  private static final double TICK_MILLIS = 10;

  private static final int USER_TICKS = 11;

  /** Returns what this process has used. */
  static Usage ofThis() {
    return of(ProcessHandle.current().pid());
  }

  static Usage of(long pid) {
    Path process = Path.of("/proc", Long.toString(pid));
    return new Usage(cpuMillis(process), peakMegabytes(process));
  }

  /**
   * The threads that run are counted exactly, but without those that have ended; the process in
   * ticks, which are never too many. So the larger one is closer.
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
        // It has ended since, or this kernel does not count so: the ticks are there.
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
      // Not Linux, or it has ended.
    }
    return Double.NaN;
  }
}
