package dev.ralph.benchmarks;

import dev.ralph.AgentResult;
import dev.ralph.Ralph;
import dev.ralph.RecordEntry;
import dev.ralph.Session;
import dev.ralph.Task;
import dev.ralph.web.RalphServer;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.DoubleStream;

/**
 * Measures the effect of open pages on a loop, with and without pages alternately. Loop and server
 * run in separate processes; the pages are connections of this process that read all events.
 */
final class PagesCost {

  /** The maximum number of streams per token; a server permits 256 in total. */
  private static final int PAGES_OF_TOKEN = 16;

  private static final int MOST_TOKENS = 16;

  private static final String SESSION = "busy";
  private static final Duration SETTLING = Duration.ofSeconds(2);

  private PagesCost() {}

  /**
   * Prints the iterations per second and the CPU time per iteration of the loop's process, without
   * and with pages: median and interquartile range.
   *
   * @param arguments the number of pages, the number of repetitions, the seconds of each
   *     measurement, and the milliseconds of an agent; or the part of a child process
   */
  public static void main(String[] arguments) throws Exception {
    Path store = Logs.directory().resolve("pages");
    switch (arguments[0]) {
      case "serve" -> serve(store);
      case "loop" -> loop(store, Long.parseLong(arguments[1]));
      default -> compare(store, arguments);
    }
  }

  private static void serve(Path store) throws Exception {
    System.setProperty("sun.net.httpserver.nodelay", "true"); // as in the command
    try (Ralph ralph = Ralph.open(store);
        RalphServer server = RalphServer.builder(ralph).build()) {
      server.start();
      StringBuilder listening = new StringBuilder().append(server.address().getPort());
      for (int i = 0; i < MOST_TOKENS; i++) {
        listening.append(' ').append(server.token("ann"));
      }
      System.out.println(listening);
      System.in.read(); // until the parent closes the input or exits
    }
  }

  private static void loop(Path store, long work) {
    try (Ralph ralph = Ralph.open(store)) {
      Session session = ralph.session(SESSION);
      session
          .loop(
              turn -> {
                for (int i = 0; i < 3; i++) {
                  turn.record(RecordEntry.toolCall("c" + i, "Bash", "{\"command\":\"make\"}"));
                  turn.output("Editing Form" + i + ".java");
                  Thread.sleep(work / 3);
                  turn.record(RecordEntry.toolResult("c" + i, false, "Tests run: 12"));
                }
                Task done = session.tasks().ready().get(0);
                session.tasks().complete(done.id());
                session.tasks().add("Go on from " + done.number());
                return AgentResult.success().summary("Wrote a form");
              })
          .maxIterations(0)
          .doneWhen(now -> false)
          .run();
    }
  }

  private static void compare(Path store, String[] arguments) throws Exception {
    int pages = Integer.parseInt(arguments[0]);
    int rounds = Integer.parseInt(arguments[1]);
    long seconds = Long.parseLong(arguments[2]);
    Logs.delete(store);
    double[][] perSecond = new double[2][rounds];
    double[][] processor = new double[2][rounds];
    try (Ralph ralph = Ralph.open(store)) {
      Session session = ralph.session(SESSION);
      for (int i = 0; i < 100; i++) {
        session.tasks().add("Write form " + i);
      }
      Process server = child("serve");
      Process loop = child("loop", arguments[3]);
      try {
        String[] listening = server.inputReader().readLine().split(" ");
        Thread.sleep(SETTLING.toMillis() * 3);
        for (int i = 0; i < rounds; i++) {
          for (int with = 0; with < 2; with++) {
            List<Socket> open = open(with * pages, listening);
            Thread.sleep(SETTLING.toMillis());
            long begin = System.nanoTime();
            int first = session.iterations().last().orElseThrow().number();
            Duration cpu = loop.info().totalCpuDuration().orElseThrow();
            Thread.sleep(seconds * 1_000);
            int count = session.iterations().last().orElseThrow().number() - first;
            Duration used = loop.info().totalCpuDuration().orElseThrow().minus(cpu);
            perSecond[with][i] = count / ((System.nanoTime() - begin) / 1e9);
            processor[with][i] = used.toNanos() / 1e6 / count;
            for (Socket each : open) {
              each.close();
            }
          }
        }
      } finally {
        loop.destroy();
        server.destroy();
        loop.waitFor();
        server.waitFor();
      }
    }
    for (int with = 0; with < 2; with++) {
      System.out.printf(
          "%d pages: %s iterations a second, %s ms of the loop's processor time for each%n",
          with * pages, spread(perSecond[with]), spread(processor[with]));
    }
  }

  private static Process child(String... arguments) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(System.getProperty("java.home") + File.separator + "bin" + File.separator + "java");
    command.addAll(ChildJvm.LAUNCHER_FLAGS);
    command.addAll(List.of(Logs.directoryArgument(), "-cp", System.getProperty("java.class.path")));
    command.add(PagesCost.class.getName());
    command.addAll(List.of(arguments));
    return new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
  }

  /** Opens pages, which read all events. */
  private static List<Socket> open(int pages, String[] listening) throws IOException {
    List<Socket> open = new ArrayList<>();
    for (int i = 0; i < pages; i++) {
      String request =
          "GET /api/feeds?names=%s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n\r\n"
              .formatted(SESSION, listening[1 + i / PAGES_OF_TOKEN]);
      Socket page = new Socket(InetAddress.getLoopbackAddress(), Integer.parseInt(listening[0]));
      page.getOutputStream().write(request.getBytes(StandardCharsets.UTF_8));
      open.add(page);
      Thread reader = new Thread(() -> read(page), "page");
      reader.setDaemon(true);
      reader.start();
    }
    return open;
  }

  private static void read(Socket page) {
    try (InputStream in = page.getInputStream()) {
      in.transferTo(OutputStream.nullOutputStream());
    } catch (IOException closed) {
      // the measurement has ended
    }
  }

  private static String spread(double[] figures) {
    double[] sorted = DoubleStream.of(figures).sorted().toArray();
    int last = sorted.length - 1;
    return "%.1f (%.1f to %.1f)"
        .formatted(sorted[sorted.length / 2], sorted[last / 4], sorted[last - last / 4]);
  }
}
