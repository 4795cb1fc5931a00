package dev.ralph.benchmarks;

import dev.ralph.Ralph;
import dev.ralph.benchmarks.Report.Goal;
import dev.ralph.log.Batch;
import dev.ralph.log.Draft;
import dev.ralph.spi.Scru128;
import java.io.IOException;
import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/** Measures appends of several processes to a shared store. */
final class SharedAppend {

  /**
   * The number of frames that each JVM appends to its own store first, so that all code is
   * compiled.
   */
  private static final int WARMUP_FRAMES = 60_000;

  /**
   * The duration of each warm-up on the shared store. Warm-ups repeat until compilation takes only
   * a small part of them, which may take many seconds if JVMs share few processors.
   */
  private static final int WARMUP_MILLIS = 1_000;

  private static final int COMPILING_MILLIS = 30;
  private static final int MAX_WARMUPS = 60;

  /** The polling interval for the other processes' readiness. */
  private static final int POLL_MILLIS = 20;

  private static final double NANOS_PER_MILLI = 1e6;

  private static final List<String> KINDS = List.of("file", "chronicle");

  /**
   * The goals for the rate of several processes relative to one process, by number of processes.
   */
  private static final Map<Integer, Goal> RATES =
      Map.of(2, Goal.atLeast(0.8), 8, Goal.atLeast(0.6));

  private static final double P99_MILLIS = 20;
  private static final double LONGEST_MILLIS = 500;

  private final Ralph ralph;
  private final int framesPerBatch;
  private final boolean synced;
  private final Scru128 ids = new Scru128(Clock.systemUTC());
  private int n;

  private SharedAppend(Ralph ralph, int framesPerBatch, boolean synced) {
    this.ralph = ralph;
    this.framesPerBatch = framesPerBatch;
    this.synced = synced;
  }

  /**
   * Warms up, prints a line when ready, and continues until a file signals that all processes are
   * ready. Then measures for the given time and prints frames per second, the 99th percentile and
   * the maximum of the append times in milliseconds, and CPU milliseconds per frame. Arguments:
   * {@code KIND DIRECTORY FRAMES_PER_BATCH SYNCED FILE MILLIS}
   */
  public static void main(String[] arguments) {
    int framesPerBatch = Integer.parseInt(arguments[2]);
    boolean synced = Boolean.parseBoolean(arguments[3]);
    Path others = Path.of(arguments[4]);
    int millis = Integer.parseInt(arguments[5]);
    // Short runs only test the program and need no warm-up.
    boolean warm = millis >= WARMUP_MILLIS;
    ProcessHandle parent = ProcessHandle.current().parent().orElseThrow();
    if (warm) {
      warmUp(arguments[0], framesPerBatch);
    }
    try (Ralph ralph =
        Ralph.builder().store(arguments[0]).directory(Path.of(arguments[1])).existing().open()) {
      SharedAppend appends = new SharedAppend(ralph, framesPerBatch, synced);
      if (warm) {
        appends.warmUp();
      }
      System.out.println(0);
      while (!Files.exists(others) && parent.isAlive()) {
        appends.until(System.nanoTime() + POLL_MILLIS * 1_000_000L);
      }
      ThreadMXBean threads = ManagementFactory.getThreadMXBean();
      long cpu = threads.getCurrentThreadCpuTime();
      long from = System.nanoTime();
      long[] each = appends.until(from + millis * 1_000_000L);
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
              + cpu / NANOS_PER_MILLI / frames);
    }
  }

  private static void warmUp(String kind, int framesPerBatch) {
    Path own = Logs.directory().resolve("own-" + ProcessHandle.current().pid());
    try (Ralph ralph = Ralph.builder().store(kind).directory(own).open()) {
      SharedAppend appends = new SharedAppend(ralph, framesPerBatch, false);
      for (int frames = 0; frames < WARMUP_FRAMES; frames += framesPerBatch) {
        appends.append();
      }
    } finally {
      Logs.delete(own);
    }
  }

  private void warmUp() {
    CompilationMXBean compiler = ManagementFactory.getCompilationMXBean();
    int frames = 0;
    for (int i = 0; i < MAX_WARMUPS; i++) {
      long before = compiler.getTotalCompilationTime();
      frames += until(System.nanoTime() + WARMUP_MILLIS * 1_000_000L).length * framesPerBatch;
      boolean isCompiled = compiler.getTotalCompilationTime() - before < COMPILING_MILLIS;
      if (isCompiled && frames >= WARMUP_FRAMES) {
        return;
      }
    }
  }

  /** Appends at least once and until the given time; returns the duration of each append. */
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
    ralph.log().append(Batch.of(ids.next(), drafts).synced(synced));
  }

  /** Measures single-frame appends of one process and of several. */
  static void measure(Sizes sizes, Report report) throws IOException {
    for (String kind : KINDS) {
      Map<Integer, Measured> rates = new TreeMap<>();
      Map<Integer, Measured> longest = new TreeMap<>();
      for (int round = 0; round < sizes.rounds(); round++) {
        for (int processes : sizes.processes()) {
          Benchmarks.progress("append one frame, " + processes + " processes, " + kind);
          Figures figures =
              figures(kind, processes, 1, false, sizes.iterations() * sizes.iterationMillis());
          rates.merge(processes, figures.rate, Measured::and);
          longest.merge(processes, Measured.of(figures.longestMillis), Measured::and);
        }
      }
      Measured alone = Objects.requireNonNull(rates.remove(1));
      rates.forEach(
          (processes, rate) -> {
            String name = "append one frame, " + kind + ", " + processes + " processes";
            Goal goal = RATES.getOrDefault(processes, Goal.NONE);
            report.add(name + ", against one alone", "frames/s", rate, alone, goal);
            Goal p99 = processes <= 8 ? Goal.oursAtMost(P99_MILLIS) : Goal.NONE;
            report.add(name + ", 99th percentile", "ms", rate.p99Millis(), p99);
            report.add(
                name + ", longest",
                "ms",
                Objects.requireNonNull(longest.get(processes)),
                Goal.oursAtMost(LONGEST_MILLIS));
          });
    }
  }

  /** Returns the total rate of several processes in frames per second. */
  static Measured measure(
      String kind, int processes, int framesPerBatch, boolean synced, int millis)
      throws IOException {
    return figures(kind, processes, framesPerBatch, synced, millis).rate;
  }

  /**
   * Figures of several processes.
   *
   * @param rate the total rate
   * @param longestMillis the longest append of all processes
   */
  private record Figures(Measured rate, double longestMillis) {}

  private static Figures figures(
      String kind, int processes, int framesPerBatch, boolean synced, int millis)
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
                String.valueOf(synced),
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
      return new Figures(Measured.of(rate).withP99(p99).withCpu(cpu / rate), longest);
    } finally {
      for (ChildJvm child : children) {
        child.close();
      }
      Files.deleteIfExists(warm);
      Logs.delete(directory);
    }
  }
}
