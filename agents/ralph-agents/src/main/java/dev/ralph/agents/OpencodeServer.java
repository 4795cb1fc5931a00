package dev.ralph.agents;

import dev.ralph.AgentResult;
import dev.ralph.AgentResult.Cause;
import dev.ralph.core.internal.process.ManagedProcess;
import dev.ralph.core.internal.process.ProcessExit;
import dev.ralph.core.internal.process.ProcessMark;
import dev.ralph.core.internal.process.ProcessSpec;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * An opencode server that this process started.
 *
 * <p>No request is sent before the started process reports that it listens on the port. Therefore
 * no foreign program on the port receives a request or the password.
 */
final class OpencodeServer implements AutoCloseable {

  /** Thrown if a server could not be started. */
  static final class StartException extends Exception {
    private static final long serialVersionUID = 1L;
    private final transient AgentResult result;

    /**
     * Creates an exception.
     *
     * @param result the result of the iteration, with a message for the user
     */
    StartException(AgentResult result) {
      super(result.summary());
      this.result = result;
    }

    AgentResult result() {
      return result;
    }
  }

  /** The time limit of a start, which takes more than a minute on an overloaded machine. */
  private static final Duration START_LIMIT = Duration.ofMinutes(3);

  /**
   * The time limit of the first request. On the first start, a server creates a database and never
   * responds to requests received meanwhile. Therefore requests are retried. Later requests have
   * longer limits because a busy server needs more time.
   */
  private static final Duration TRY_LIMIT = Duration.ofSeconds(2);

  private static final Duration LONGEST_TRY = Duration.ofSeconds(8);

  private static final Duration TRY_EVERY = Duration.ofMillis(50);
  private static final Duration PORT_FREE_LIMIT = Duration.ofSeconds(2);
  private static final Duration END_GRACE = Duration.ofMillis(500);
  private static final Pattern LISTENS =
      Pattern.compile("listening on (http://[0-9A-Za-z.:\\[\\]-]+)");

  private final ManagedProcess process;
  private final ProcessMark loopMark;
  private final URI url;
  private final OpencodeApi api;
  private final OutputTail log;

  private OpencodeServer(
      ManagedProcess process, ProcessMark loopMark, URI url, OpencodeApi api, OutputTail log) {
    this.process = process;
    this.loopMark = loopMark;
    this.url = url;
    this.api = api;
    this.log = log;
  }

  /**
   * Starts a server and waits until it responds.
   *
   * @param spec the command, without consumers
   * @param port the port in the command, or 0 for any port
   * @param directory the folder of the first session, which the server prepares
   * @param cancelled polled while waiting
   * @throws StartException if the port is in use, or if the server exits or does not respond
   * @throws dev.ralph.log.RalphException INVALID if the program cannot be started
   * @throws InterruptedException if interrupted or cancelled; the server was stopped
   */
  static OpencodeServer start(
      ProcessSpec.Builder spec,
      ProcessMark loopMark,
      int port,
      String user,
      String password,
      Path directory,
      BooleanSupplier cancelled)
      throws StartException, InterruptedException {
    if (port != 0) {
      requireFree(port);
    }
    OutputTail log = new OutputTail();
    CompletableFuture<URI> listening = new CompletableFuture<>();
    StringBuilder stdout = new StringBuilder();
    ManagedProcess process =
        ManagedProcess.start(
            spec.mark(loopMark)
                .onStdout(
                    piece -> {
                      log.accept(piece);
                      if (!listening.isDone()) {
                        Matcher said = LISTENS.matcher(stdout.append(piece));
                        if (piece.endsWith("\n") && said.find()) {
                          listening.complete(URI.create(said.group(1)));
                        }
                      }
                    })
                .onStderr(log::accept)
                .build());
    boolean started = false;
    try {
      URI url = await(process, listening, user, password, directory, cancelled, log);
      OpencodeApi api = new OpencodeApi(url, user, password);
      OpencodeServer server = new OpencodeServer(process, loopMark, url, api, log);
      started = true;
      return server;
    } finally {
      if (!started) {
        process.close();
      }
    }
  }

