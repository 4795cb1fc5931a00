package dev.ralph.benchmarks;

import dev.ralph.benchmarks.Report.Goal;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.runner.RunnerException;

/** Runs the benchmarks and prints a table of all figures with their baselines and goals. */
public final class Benchmarks {

  /** The groups in the order of execution. */
  static final List<String> GROUPS =
      List.of(
          "read",
          "tasklog",
          "large",
          "append",
          "loop",
          "soak",
          "huge",
          "follow",
          "followers",
          "writers",
          "processes",
          "mcp",
          "http",
          "chronicle",
          "stores",
          "growth",
          "contents",
          "mail",
          "tx",
          "peers",
          "postgres");

  /** The number of tasks in a huge session. */
  static final int HUGE = 100_000;

  private final Report report = new Report();
  private final Options options;
  private final Sizes sizes;

  private Benchmarks(Options options) {
    this.options = options;
    this.sizes = options.sizes();
  }

  /**
   * Runs the requested groups. Exits with 2 if the arguments are not valid, and with 1 if this
   * version is slower than the compared one.
   */
  public static void main(String[] arguments) throws Exception {
    Options options;
    try {
      options = Options.parse(List.of(arguments));
    } catch (IllegalArgumentException e) {
      System.err.println("invalid arguments: " + e.getMessage());
      System.err.print(Options.USAGE);
      System.exit(2);
      return;
    }
    Path directory =
        options.directory() == null
            ? Files.createTempDirectory("ralph-benchmarks")
            : Files.createTempDirectory(
                Files.createDirectories(options.directory()), "ralph-benchmarks");
    Logs.setDirectory(directory.toAbsolutePath());
    boolean slower = false;
    try (Load load = new Load(options.busyProcesses())) {
      if (options.before() == null) {
        new Benchmarks(options).run(load);
      } else {
        slower = new BeforeAndAfter(options, options.before(), checkout()).run(load);
      }
    } finally {
      Logs.delete(directory);
    }
    if (slower) {
      System.exit(1);
    }
  }

  private void run(Load load)
      throws IOException, InterruptedException, RunnerException, SQLException {
    for (String group : options.groups()) {
      run(group);
    }
    report.setLoad(load.text());
    System.out.print(report.text());
    if (options.json() != null) {
      report.writeJson(options.json());
    }
    if (options.plot() != null) {
      Plot.write(report.comparisons(), options.plot());
    }
  }

  /** Reports the current activity. */
  static void progress(String what) {
    System.err.println(what);
  }

  private void run(String group)
      throws IOException, InterruptedException, RunnerException, SQLException {
    progress(group);
    switch (group) {
      case "read" -> read();
      case "tasklog" -> taskLog();
      case "large" -> large();
      case "append" -> append();
      case "loop" -> loop();
      case "soak" -> soak();
      case "huge" -> huge();
      case "follow" -> FollowLatency.measure(sizes, report);
      case "followers" -> ManyFollowers.measure(sizes, report);
      case "writers" -> SharedAppend.measure(sizes, report);
      case "processes" -> processes("commands", sizes.frames());
      case "mcp" -> McpLatency.measure(sizes, report, launcher());
      case "http" -> HttpSpeed.measure(sizes, report);
      case "chronicle" -> chronicle();
      case "stores" -> new SideBySide(sizes, report).run();
      case "growth" -> growth();
      case "contents" -> LargeContents.measure(sizes, report, launcher());
      case "mail" -> {
        MailSpeed.measure(sizes, report);
        processes("mail", sizes.frames() / 10);
      }
      case "tx" -> TxSpeed.measure(sizes, report, launcher());
      case "peers" -> Peers.measure(sizes, report);
      case "postgres" -> postgres();
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
        pairs.of("allFolded").perSecond(sizes.frames()),
        pairs.of("allParsed").perSecond(sizes.frames()),
        Goal.atLeast(1));
    report.add(
        "fold one topic in five, against a Jackson stream of all",
        "frames/s",
        pairs.of("oneInFiveFolded").perSecond(sizes.frames()),
        pairs.of("oneInFiveParsed").perSecond(sizes.frames()),
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
        pairs.of("folded").perSecond(sizes.frames()),
        pairs.of("parsed").perSecond(sizes.frames()),
        Goal.NONE);
    report.add(
        "the same from a snapshot",
        "frames/s",
        pairs.of("fromSnapshot").perSecond(sizes.frames()),
        pairs.of("parsed").perSecond(sizes.frames()),
        Goal.NONE);
  }

