package dev.ralph.benchmarks;

import dev.ralph.Ralph;
import dev.ralph.benchmarks.Report.Goal;
import dev.ralph.log.Batch;
import dev.ralph.log.Draft;
import dev.ralph.log.Meta;
import dev.ralph.log.Topic;
import dev.ralph.log.TopicFilter;
import dev.ralph.spi.Scru128;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/** Measures the costs of a log for a new program, as the log grows. */
final class Growth {

  private static final List<String> DURABLE = List.of("file", "chronicle");
  private static final Topic TASKS = Topic.of("ralph.mine.task");
  private static final Topic NOTES = Topic.of("ralph.mine.note");
  private static final Topic INBOX = Topic.of("ralph.mine.inbox");
  private static final int FEW_TASKS = 50;
  private static final int OTHER_SESSIONS = 20;
  private static final int FRAMES_PER_SESSION = 10;
  private static final int NOTE_BYTES = 50_000;
  private static final int NOTES_PER_MEGABYTE = 20;
  private static final int APPENDS = 300;

  /** The first appends, which are slower because the program has just started. */
  private static final int SLOW_APPENDS = 100;

  private final Sizes sizes;
  private final Report report;
  private final List<Point> points = new ArrayList<>();

  Growth(Sizes sizes, Report report) {
    this.sizes = sizes;
    this.report = report;
  }

  /** The growing part of the log. The measured session is always the same. */
  enum Shape {
    /** Frames of twenty other sessions, before, among and after the session's fifty tasks. */
    FRAMES("frames") {
      @Override
      void fill(Ralph ralph, int size) {
        MakeLog.fill(ralph, FEW_TASKS, size, OTHER_SESSIONS);
      }
    },
    /** Open tasks of the session. */
    TASKS("tasks") {
      @Override
      void fill(Ralph ralph, int size) {
        append(ralph, size, 100, n -> Logs.Writer.add(Growth.TASKS, n));
      }
    },
    /** Other sessions of ten frames each. */
    SESSIONS("sessions") {
      @Override
      void fill(Ralph ralph, int size) {
        MakeLog.fill(ralph, FEW_TASKS, size * FRAMES_PER_SESSION, size);
      }
    },
    /** Long notes of the session, besides its fifty tasks. */
    CONTENT("MB of notes") {
      @Override
      void fill(Ralph ralph, int size) {
        String text = "Write the form for this case. ".repeat(NOTE_BYTES / 30);
        append(
            ralph,
            size * NOTES_PER_MEGABYTE,
            1,
            n -> Draft.of(NOTES, Meta.of("action", "add").with("type", "tip"), n + " " + text));
        MakeLog.fill(ralph, FEW_TASKS, 0, 1);
      }
    };

    final String unit;

    Shape(String unit) {
      this.unit = unit;
    }

    abstract void fill(Ralph ralph, int size);
  }

  /** The measured figures of each log. */
  enum Figure {
    /** The time from the start of {@code main} to the newest frame of the session's tasks. */
    OPEN("open", "ms"),
    /** The first listing of the session's tasks. */
    LIST("list the tasks", "ms"),
    /** The first message, without sync. */
    FIRST_APPEND("first append", "ms"),
    /** Each of many further messages. */
    APPEND("append", "ms"),
    /** The peak memory of the process. */
    MEMORY("memory", "MB");

    final String title;
    final String unit;

    Figure(String title, String unit) {
      this.title = title;
      this.unit = unit;
    }
  }

  /** A figure of a log. */
  record Point(Shape shape, int size, String kind, Figure figure, double value) {}

  /** Measures all shapes and sizes, and returns the points to draw. */
  List<Point> measure() throws IOException {
    for (int size : sizes.growthFrames()) {
      measure(Shape.FRAMES, size);
    }
    for (int size : sizes.growthTasks()) {
      measure(Shape.TASKS, size);
    }
    measure(Shape.SESSIONS, sizes.growthSessions());
    measure(Shape.CONTENT, sizes.growthMegabytes());
    return points;
  }

