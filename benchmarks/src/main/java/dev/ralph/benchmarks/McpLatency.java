package dev.ralph.benchmarks;

import dev.ralph.Ralph;
import dev.ralph.benchmarks.Report.Goal;
import dev.ralph.mcp.SessionServer;
import java.io.File;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Measures tool calls on a large log and the start-up of the MCP server, in comparison with a
 * minimal server of the same SDK.
 */
final class McpLatency {

  private static final int TASKS = 50;
  private static final long ARCHIVES_WITHIN = TimeUnit.MINUTES.toNanos(5);
  private static final double CALL = 0.5;
  private static final double INITIALIZE = 400;

  private McpLatency() {}

  /** Serves a session of a store. */
  public static void main(String[] arguments) {
    try (Ralph ralph = Ralph.openExisting(Path.of(arguments[0]));
        SessionServer server = SessionServer.over(() -> ralph).session("mine").build()) {
      server.serve(
          new FileInputStream(FileDescriptor.in), new FileOutputStream(FileDescriptor.out));
    }
  }

  private static List<String> command(Class<?> main, String... arguments) {
    List<String> command = new ArrayList<>();
    command.add(System.getProperty("java.home") + File.separator + "bin" + File.separator + "java");
    command.addAll(ChildJvm.LAUNCHER_FLAGS);
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
    command.addAll(List.of(arguments));
    return command;
  }

  /**
   * Measures calls and starts.
   *
   * @param sizes the amount of work
   * @param report the report to add to
   * @param launcher the command's launcher, or null for none
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
      Benchmarks.progress("the start of ralph mcp is skipped: no launcher");
    } else {
      starts(sizes, report, folder, store, launcher);
    }
  }

  // ---- calls

  private static void calls(Sizes sizes, Report report, Path folder, Path store)
      throws IOException {
    Calls reads = new Calls("task_list", "{}");
    Calls writes =
        new Calls("note_add", "{\"type\":\"tip\",\"content\":\"Write the form for case 1\"}");
    Calls echoes = new Calls("echo", McpClient.member("text", "Write the form for case 1"));
    List<Double> syncs = new ArrayList<>();
    try (McpClient ours = new McpClient(command(McpLatency.class, store.toString()), Map.of());
        McpClient echo = new McpClient(command(EchoServer.class), Map.of());
        BareWriter bare =
            new BareWriter(folder.resolve("bare"), BareLines.byJackson("ralph.mine.note"))) {
      for (int i = -sizes.warmupCalls(); i < sizes.calls(); i++) {
        boolean counts = i >= 0;
        echoes.one(echo, counts);
        reads.one(ours, counts);
        writes.one(ours, counts);
        double synced = sync(bare, i);
        if (counts) {
          syncs.add(synced);
        }
      }
      String frames = String.format(Locale.ROOT, "%,d", sizes.frames());
      report.add(
          "call of task_list over stdio, "
              + TASKS
              + " tasks among "
              + frames
              + " frames, against an echo",
          "ms",
          reads.measured(ours),
          echoes.measured(echo),
          Goal.overBaselineAtMost(CALL));
      report.add(
          "call of note_add, against an echo and a synced write",
          "ms",
          writes.measured(ours),
          Measured.ofCalls(echoes.plus(syncs)),
          Goal.overBaselineAtMost(CALL));
    }
  }

  /** The calls of one tool. */
  private static final class Calls {
    private final String tool;
    private final String arguments;
    private final List<Double> millis = new ArrayList<>();

    Calls(String tool, String arguments) {
      this.tool = tool;
      this.arguments = arguments;
    }

    void one(McpClient client, boolean counts) throws IOException {
      double took = client.call(tool, arguments);
      if (counts) {
        millis.add(took);
      }
    }

    double[] plus(List<Double> others) {
      return IntStream.range(0, millis.size())
          .mapToDouble(i -> millis.get(i) + others.get(i))
          .toArray();
    }

