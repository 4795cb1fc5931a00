package dev.ralph.benchmarks;

import dev.ralph.benchmarks.Report.Goal;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.runner.RunnerException;

/** Runs the benchmarks, and prints a table of each figure beside its baseline and its goal. */
public final class Benchmarks {

  private static final String USAGE =
      """
      usage: java -jar benchmarks.jar [--quick] [--json FILE] [--plot FILE] [--directory DIR]
         [GROUP...]
        --quick      only see that everything runs; the figures say nothing
        --json       write the table there as well
        --plot       draw the stores side by side there, as SVG
        --directory  make the logs there, on the disk to be measured; they are deleted at the end
        GROUP        read, tasklog, large, append, loop, follow, followers, processes, chronicle,
                     stores; all if none is given
      """;

  private static final List<String> GROUPS =
      List.of(
          "read",
          "tasklog",
          "large",
          "append",
          "loop",
          "follow",
          "followers",
          "processes",
          "mcp",
          "chronicle",
          "stores");

  private final Report report = new Report();
  private final Sizes sizes;
  private final boolean quick;

  private Benchmarks(boolean quick) {
    this.quick = quick;
    this.sizes = quick ? Sizes.QUICK : Sizes.FULL;
  }

  /** Runs what the arguments ask for, and exits with 2 if they can't be understood. */
  public static void main(String[] arguments) throws Exception {
    boolean quick = false;
    Path json = null;
    Path plot = null;
    Path directory = null;
    TreeSet<String> groups = new TreeSet<>();
    for (int i = 0; i < arguments.length; i++) {
      String argument = arguments[i];
      boolean hasNext = i + 1 < arguments.length;
      if (argument.equals("--quick")) {
        quick = true;
      } else if (argument.equals("--json") && hasNext) {
        json = Path.of(arguments[++i]);
      } else if (argument.equals("--plot") && hasNext) {
        plot = Path.of(arguments[++i]);
      } else if (argument.equals("--directory") && hasNext) {
        directory = Path.of(arguments[++i]);
      } else if (GROUPS.contains(argument)) {
        groups.add(argument);
      } else {
        System.err.print(USAGE);
        System.exit(2);
      }
    }
    directory =
        directory == null
            ? Files.createTempDirectory("ralph-benchmarks")
            : Files.createTempDirectory(Files.createDirectories(directory), "ralph-benchmarks");
    Logs.setDirectory(directory.toAbsolutePath());
    try {
      Benchmarks benchmarks = new Benchmarks(quick);
      for (String group : GROUPS) {
        if (groups.isEmpty() || groups.contains(group)) {
          benchmarks.run(group);
        }
      }
      System.out.print(benchmarks.report.text());
      if (json != null) {
        benchmarks.report.writeJson(json);
      }
      if (plot != null) {
        Plot.write(benchmarks.report.comparisons(), plot);
      }
    } finally {
      Logs.delete(directory);
    }
  }

  /** Says what is going on. */
  static void progress(String what) {
    System.err.println(what);
  }

  private void run(String group) throws IOException, InterruptedException, RunnerException {
    progress(group);
    switch (group) {
      case "read" -> read();
      case "tasklog" -> taskLog();
      case "large" -> large();
      case "append" -> append();
      case "loop" -> loop();
      case "follow" -> FollowLatency.measure(sizes, report);
      case "followers" -> ManyFollowers.measure(sizes, report);
      case "processes" -> processes();
      case "mcp" -> McpLatency.measure(sizes, report, launcher());
      case "chronicle" -> chronicle();
      case "stores" -> new SideBySide(sizes, report).run();
      default -> throw new IllegalArgumentException(group);
    }
  }

  private void read() throws RunnerException {
    Logs.of(sizes.frames(), ReadBenchmark.SESSIONS);
    Pairs pairs =
        new Pairs(sizes, ReadBenchmark.class)
            .with("allFolded")
            .with("allParsed")
            .with("oneInFiveFolded")
            .with("oneInFiveParsed")
            .run();
    report.add(
        "fold all of " + millions(sizes.frames()) + ", against a Jackson stream",
        "frames/s",
        perSecond(pairs.median("allFolded")),
        perSecond(pairs.median("allParsed")),
        Goal.atLeast(1));
    report.add(
        "fold one topic in five, against a Jackson stream of all",
        "frames/s",
        perSecond(pairs.median("oneInFiveFolded")),
        perSecond(pairs.median("oneInFiveParsed")),
        Goal.atLeast(1.5));
  }

  private void taskLog() throws RunnerException {
    Logs.of(sizes.frames(), 1);
    Pairs pairs =
        new Pairs(sizes, TaskLogBenchmark.class)
            .with("folded")
            .with("fromSnapshot")
            .with("parsed")
            .run();
    report.add(
        "task log of " + millions(sizes.frames()) + " opened and listed, no snapshot",
        "frames/s",
        perSecond(pairs.median("folded")),
        perSecond(pairs.median("parsed")),
        Goal.NONE);
    report.add(
        "the same from a snapshot",
        "frames/s",
        perSecond(pairs.median("fromSnapshot")),
        perSecond(pairs.median("parsed")),
        Goal.NONE);
  }

  private double perSecond(double millisForAll) {
    return sizes.frames() / millisForAll * 1000;
  }

  private static String millions(int frames) {
    return frames % 1_000_000 == 0 ? frames / 1_000_000 + " M frames" : frames + " frames";
  }

