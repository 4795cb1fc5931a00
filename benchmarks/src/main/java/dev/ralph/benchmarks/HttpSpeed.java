package dev.ralph.benchmarks;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.ralph.Ralph;
import dev.ralph.benchmarks.Report.Goal;
import dev.ralph.web.AccessTokens;
import dev.ralph.web.RalphServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.FutureTask;

/**
 * Measures tool calls over HTTP per second: reading calls in comparison with an echo on the same
 * JDK server, and synced calls in comparison with plain syncs.
 */
final class HttpSpeed {

  private static final int TASKS = 50;
  private static final List<Integer> AGENTS = List.of(1, 8);

  private final Sizes sizes;
  private final Path folder;
  private final Path store;
  private final Map<Integer, Measured> reads = new TreeMap<>();
  private final Map<Integer, Measured> echoes = new TreeMap<>();
  private final Map<Integer, Measured> writes = new TreeMap<>();
  private Measured syncs = Measured.of();

  private HttpSpeed(Sizes sizes, Path folder) {
    this.sizes = sizes;
    this.folder = folder;
    this.store = folder.resolve("store");
  }

  // ---- servers

  /**
   * Prints a port and serves until the input ends. Arguments: {@code ralph STORE}, or {@code echo
   * BYTES}, which answers all requests with the given number of bytes.
   */
  public static void main(String[] arguments) throws IOException {
    if (arguments[0].equals("ralph")) {
      try (Ralph ralph = Ralph.openExisting(Path.of(arguments[1]));
          RalphServer server = RalphServer.builder(ralph).build()) {
        server.start();
        System.out.println(server.address().getPort());
        awaitEndOfInput();
      }
      return;
    }
    byte[] answer = "x".repeat(Integer.parseInt(arguments[1])).getBytes(StandardCharsets.US_ASCII);
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(Executors.newCachedThreadPool());
    server.createContext("/", exchange -> echo(exchange, answer));
    server.start();
    System.out.println(server.getAddress().getPort());
    awaitEndOfInput();
    System.exit(0);
  }

  private static void echo(HttpExchange exchange, byte[] answer) throws IOException {
    try (exchange) {
      byte[] unused = exchange.getRequestBody().readAllBytes();
      exchange.getResponseHeaders().set("Content-Type", "application/json");
      exchange.sendResponseHeaders(200, answer.length);
      exchange.getResponseBody().write(answer);
    }
  }

  private static void awaitEndOfInput() throws IOException {
    byte[] unused = System.in.readAllBytes();
  }

  private static ChildJvm start(String... arguments) throws IOException {
    List<String> flags = new ArrayList<>(ChildJvm.LAUNCHER_FLAGS);
    flags.add("-Dsun.net.httpserver.nodelay=true"); // as in ralph serve
    return ChildJvm.start(HttpSpeed.class, flags, arguments);
  }

  // ---- measurements

  static void measure(Sizes sizes, Report report) throws IOException, InterruptedException {
    Path folder = Logs.directory().resolve("http");
    HttpSpeed speed = new HttpSpeed(sizes, folder);
    for (int round = 1; round <= sizes.rounds(); round++) {
      Benchmarks.progress("calls over HTTP, " + round);
      Logs.delete(folder);
      speed.round();
    }
    Logs.delete(folder);
    speed.addTo(report);
  }

