package dev.ralph.benchmarks;

import dev.ralph.Ralph;
import dev.ralph.benchmarks.Report.Goal;
import dev.ralph.mcp.SessionServer;
import java.io.File;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What a call of a session's tools takes in a large log, and how soon the server is there; beside a
 * server of the same SDK that does nothing.
 */
final class McpLatency {

  /** Those that the launcher uses. */
  private static final List<String> FLAGS =
      List.of(
          "-XX:+IgnoreUnrecognizedVMOptions",
          "-XX:TieredStopAtLevel=1",
          "-XX:+UseSerialGC",
          "-XX:-UsePerfData",
          "-Xlog:disable");

  private static final int TASKS = 50;
  private static final double CALL = 0.5;
  private static final double INITIALIZE = 400;

  private McpLatency() {}

  /** Serves the session of a store. */
  public static void main(String[] arguments) {
    try (Ralph ralph = Ralph.openExisting(Path.of(arguments[0]));
        SessionServer server = SessionServer.over(() -> ralph).session("mine").build()) {
      server.serve(
          new FileInputStream(FileDescriptor.in), new FileOutputStream(FileDescriptor.out));
    }
  }

  private static List<String> command(List<String> flags, Class<?> main, String... arguments) {
    List<String> command = new ArrayList<>();
    command.add(System.getProperty("java.home") + File.separator + "bin" + File.separator + "java");
    command.addAll(FLAGS);
    command.addAll(flags);
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
    command.addAll(List.of(arguments));
    return command;
  }

  /**
   * Measures both.
   *
   * @param launcher the command's, or null if there is none
   */
  static void measure(Sizes sizes, Report report, @Nullable Path launcher)
      throws IOException, InterruptedException {
    Path folder = Logs.directory().resolve("mcp");
    Logs.delete(folder);
    Path store = folder.resolve("store");
    MakeLog.main(
        new String[] {store.toString(), "" + TASKS, Integer.toString(sizes.frames() - TASKS)});
    calls(sizes, report, folder, store);
    if (launcher == null) {
      Benchmarks.progress("the start of ralph mcp is left out: there is no launcher");
    } else {
      starts(sizes, report, folder, store, launcher);
    }
  }

  // ---- calls

  private static void calls(Sizes sizes, Report report, Path folder, Path store)
      throws IOException {
    List<Double> echoes = new ArrayList<>();
    List<Double> reads = new ArrayList<>();
    List<Double> writes = new ArrayList<>();
    List<Double> echoesAndSyncs = new ArrayList<>();
    String text = McpClient.member("text", "Write the form for case 1");
    String note = "{\"type\":\"tip\",\"content\":\"Write the form for case 1\"}";
    try (McpClient ours =
            new McpClient(command(List.of(), McpLatency.class, store.toString()), Map.of());
        McpClient echo = new McpClient(command(List.of(), EchoServer.class), Map.of());
        BareWriter bare = new BareWriter(folder.resolve("bare"), "ralph.mine.note")) {
      for (int i = -sizes.warmupCalls(); i < sizes.calls(); i++) {
        double echoed = echo.call("echo", text);
        double read = ours.call("task_list", "{}");
        double written = ours.call("note_add", note);
        double synced = sync(bare, i);
        if (i >= 0) {
          echoes.add(echoed);
          reads.add(read);
          writes.add(written);
          echoesAndSyncs.add(echoed + synced);
        }
      }
    }
    String frames = String.format(java.util.Locale.ROOT, "%,d", sizes.frames());
    report.add(
        "call of task_list over stdio, "
            + TASKS
            + " tasks among "
            + frames
            + " frames, against an echo",
        "ms",
        median(reads),
        median(echoes),
        Goal.overBaselineAtMost(CALL));
    report.add(
        "call of note_add, against an echo and a synced write",
        "ms",
        median(writes),
        median(echoesAndSyncs),
        Goal.overBaselineAtMost(CALL));
  }

  private static double sync(BareWriter bare, int n) throws IOException {
    long begin = System.nanoTime();
    bare.begin();
    bare.line(n);
    bare.writeForced();
    return (System.nanoTime() - begin) / 1e6;
  }

  // ---- starts

  private static void starts(Sizes sizes, Report report, Path folder, Path store, Path launcher)
      throws IOException, InterruptedException {
    Path cache = folder.resolve("cache");
    Map<String, String> variables =
        Map.of("XDG_CACHE_HOME", cache.toString(), "JAVA_HOME", System.getProperty("java.home"));
    List<String> server =
        List.of(launcher.toString(), "mcp", "--name", "mine", "--store", store.toString());
    awaitArchive(cache, server, variables);
    boolean aot = Runtime.version().feature() >= 25;
    Path archive = folder.resolve("echo.archive");
    String make = aot ? "-XX:AOTCacheOutput=" : "-XX:ArchiveClassesAtExit=";
    try (McpClient trained =
        new McpClient(command(List.of(make + archive), EchoServer.class), Map.of())) {
      trained.call("echo", McpClient.member("text", "x"));
    }
    String use = aot ? "-XX:AOTCache=" : "-XX:SharedArchiveFile=";
    List<String> echo = command(List.of(use + archive), EchoServer.class);
    List<Double> ours = new ArrayList<>();
    List<Double> baseline = new ArrayList<>();
    for (int i = -1; i < sizes.starts(); i++) {
      double started = initializeMillis(server, variables);
      double echoStarted = initializeMillis(echo, Map.of());
      if (i >= 0) {
        ours.add(started);
        baseline.add(echoStarted);
      }
    }
    report.add(
        "start of ralph mcp until initialize is answered, against an echo server's",
        "ms",
        median(ours),
        median(baseline),
        Goal.oursAtMost(INITIALIZE));
  }

  private static double initializeMillis(List<String> command, Map<String, String> variables)
      throws IOException {
    try (McpClient client = new McpClient(command, variables)) {
      return client.initializeMillis();
    }
  }

  /** The launcher makes it in the background. */
  private static void awaitArchive(Path cache, List<String> server, Map<String, String> variables)
      throws IOException, InterruptedException {
    initializeMillis(server, variables);
    long deadline = System.nanoTime() + 120_000_000_000L;
    while (!hasArchive(cache)) {
      if (System.nanoTime() > deadline) {
        throw new IOException("the launcher has made no archive below " + cache);
      }
      Thread.sleep(100);
    }
  }

  private static boolean hasArchive(Path cache) throws IOException {
    if (!Files.exists(cache)) {
      return false;
    }
    try (Stream<Path> files = Files.walk(cache)) {
      return files.anyMatch(file -> file.toString().matches(".*\\.mcp\\.(jsa|aot)"));
    }
  }

  private static double median(List<Double> samples) {
    return Report.median(samples.stream().mapToDouble(Double::doubleValue).toArray());
  }
}