  private void measure(Shape shape, int size) throws IOException {
    List<Path> logs = new ArrayList<>();
    List<Measured[]> measured = new ArrayList<>();
    for (String kind : DURABLE) {
      Benchmarks.progress("growth: " + size + " " + shape.unit + ", " + kind);
      Path log = Logs.directory().resolve("growth-" + kind);
      Logs.delete(log);
      try (Ralph ralph = Ralph.builder().store(kind).directory(log).open()) {
        shape.fill(ralph, size);
      }
      logs.add(log);
      Measured[] none = new Measured[Figure.values().length];
      Arrays.fill(none, Measured.of());
      measured.add(none);
    }
    // The first round is not measured; it creates snapshots and derived files.
    for (int round = -1; round < sizes.starts(); round++) {
      for (int i = 0; i < DURABLE.size(); i++) {
        Measured[] probed = probe(DURABLE.get(i), logs.get(i));
        for (int j = 0; j < probed.length && round >= 0; j++) {
          measured.get(i)[j] = measured.get(i)[j].and(probed[j]);
        }
      }
    }
    for (int i = 0; i < DURABLE.size(); i++) {
      add(shape, size, DURABLE.get(i), measured.get(i));
      Logs.delete(logs.get(i));
    }
  }

  private void add(Shape shape, int size, String kind, Measured[] measured) {
    for (Figure figure : Figure.values()) {
      Measured each = measured[figure.ordinal()];
      report.add(
          String.format(Locale.ROOT, "%,d %s, %s: %s", size, shape.unit, kind, figure.title),
          figure.unit,
          each,
          Goal.NONE);
      points.add(new Point(shape, size, kind, figure, each.figure()));
    }
  }

  private static Measured[] probe(String kind, Path log) throws IOException {
    List<String> arguments = new ArrayList<>(ChildJvm.LAUNCHER_FLAGS);
    arguments.addAll(ChildJvm.argumentsFor(kind));
    try (ChildJvm child = ChildJvm.start(Growth.class, arguments, kind, log.toString())) {
      double[] open = child.figures();
      double[] list = child.figures();
      double[] first = child.figures();
      double[] append = child.figures();
      return new Measured[] {
        Measured.of(open[0]).withCpu(open[1]),
        Measured.of(list[0]).withCpu(list[1]),
        Measured.of(first[0]).withCpu(first[1]),
        Measured.of(append[0]).withCpu(append[1]).withP99(append[2]),
        Measured.of(child.figures()[0])
      };
    }
  }

  private static void append(Ralph ralph, int count, int perBatch, IntFunction<Draft> draft) {
    Scru128 ids = new Scru128(Clock.systemUTC());
    for (int from = 1; from <= count; from += perBatch) {
      List<Draft> drafts =
          IntStream.range(from, Math.min(from + perBatch, count + 1)).mapToObj(draft).toList();
      ralph.log().append(Batch.of(ids.next(), drafts).synced(false));
    }
  }

  // ---- measured program

  /**
   * Opens a store, lists tasks and appends. Arguments: {@code KIND DIRECTORY}. Prints a line per
   * figure with elapsed and CPU milliseconds, for appends also with the 99th percentile; the last
   * line is the peak memory in MB.
   */
  public static void main(String[] arguments) {
    long begin = System.nanoTime();
    try (Ralph ralph =
        Ralph.builder().store(arguments[0]).directory(Path.of(arguments[1])).existing().open()) {
      if (ralph.log().last(TopicFilter.of(TASKS)).isEmpty()) {
        throw new IllegalStateException("the store has no task");
      }
      double cpu = print(begin, 0);

      begin = System.nanoTime();
      int listed = ralph.session("mine").tasks().list().size();
      cpu = print(begin, cpu);
      if (listed == 0) {
        throw new IllegalStateException("the session has no tasks");
      }

      begin = System.nanoTime();
      appendMessage(ralph, 0);
      cpu = print(begin, cpu);

      double[] millis = new double[APPENDS];
      for (int i = 0; i < APPENDS; i++) {
        begin = System.nanoTime();
        appendMessage(ralph, i + 1);
        millis[i] = (System.nanoTime() - begin) / 1e6;
      }
      Usage usage = Usage.ofThis();
      double[] warm = Arrays.copyOfRange(millis, SLOW_APPENDS, APPENDS);
      System.out.println(
          Measured.median(warm)
              + " "
              + (usage.cpuMillis() - cpu) / APPENDS
              + " "
              + Measured.percentile(warm, 0.99));
      System.out.println(usage.peakMegabytes());
    }
  }

  /** Prints the times since the given start and returns the CPU time so far. */
  private static double print(long begin, double cpuBefore) {
    double millis = (System.nanoTime() - begin) / 1e6;
    double cpu = Usage.ofThis().cpuMillis();
    System.out.println(millis + " " + (cpu - cpuBefore));
    return cpu;
  }

  private static void appendMessage(Ralph ralph, int n) {
    append(ralph, 1, 1, any -> Draft.of(INBOX, Meta.of("status", "read"), "Case " + n));
  }
}
