package dev.ralph.benchmarks;

import dev.ralph.Ralph;
import dev.ralph.log.Batch;
import dev.ralph.log.Draft;
import dev.ralph.log.Durability;
import dev.ralph.spi.Scru128;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Appends of processes that share a store. */
final class SharedAppend {

  /** How many frames a JVM appends to a store of its own first, so that all code is compiled. */
  private static final int WARMUP_FRAMES = 60_000;

  /** How long it appends to the shared one before it says that it is ready. */
  private static final int WARMUP_MILLIS = 500;

  /** How often it looks whether the others are. */
  private static final int LOOK_MILLIS = 20;

  private static final double NANOS_PER_MILLI = 1e6;
  private static final double NANOS_PER_MICRO = 1e3;

  private final Ralph ralph;
  private final int framesPerBatch;
  private final Durability durability;
  private final Scru128 ids = new Scru128(Clock.systemUTC());
  private int n;

  private SharedAppend(Ralph ralph, int framesPerBatch, Durability durability) {
    this.ralph = ralph;
    this.framesPerBatch = framesPerBatch;
    this.durability = durability;
  }

  /**
   * What appending together came to.
   *
   * @param framesPerSecond of all processes
   * @param p99Millis the 99th percentile of how long an append took, in the process where that was
   *     longest
   * @param longestMillis the longest append of all
   * @param cpuMicros processor time of the threads that append, for each frame
   */
  record Figures(
      double framesPerSecond, double p99Millis, double longestMillis, double cpuMicros) {}

  /**
   * Appends, prints a line once it is ready, and goes on until a file says that the others are, too.
   * Then it measures for some time, and prints frames a second, the 99th percentile and the longest
   * of the appends in milliseconds, and its processor time in microseconds for each frame. {@code
   * KIND DIRECTORY FRAMES_PER_BATCH DURABILITY FILE MILLIS}
   */
  public static void main(String[] arguments) {
    int framesPerBatch = Integer.parseInt(arguments[2]);
    Durability durability = Durability.valueOf(arguments[3]);
    Path others = Path.of(arguments[4]);
    long nanos = Integer.parseInt(arguments[5]) * 1_000_000L;
    warmUp(arguments[0], framesPerBatch);
    try (Ralph ralph =
        Ralph.builder().store(arguments[0]).directory(Path.of(arguments[1])).existing().open()) {
      SharedAppend appends = new SharedAppend(ralph, framesPerBatch, durability);
      appends.until(System.nanoTime() + WARMUP_MILLIS * 1_000_000L);
      System.out.println(0);
      while (!Files.exists(others)) {
        appends.until(System.nanoTime() + LOOK_MILLIS * 1_000_000L);
      }
      ThreadMXBean threads = ManagementFactory.getThreadMXBean();
      long cpu = threads.getCurrentThreadCpuTime();
      long from = System.nanoTime();
      long[] each = appends.until(from + nanos);
      double seconds = (System.nanoTime() - from) / 1e9;
      cpu = threads.getCurrentThreadCpuTime() - cpu;
      Arrays.sort(each);
      double frames = (double) each.length * framesPerBatch;
      System.out.println(
          frames / seconds
              + " "
              + each[(int) (each.length * 0.99)] / NANOS_PER_MILLI
              + " "
              + each[each.length - 1] / NANOS_PER_MILLI
              + " "
              + cpu / NANOS_PER_MICRO / frames);
    }
  }

  private static void warmUp(String kind, int framesPerBatch) {
    Path own = Logs.directory().resolve("own-" + ProcessHandle.current().pid());
    try (Ralph ralph = Ralph.builder().store(kind).directory(own).open()) {
      SharedAppend appends = new SharedAppend(ralph, framesPerBatch, Durability.OS);
      for (int frames = 0; frames < WARMUP_FRAMES; frames += framesPerBatch) {
        appends.append();
      }
    } finally {
      Logs.delete(own);
    }
  }

  /** Appends until that moment, but once at least; returns how long each append took. */
  private long[] until(long end) {
    long[] nanos = new long[1024];
    int count = 0;
    long before = System.nanoTime();
    do {
      append();
      if (count == nanos.length) {
        nanos = Arrays.copyOf(nanos, count * 2);
      }
      long now = System.nanoTime();
      nanos[count++] = now - before;
      before = now;
    } while (before - end < 0);
    return Arrays.copyOf(nanos, count);
  }

  private void append() {
    List<Draft> drafts = new ArrayList<>(framesPerBatch);
    for (int i = 0; i < framesPerBatch; i++) {
      drafts.add(Logs.Writer.add(Logs.topic(0), ++n));
    }
    ralph.log().append(Batch.of(ids.next(), drafts).durability(durability));
  }

  /** Returns what it comes to when so many processes append together. */
  static Figures measure(
      String kind, int processes, int framesPerBatch, Durability durability, int millis)
      throws IOException {
    Path directory = Logs.directory().resolve("shared");
    Path warm = Logs.directory().resolve("warm");
    Logs.delete(directory);
    Files.deleteIfExists(warm);
    Ralph.builder().store(kind).directory(directory).open().close();
    List<ChildJvm> children = new ArrayList<>();
    try {
      for (int i = 0; i < processes; i++) {
        children.add(
            ChildJvm.start(
                SharedAppend.class,
                ChildJvm.argumentsFor(kind),
                kind,
                directory.toString(),
                Integer.toString(framesPerBatch),
                durability.name(),
                warm.toString(),
                Integer.toString(millis)));
      }
      for (ChildJvm child : children) {
        child.figures();
      }
      Files.createFile(warm);
      double rate = 0;
      double p99 = 0;
      double longest = 0;
      double cpu = 0;
      for (ChildJvm child : children) {
        double[] figures = child.figures();
        rate += figures[0];
        p99 = Math.max(p99, figures[1]);
        longest = Math.max(longest, figures[2]);
        cpu += figures[0] * figures[3];
      }
      return new Figures(rate, p99, longest, cpu / rate);
    } finally {
      for (ChildJvm child : children) {
        child.close();
      }
      Files.deleteIfExists(warm);
      Logs.delete(directory);
    }
  }
}