  private void large() throws IOException {
    Path log = Logs.of(sizes.largeFrames(), 5, 10);
    try (ChildJvm child = ChildJvm.start(LargeFold.class, List.of("-Xmx64m"), log.toString())) {
      double[] framesAndSeconds = child.figures();
      if (framesAndSeconds[0] != sizes.largeFrames()) {
        throw new IllegalStateException("only " + framesAndSeconds[0] + " frames were folded");
      }
      report.add(
          "fold " + millions(sizes.largeFrames()) + " with -Xmx64m",
          "s",
          framesAndSeconds[1],
          Goal.NONE);
    } finally {
      Logs.delete(log);
    }
  }

  private void append() throws RunnerException {
    Pairs pairs =
        new Pairs(sizes, AppendBenchmark.class)
            .with("single")
            .with("bareSingle")
            .with("batch")
            .with("bareBatch")
            .with("bareSynced")
            .with("synced")
            .with("synced", 8)
            .with("synced", 32)
            .run();
    report.add(
        "append one frame, not synced, against lock + write + release",
        "frames/s",
        pairs.median("single"),
        pairs.median("bareSingle"),
        Goal.atLeast(0.5));
    report.add(
        "append batches of 100, not synced, against the same",
        "frames/s",
        pairs.median("batch"),
        pairs.median("bareBatch"),
        Goal.atLeast(0.8));
    double bare = pairs.median("bareSynced");
    report.add(
        "synced append, 1 thread, against one writer's write + force",
        "frames/s",
        pairs.median("synced"),
        bare,
        Goal.NONE);
    report.add(
        "synced append, 8 threads, against the same",
        "frames/s",
        pairs.median("synced", 8),
        bare,
        Goal.atLeast(3));
    report.add(
        "synced append, 32 threads, against the same",
        "frames/s",
        pairs.median("synced", 32),
        bare,
        Goal.atLeast(7));
  }

  private void chronicle() throws RunnerException {
    Logs.of("chronicle", sizes.frames(), ReadBenchmark.SESSIONS, 1);
    Pairs pairs = new Pairs(sizes, RawAppendBenchmark.class);
    for (String method : List.of("single", "batch", "synced")) {
      pairs.with(AppendBenchmark.class, method, 1, "chronicle");
    }
    pairs
        .with("single")
        .with("synced")
        .with(ReadBenchmark.class, "allFolded", 1, "chronicle")
        .with(RawTailBenchmark.class, "read", 1, "")
        .run();
    report.add(
        "chronicle: append one frame, not synced, against Chronicle itself",
        "frames/s",
        Report.median(pairs.scores(AppendBenchmark.class, "single", 1, "chronicle")),
        pairs.median("single"),
        Goal.atLeast(0.7));
    report.add(
        "chronicle: append batches of 100, not synced, against the same frame by frame",
        "frames/s",
        Report.median(pairs.scores(AppendBenchmark.class, "batch", 1, "chronicle")),
        pairs.median("single"),
        Goal.atLeast(0.7));
    report.add(
        "chronicle: synced append, against Chronicle itself",
        "frames/s",
        Report.median(pairs.scores(AppendBenchmark.class, "synced", 1, "chronicle")),
        pairs.median("synced"),
        Goal.atLeast(0.7));
    report.add(
        "chronicle: fold all of " + millions(sizes.frames()) + ", against Chronicle's tailer",
        "frames/s",
        perSecond(Report.median(pairs.scores(ReadBenchmark.class, "allFolded", 1, "chronicle"))),
        perSecond(Report.median(pairs.scores(RawTailBenchmark.class, "read", 1, ""))),
        Goal.atLeast(0.3));
  }

  private void loop() throws IOException {
    for (boolean unread : new boolean[] {false, true}) {
      try (ChildJvm child =
          ChildJvm.start(
              LoopOverhead.class,
              List.of(),
              Integer.toString(sizes.steps()),
              Boolean.toString(unread))) {
        report.add(
            "loop's own time per iteration, 10,000 tasks, 1,000 messages"
                + (unread ? ", all unread" : ""),
            "ms",
            Report.median(child.figures()),
            Goal.oursAtMost(10));
      }
    }
  }

  /** Runs the script beside the folder of this program's jar. */
  private void processes() throws IOException, InterruptedException {
    Path module = jar().resolveSibling("..").normalize();
    Path script = module.resolve("processes.sh");
    Path ralph = launcher();
    if (!Files.isExecutable(script) || ralph == null) {
      progress("left out: there is no " + script + " or no launcher");
      return;
    }
    List<String> command =
        new ArrayList<>(List.of(script.toString(), jar().toString(), ralph.toString()));
    command.add(Logs.directory().resolve("processes").toString());
    command.addAll(quick ? List.of("1", "10000") : List.of("15", "1000000"));
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
    builder.redirectError(ProcessBuilder.Redirect.INHERIT);
    Process process = builder.start();
    process.getOutputStream().close();
    try (BufferedReader output = process.inputReader(StandardCharsets.UTF_8)) {
      for (String line = output.readLine(); line != null; line = output.readLine()) {
        String[] fields = line.split("\t");
        report.add(fields[0], "ms", median(fields[2]), median(fields[3]), processGoal(fields[1]));
      }
    }
    if (process.waitFor() != 0) {
      throw new IOException(script + " failed; see what it printed above");
    }
  }

  /** Returns the launcher beside the folder of this program's jar, or null if there is none. */
  private static @Nullable Path launcher() {
    Path launcher = jar().resolveSibling("../../ralph").normalize();
    return Files.isExecutable(launcher) ? launcher : null;
  }

  private static double median(String samples) {
    return Report.median(Arrays.stream(samples.split(" ")).mapToDouble(Double::valueOf).toArray());
  }

  private static Goal processGoal(String limit) {
    return limit.equals("-") ? Goal.NONE : Goal.atMost(Double.parseDouble(limit));
  }

  private static Path jar() {
    try {
      return new File(Benchmarks.class.getProtectionDomain().getCodeSource().getLocation().toURI())
          .toPath();
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }
}