  private static String millions(int frames) {
    return frames % 1_000_000 == 0 ? frames / 1_000_000 + " M frames" : frames + " frames";
  }

  private void large() throws IOException {
    Path log = Logs.of(sizes.largeFrames(), 5, 10);
    try (ChildJvm child = ChildJvm.start(LargeFold.class, List.of("-Xmx64m"), log.toString())) {
      double frames = child.figures()[0];
      if (frames != sizes.largeFrames()) {
        throw new IllegalStateException("only " + frames + " frames were folded");
      }
      report.add(
          "fold " + millions(sizes.largeFrames()) + " with -Xmx64m",
          "s",
          child.costly(),
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
            .with("handSingle")
            .with("batch")
            .with("bareBatch")
            .with("handBatch")
            .with("bareSynced")
            .with("synced")
            .with("synced", 8)
            .with("synced", 32)
            .run();
    report.add(
        "append one frame, not synced, against a line by hand: lock + write + release",
        "frames/s",
        pairs.of("single"),
        pairs.of("handSingle"),
        Goal.atLeast(0.5));
    report.add(
        "the same, against a line by Jackson",
        "frames/s",
        pairs.of("single"),
        pairs.of("bareSingle"),
        Goal.atLeast(0.5));
    report.add(
        "append batches of 100, not synced, against lines by hand",
        "frames/s",
        pairs.of("batch"),
        pairs.of("handBatch"),
        Goal.atLeast(0.5));
    report.add(
        "the same, against lines by Jackson",
        "frames/s",
        pairs.of("batch"),
        pairs.of("bareBatch"),
        Goal.atLeast(0.8));
    Measured bare = pairs.of("bareSynced");
    report.add(
        "synced append, 1 thread, against one writer's write + force",
        "frames/s",
        pairs.of("synced"),
        bare,
        Goal.NONE);
    report.add(
        "synced append, 8 threads, against the same",
        "frames/s",
        pairs.of("synced", 8),
        bare,
        Goal.atLeast(3));
    report.add(
        "synced append, 32 threads, against the same",
        "frames/s",
        pairs.of("synced", 32),
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
        .with("lockedSingle")
        .with("synced")
        .with(ReadBenchmark.class, "allFolded", 1, "chronicle")
        .with(RawTailBenchmark.class, "read", 1, "")
        .run();
    Measured single = pairs.of(AppendBenchmark.class, "single", 1, "chronicle");
    report.add(
        "chronicle: append one frame, not synced, against Chronicle under the same lock",
        "frames/s",
        single,
        pairs.of("lockedSingle"),
        Goal.atLeast(0.8));
    report.add(
        "the same, against Chronicle itself", "frames/s", single, pairs.of("single"), Goal.NONE);
    report.add(
        "chronicle: append batches of 100, not synced, against Chronicle itself frame by frame",
        "frames/s",
        pairs.of(AppendBenchmark.class, "batch", 1, "chronicle"),
        pairs.of("single"),
        Goal.atLeast(1.3));
    report.add(
        "chronicle: synced append, against Chronicle itself",
        "frames/s",
        pairs.of(AppendBenchmark.class, "synced", 1, "chronicle"),
        pairs.of("synced"),
        Goal.atLeast(0.7));
    report.add(
        "chronicle: fold all of " + millions(sizes.frames()) + ", against Chronicle's tailer",
        "frames/s",
        pairs.of(ReadBenchmark.class, "allFolded", 1, "chronicle").perSecond(sizes.frames()),
        pairs.of(RawTailBenchmark.class, "read", 1, "").perSecond(sizes.frames()),
        Goal.atLeast(0.3));
  }

  private void growth() throws IOException {
    List<Growth.Point> points = new Growth(sizes, report).measure();
    if (options.growthPlot() != null) {
      GrowthPlot.write(points, options.growthPlot());
    }
  }

  private void postgres() throws SQLException, InterruptedException {
    String server = System.getenv("RALPH_POSTGRES");
    if (server == null) {
      progress(
          "skipped: set RALPH_POSTGRES to a server, for example postgres://user@host/database");
      return;
    }
    try (PostgresSpeed speed = new PostgresSpeed(server, sizes, report)) {
      speed.measure();
    }
  }

  private void loop() throws IOException {
    loop("", false, true);
    loop(", all unread", true, true);
    loop(", without a record", false, false);
  }

  private void loop(String how, boolean unread, boolean record) throws IOException {
    try (ChildJvm child =
        ChildJvm.start(
            LoopOverhead.class,
            List.of(),
            Integer.toString(sizes.steps()),
            Boolean.toString(unread),
            Boolean.toString(record))) {
      report.add(
          "loop's own time per iteration, 10,000 tasks, 1,000 messages" + how,
          "ms",
          Measured.ofCalls(child.figures()).withCpu(child.figures()).withPeak(child.figures()),
          Goal.oursAtMost(10));
    }
  }

  private void soak() throws IOException {
    try (ChildJvm child =
        ChildJvm.start(
            LoopSoak.class, List.of(), Integer.toString(Math.max(1, sizes.steps() / 30)))) {
      double[] figures = child.figures();
      report.add(
          "loop of three iterations, in 200 sessions at once",
          "ms",
          Measured.of(figures[0]).withCpu(figures[1]).withPeak(figures[2]),
          Goal.NONE);
    }
  }

  private void huge() throws IOException {
    for (int tasks : sizes.growthTasks()) {
      String session = String.format(Locale.ROOT, "%,d tasks, ", tasks);
      try (ChildJvm child =
          ChildJvm.start(
              HugeSession.class,
              List.of("-Xmx256m"),
              Integer.toString(tasks),
              Integer.toString(sizes.steps()))) {
        for (HugeSession.Figure figure : HugeSession.Figure.values()) {
          report.add(
              session + figure.text,
              "ms",
              Measured.ofCalls(child.figures()).withCpu(child.figures()).withPeak(child.figures()),
              tasks == HUGE ? figure.goal() : Goal.NONE);
        }
      }
    }
  }

  /** Runs the script beside the jar and reads its timings. */
  private void processes(String what, int many) throws IOException, InterruptedException {
    Path script = jar().resolveSibling("../processes.sh").normalize();
    Path ralph = launcher();
    if (!Files.isExecutable(script) || ralph == null) {
      progress("skipped; not found: " + script + " or no launcher");
      return;
    }
    List<String> command =
        new ArrayList<>(
            List.of(
                script.toString(),
                what,
                classPath(),
                ralph.toString(),
                Logs.directory().resolve("processes-" + what).toString(),
                Integer.toString(sizes.starts()),
                Integer.toString(many)));
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
    builder.redirectError(ProcessBuilder.Redirect.INHERIT);
    Process process = builder.start();
    process.getOutputStream().close();
    try (BufferedReader output = process.inputReader(StandardCharsets.UTF_8)) {
      for (String line = output.readLine(); line != null; line = output.readLine()) {
        String[] fields = line.split("\t");
        report.add(
            fields[0], "ms", measured(fields, 2), measured(fields, 5), processGoal(fields[1]));
      }
    }
    if (process.waitFor() != 0) {
      throw new IOException(script + " failed; see its output above");
    }
  }

  /** Returns the class path with absolute paths, because the script changes directories. */
  private static String classPath() {
    return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
        .map(each -> Path.of(each).toAbsolutePath().toString())
        .collect(Collectors.joining(File.pathSeparator));
  }

  private static Measured measured(String[] fields, int first) {
    return Measured.of(samples(fields[first]))
        .withCpu(samples(fields[first + 1]))
        .withPeak(samples(fields[first + 2]));
  }

  private static double[] samples(String text) {
    return text.equals("-")
        ? new double[0]
        : Arrays.stream(text.split(" ")).mapToDouble(Double::parseDouble).toArray();
  }

  private static Goal processGoal(String limit) {
    return limit.equals("-") ? Goal.NONE : Goal.atMost(Double.parseDouble(limit));
  }

  /** Returns the launcher of the measured version, or null if none exists. */
  private @Nullable Path launcher() {
    Path checkout = options.checkout() == null ? checkout() : options.checkout();
    Path launcher = checkout.resolve("ralph");
    return Files.isExecutable(launcher) ? launcher : null;
  }

  /** Returns the checkout that this program was built from; it may no longer exist. */
  private static Path checkout() {
    return jar().resolveSibling("../..").normalize();
  }

  /** Returns the jar of this program. */
  static Path jar() {
    try {
      return new File(Benchmarks.class.getProtectionDomain().getCodeSource().getLocation().toURI())
          .toPath();
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }
}
