package dev.ralph.benchmarks;

import dev.ralph.benchmarks.Report.Goal;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Compares the file store with NATS JetStream in the same task, if its server is installed. */
final class Peers {

  private static final String PROGRAM = "nats-server";
  private static final Pattern ADDRESS = Pattern.compile("nats://127\\.0\\.0\\.1:[0-9]+");
  private static final long STARTS_WITHIN = TimeUnit.SECONDS.toNanos(60);

  private Peers() {}

  static void measure(Sizes sizes, Report report) throws IOException, InterruptedException {
    Path program = onThePath();
    if (program == null) {
      Benchmarks.progress("skipped; not found: " + PROGRAM + " on the PATH");
      return;
    }
    for (int threads : List.of(1, 8)) {
      add(sizes, report, program, threads, true, "always");
    }
    add(sizes, report, program, 1, false, "2m");
  }

  private static @Nullable Path onThePath() {
    String path = System.getenv("PATH");
    return Stream.of((path == null ? "" : path).split(File.pathSeparator))
        .map(folder -> Path.of(folder, PROGRAM))
        .filter(Files::isExecutable)
        .findFirst()
        .orElse(null);
  }

  private static void add(
      Sizes sizes, Report report, Path program, int threads, boolean synced, String syncInterval)
      throws IOException, InterruptedException {
    Measured ours = Measured.of();
    Measured theirs = Measured.of();
    Path store = Logs.directory().resolve("peers-file");
    Path folder = Logs.directory().resolve("peers-nats");
    String millis = Integer.toString(sizes.iterations() * sizes.iterationMillis());
    String count = Integer.toString(threads);
    for (int round = 1; round <= sizes.rounds(); round++) {
      Benchmarks.progress("peers, " + threads + " threads, sync " + syncInterval + ", " + round);
      Logs.delete(store);
      ours = ours.and(run("file", store.toString(), String.valueOf(synced), count, millis));
      Logs.delete(folder);
      try (Server server = new Server(program, folder, syncInterval)) {
        String pid = Long.toString(server.process.pid());
        theirs = theirs.and(run("nats", server.address(), pid, count, millis));
      }
    }
    Logs.delete(store);
    Logs.delete(folder);
    report.add(
        (synced ? "synced append, " : "append one frame, not synced, ")
            + (threads == 1 ? "1 thread" : threads + " threads")
            + ", against NATS JetStream"
            + (synced ? " that syncs always" : " that syncs every two minutes"),
        "frames/s",
        ours,
        theirs,
        Goal.NONE);
  }

  private static Measured run(String... arguments) throws IOException {
    try (ChildJvm child = ChildJvm.start(PeerAppend.class, List.of("-Xmx1g"), arguments)) {
      double[] figures = child.figures();
      return Measured.of(figures[0]).withCpu(figures[1]).withP99(figures[2]);
    }
  }

  /** A server with one stream, on a port of its choice. */
  private static final class Server implements AutoCloseable {
    private final Process process;
    private final Path folder;

    Server(Path program, Path folder, String syncInterval) throws IOException {
      this.folder = Files.createDirectories(folder);
      Path configuration = folder.resolve("configuration");
      Files.writeString(
          configuration,
          String.format(
              """
              listen: "127.0.0.1:-1"
              ports_file_dir: "%1$s"
              jetstream { store_dir: "%1$s/streams", sync_interval: %2$s }
              """,
              folder, syncInterval));
      this.process =
          new ProcessBuilder(program.toString(), "-c", configuration.toString())
              .redirectErrorStream(true)
              .redirectOutput(folder.resolve("output").toFile())
              .start();
    }

    /** Waits until the server reports its address. */
    String address() throws IOException, InterruptedException {
      Path ports = folder.resolve(PROGRAM + "_" + process.pid() + ".ports");
      long deadline = System.nanoTime() + STARTS_WITHIN;
      while (true) {
        Matcher address = ADDRESS.matcher(Files.exists(ports) ? Files.readString(ports) : "");
        if (address.find()) {
          return address.group();
        }
        if (!process.isAlive() || System.nanoTime() > deadline) {
          throw new IOException(
              PROGRAM + " does not listen: " + Files.readString(folder.resolve("output")));
        }
        Thread.sleep(20);
      }
    }

    @Override
    public void close() {
      process.destroy();
      process.onExit().join();
    }
  }
}