    /** Measures CPU time with further calls of only this tool. */
    Measured measured(McpClient client) throws IOException {
      Usage before = client.usage();
      for (int i = 0; i < millis.size(); i++) {
        client.call(tool, arguments);
      }
      Usage after = client.usage();
      return Measured.ofCalls(millis.stream().mapToDouble(Double::doubleValue).toArray())
          .withCpu((after.cpuMillis() - before.cpuMillis()) / millis.size())
          .withPeak(after.peakMegabytes());
    }
  }

  private static double sync(BareWriter bare, int n) throws IOException {
    long begin = System.nanoTime();
    bare.begin();
    bare.line(n);
    bare.writeForced();
    return (System.nanoTime() - begin) / 1e6;
  }

  // ---- starts

  /**
   * Measures starts. The echo server is started in the same way: by a copy of the installed
   * launcher, from its own jar, with the same flags and a class data archive created in the same
   * way.
   */
  private static void starts(Sizes sizes, Report report, Path folder, Path store, Path launcher)
      throws IOException, InterruptedException {
    Path bin = Files.createDirectories(folder.resolve("echo/bin"));
    Path lib = Files.createDirectories(folder.resolve("echo/lib"));
    Path echoLauncher = echo(launcher, bin);
    Files.setPosixFilePermissions(echoLauncher, PosixFilePermissions.fromString("rwxr-xr-x"));
    echo(launcher.resolveSibling("ralph-cli/src/main/launcher/archives.sh"), lib);
    EchoServer.writeJar(lib.resolve("ralph.jar"));
    Server ours =
        new Server(
            List.of(launcher.toString(), "mcp", "--name", "mine", "--store", store.toString()),
            folder.resolve("cache"));
    Server echo = new Server(List.of(echoLauncher.toString(), "mcp"), folder.resolve("echo-cache"));
    ours.awaitArchives();
    echo.awaitArchives();
    Measured started = Measured.of();
    Measured echoStarted = Measured.of();
    for (int i = -1; i < sizes.starts(); i++) {
      Measured one = ours.start();
      Measured other = echo.start();
      if (i >= 0) {
        started = started.and(one);
        echoStarted = echoStarted.and(other);
      }
    }
    report.add(
        "start of ralph mcp until initialize is answered, against an echo server's by the SDK",
        "ms",
        started,
        echoStarted,
        Goal.oursAtMost(INITIALIZE));
  }

  /** Copies a script of the launcher into a folder, changed for the echo server. */
  private static Path echo(Path script, Path folder) throws IOException {
    return Files.writeString(
        folder.resolve(script.getFileName()),
        Files.readString(script).replace("dev.ralph.cli.Main", EchoServer.class.getName()));
  }

  /** A server started by a launcher, with its own cache of archives. */
  private record Server(List<String> command, Path cache) {

    Measured start() throws IOException {
      Map<String, String> variables =
          Map.of("XDG_CACHE_HOME", cache.toString(), "JAVA_HOME", System.getProperty("java.home"));
      try (McpClient client = new McpClient(command, variables)) {
        Usage usage = client.usage();
        return Measured.of(client.initializeMillis())
            .withCpu(usage.cpuMillis())
            .withPeak(usage.peakMegabytes());
      }
    }

    /** Waits for the archives, which the launcher creates in the background one by one. */
    void awaitArchives() throws IOException, InterruptedException {
      start();
      long deadline = System.nanoTime() + ARCHIVES_WITHIN;
      // Require two successes, because the launcher pauses between two archives.
      for (int held = 0; held < 2; held = hasArchives() ? held + 1 : 0) {
        if (System.nanoTime() > deadline) {
          throw new IOException("the launcher has made no archive below " + cache);
        }
        Thread.sleep(1000);
      }
    }

    private boolean hasArchives() throws IOException {
      if (!Files.exists(cache)) {
        return false;
      }
      try (Stream<Path> files = Files.walk(cache)) {
        List<String> names = files.map(Path::toString).toList();
        return names.stream().anyMatch(name -> name.matches(".*\\.(jsa|aot)"))
            && names.stream().noneMatch(name -> name.endsWith(".lock"));
      } catch (UncheckedIOException e) {
        return false; // a file was deleted, so an archive is being created
      }
    }
  }
}