  private void round() throws IOException, InterruptedException {
    MakeLog.main(
        new String[] {store.toString(), "" + TASKS, Integer.toString(sizes.frames() - TASKS)});
    List<String> readers = new ArrayList<>();
    List<String> writers = new ArrayList<>();
    try (Ralph ralph = Ralph.openExisting(store)) {
      AccessTokens tokens = AccessTokens.of(ralph);
      for (int i = 1; i <= AGENTS.get(AGENTS.size() - 1); i++) {
        readers.add(tokens.addAgent("reader" + i, "mine"));
        writers.add(tokens.addAgent("writer" + i, "written"));
      }
    }
    try (ChildJvm ours = start("ralph", store.toString());
        BareWriter bare =
            new BareWriter(folder.resolve("bare"), BareLines.byJackson("ralph.written.task"))) {
      int port = (int) ours.figures()[0];
      String list = "task_list";
      int length;
      try (HttpCaller first = new HttpCaller(port, readers.get(0), list, "{}")) {
        length = first.call().length;
      }
      try (ChildJvm echo = start("echo", Integer.toString(length))) {
        int echoPort = (int) echo.figures()[0];
        for (int i = -sizes.warmups(); i < sizes.iterations(); i++) {
          for (int agents : AGENTS) {
            Measured read = calls(ours, port, readers.subList(0, agents), list, "{}");
            Measured echoed = calls(echo, echoPort, readers.subList(0, agents), list, "{}");
            Measured written =
                calls(
                    ours,
                    port,
                    writers.subList(0, agents),
                    "task_add",
                    "{\"content\":\"Write the form for case 1\"}");
            if (i >= 0) {
              reads.merge(agents, read, Measured::and);
              echoes.merge(agents, echoed, Measured::and);
              writes.merge(agents, written, Measured::and);
            }
          }
          double synced = syncs(bare);
          syncs = i >= 0 ? syncs.and(Measured.of(synced)) : syncs;
        }
      }
    }
  }

  /** Returns the answered calls per second of several agents, and the cost per call. */
  private Measured calls(
      ChildJvm server, int port, List<String> tokens, String tool, String arguments)
      throws IOException, InterruptedException {
    double before = server.usage().cpuMillis();
    long begin = System.nanoTime();
    long end = begin + sizes.iterationMillis() * 1_000_000L;
    List<FutureTask<Integer>> agents = new ArrayList<>();
    for (String token : tokens) {
      FutureTask<Integer> agent =
          new FutureTask<>(() -> callsUntil(end, port, token, tool, arguments));
      agents.add(agent);
      new Thread(agent).start();
    }
    int all = 0;
    try {
      for (FutureTask<Integer> agent : agents) {
        all += agent.get();
      }
    } catch (ExecutionException e) {
      throw new IOException(tool + " failed", e.getCause());
    }
    double seconds = (System.nanoTime() - begin) / 1e9;
    Usage after = server.usage();
    return Measured.of(all / seconds)
        .withCpu((after.cpuMillis() - before) / all)
        .withPeak(after.peakMegabytes());
  }

  private static int callsUntil(long end, int port, String token, String tool, String arguments)
      throws IOException {
    try (HttpCaller agent = new HttpCaller(port, token, tool, arguments)) {
      String first = new String(agent.call(), StandardCharsets.UTF_8);
      if (first.contains("\"isError\":true")) {
        throw new IOException("unexpected answer: " + first);
      }
      int count = 1;
      for (; System.nanoTime() - end < 0; count++) {
        byte[] unused = agent.call();
      }
      return count;
    }
  }

  /** Returns the lines per second that one thread writes and syncs. */
  private double syncs(BareWriter bare) throws IOException {
    long begin = System.nanoTime();
    long end = begin + sizes.iterationMillis() * 1_000_000L;
    int count = 0;
    do {
      bare.begin();
      bare.line(++count);
      bare.writeForced();
    } while (System.nanoTime() - end < 0);
    return count / ((System.nanoTime() - begin) / 1e9);
  }

  private void addTo(Report report) {
    for (int agents : AGENTS) {
      String by = agents == 1 ? "1 agent" : agents + " agents";
      report.add(
          String.format(
              Locale.ROOT,
              "task_list over HTTP, %s, %d tasks among %,d frames, against an echo",
              by,
              TASKS,
              sizes.frames()),
          "calls/s",
          Objects.requireNonNull(reads.get(agents)),
          Objects.requireNonNull(echoes.get(agents)),
          Goal.NONE);
      report.add(
          "task_add over HTTP, synced, " + by + ", against one writer's write + force",
          "calls/s",
          Objects.requireNonNull(writes.get(agents)),
          syncs,
          Goal.NONE);
    }
  }
}
