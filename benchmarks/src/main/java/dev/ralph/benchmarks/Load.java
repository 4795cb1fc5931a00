package dev.ralph.benchmarks;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Keeps the machine busy with processes during other measurements, and reports the load. */
final class Load implements AutoCloseable {

  private final List<ChildJvm> busy = new ArrayList<>();
  private final double before = average();

  /** Starts processes that each occupy one processor. */
  Load(int processes) throws IOException {
    for (int i = 0; i < processes; i++) {
      ChildJvm child = ChildJvm.start(Load.class, List.of("-Xmx32m"));
      busy.add(child);
      child.figures();
    }
  }

  /** Occupies one processor until the input ends, which also happens when the parent exits. */
  public static void main(String[] arguments) throws IOException {
    Thread spinning =
        new Thread(
            () -> {
              while (true) {
                Thread.onSpinWait();
              }
            });
    spinning.setDaemon(true);
    spinning.start();
    System.out.println(1);
    while (System.in.read() >= 0) {
      // only the end of the input matters
    }
  }

  /** Returns the load of the machine, including the measured processes. */
  String text() {
    return String.format(
        Locale.ROOT,
        "Java %s; %d processors; %d busy processes besides; load average %.1f at the beginning,"
            + " %.1f at the end",
        Runtime.version(),
        Runtime.getRuntime().availableProcessors(),
        busy.size(),
        before,
        average());
  }

  private static double average() {
    return ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
  }

  @Override
  public void close() throws IOException {
    for (ChildJvm child : busy) {
      child.close();
    }
  }
}