  private static URI await(
      ManagedProcess process,
      CompletableFuture<URI> listening,
      String user,
      String password,
      Path directory,
      BooleanSupplier cancelled,
      OutputTail log)
      throws StartException, InterruptedException {
    long start = System.nanoTime();
    Duration limit = TRY_LIMIT;
    while (System.nanoTime() - start < START_LIMIT.toNanos()) {
      if (cancelled.getAsBoolean()) {
        throw new InterruptedException();
      }
      Optional<ProcessExit> exit = process.await(TRY_EVERY);
      if (exit.isPresent()) {
        throw new StartException(
            AgentResult.fatal(
                "the opencode server ended at startup with "
                    + exit.get().words()
                    + log.afterColon()));
      }
      URI url = listening.getNow(null);
      if (url == null) {
        continue;
      }
      if (new OpencodeApi(url, user, password).isReady(directory, limit)) {
        return url;
      }
      limit = limit.compareTo(LONGEST_TRY) < 0 ? limit.multipliedBy(2) : LONGEST_TRY;
    }
    throw new StartException(
        AgentResult.failure(
                "the opencode server did not answer within "
                    + START_LIMIT.toSeconds()
                    + " s after startup"
                    + log.afterColon())
            .cause(Cause.HUNG));
  }

  /** Waits for a short time, because the port of a stopped server may not be free at once. */
  private static void requireFree(int port) throws StartException, InterruptedException {
    long start = System.nanoTime();
    while (!isFree(port)) {
      if (System.nanoTime() - start > PORT_FREE_LIMIT.toNanos()) {
        throw new StartException(
            AgentResult.fatal(
                "port "
                    + port
                    + " on 127.0.0.1 is already in use: choose a port for the opencode server"
                    + " with --port, or stop the process on this port (find it with: ss -ltnp"
                    + " 'sport = :"
                    + port
                    + "')"));
      }
      Thread.sleep(TRY_EVERY.toMillis());
    }
  }

  /** Returns the wanted port if free, otherwise any free port. */
  static int freePort(int wanted) {
    if (isFree(wanted)) {
      return wanted;
    }
    try (ServerSocket socket = new ServerSocket()) {
      socket.bind(new InetSocketAddress(loopback(), 0));
      return socket.getLocalPort();
    } catch (IOException e) {
      return wanted; // the start of the server reports the problem
    }
  }

  private static InetAddress loopback() throws IOException {
    return InetAddress.getByAddress(new byte[] {127, 0, 0, 1});
  }

  private static boolean isFree(int port) {
    try (ServerSocket socket = new ServerSocket()) {
      socket.bind(new InetSocketAddress(loopback(), port));
      return true;
    } catch (IOException taken) {
      return false;
    }
  }

  /** Returns the address of the server for browsers. */
  URI url() {
    return url;
  }

  OpencodeApi api() {
    return api;
  }

  /** Returns whether the server runs and has a process mark. */
  boolean serves(ProcessMark mark) {
    return process.isRunning() && loopMark.equals(mark);
  }

  boolean isRunning() {
    return process.isRunning();
  }

  /** Returns the end of the server's output, including its errors. */
  OutputTail log() {
    return log;
  }

  /**
   * Returns the exit and the last output of the server, or empty if it still runs after the wait.
   */
  Optional<String> ending(Duration wait) throws InterruptedException {
    return process.await(wait).map(exit -> exit.words() + log.afterColon());
  }

  /** Returns all known processes that the server started, without the server itself. */
  Set<ProcessHandle> processes() {
    Set<ProcessHandle> all = new HashSet<>(process.mark().find());
    ProcessHandle.of(process.pid())
        .ifPresent(server -> all.addAll(server.descendants().collect(Collectors.toSet())));
    all.removeIf(one -> one.pid() == process.pid());
    return all;
  }

  /** Stops the server and all descendant processes. */
  @Override
  public void close() {
    process.terminate(END_GRACE);
  }
}
