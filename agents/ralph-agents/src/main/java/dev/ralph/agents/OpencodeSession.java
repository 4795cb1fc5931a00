package dev.ralph.agents;

import dev.ralph.AgentResult;
import dev.ralph.agents.ClientRun.End;
import dev.ralph.agents.ClientRun.EndKind;
import dev.ralph.agents.internal.ClientName;
import dev.ralph.core.internal.process.ProcessExit;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;

/**
 * A session on the agent's server with an attached client: tools, end and result. Not thread-safe.
 */
final class OpencodeSession {

  private static final System.Logger LOG = System.getLogger(OpencodeAgent.class.getPackageName());

  /**
   * The time limit of a request after the iteration was stopped. These requests and the ends of
   * client and server, half a second each, must fit into the loop's grace period. The grace period
   * is 5 seconds by default.
   */
  static final Duration HURRIED_REQUEST = Duration.ofMillis(800);

  static final Duration REQUEST_LIMIT = Duration.ofSeconds(10);
  private static final Duration IDLE_LIMIT = Duration.ofMillis(1_500);
  private static final Duration LEFTOVER_LIMIT = Duration.ofMillis(500);
  private static final Duration POLL_EVERY = Duration.ofMillis(25);

  /** The time limit for the start of the tool server, which is slow on an overloaded machine. */
  private static final Duration TOOLS_LIMIT = Duration.ofSeconds(60);

  /**
   * The reason for a session's idleness: FOUND if already idle, ABORTED after an abort, NONE if
   * possibly still at work.
   */
  enum Rest {
    FOUND,
    ABORTED,
    NONE
  }

  private final OpencodeServer server;
  private final Path directory;
  private final String id;

  /** The processes of the server before the session. */
  private final Set<ProcessHandle> before;

  OpencodeSession(OpencodeServer server, Path directory, String id) {
    this.server = server;
    this.directory = directory;
    this.id = id;
    this.before = server.processes();
  }

  OpencodeServer server() {
    return server;
  }

  Path directory() {
    return directory;
  }

  String id() {
    return id;
  }

  /**
   * Returns a failure if the tool server is not connected. The server starts its tool servers for a
   * folder on first use.
   */
  Optional<AgentResult> missing(McpServerCommand tools) throws IOException {
    OpencodeApi.ToolServerStatus status =
        server.api().toolServer(directory, ClientSettings.TOOL_SERVER, TOOLS_LIMIT);
    return status.isConnected()
        ? Optional.empty()
        : Optional.of(ToolsMissing.of(ClientName.OPENCODE, tools, status.error()));
  }

  /**
   * Waits for the session to become idle, or aborts the session. No part of a cut run continues.
   */
  Rest settle(End end) {
    if (!server.isRunning()) {
      return Rest.FOUND;
    }
    Duration limit = end.kind() == EndKind.EXITED ? REQUEST_LIMIT : HURRIED_REQUEST;
    try {
      // A client that ended well has an idle session, or a session that becomes idle soon. However,
      // the session continues if a message arrived with the last answer.
      if (hasEndedWell(end) && awaitIdle(limit)) {
        return Rest.FOUND;
      }
      if (end.kind() == EndKind.EXITED && !isBusy(limit)) {
        return Rest.FOUND;
      }
      server.api().abort(directory, id, limit);
      return awaitIdle(limit) && awaitNoLeftovers() ? Rest.ABORTED : Rest.NONE;
    } catch (IOException e) {
      LOG.log(Level.DEBUG, "cannot abort the opencode session " + id, e);
      return Rest.NONE;
    }
  }

  static boolean hasEndedWell(End end) {
    ProcessExit exit = end.exit();
    return exit != null && exit.isSuccess();
  }

  private boolean isBusy(Duration limit) throws IOException {
    return server.api().isBusy(directory, id, limit);
  }

  private boolean awaitIdle(Duration limit) throws IOException {
    long start = System.nanoTime();
    while (isBusy(limit)) {
      if (System.nanoTime() - start > IDLE_LIMIT.toNanos() || !pause()) {
        return false;
      }
    }
    return true;
  }

  private boolean awaitNoLeftovers() {
    long start = System.nanoTime();
    while (!before.containsAll(server.processes())) {
      if (System.nanoTime() - start > LEFTOVER_LIMIT.toNanos() || !pause()) {
        return false;
      }
    }
    return true;
  }

  private static boolean pause() {
    try {
      Thread.sleep(POLL_EVERY.toMillis());
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  /**
   * Reads the result of the session from the server. Keeps the data of the client's events if the
   * server fails.
   *
   * @param wasDone whether the session was done before the abort
   * @return whether the server responded
   */
  boolean readBack(OpencodeEvents events, End end, boolean wasDone) {
    if (!server.isRunning()) {
      return false;
    }
    boolean hurried = end.kind() != EndKind.EXITED;
    Duration limit = hurried ? HURRIED_REQUEST : REQUEST_LIMIT;
    try {
      OpencodeApi api = server.api();
      events.acceptMessages(api.messages(directory, id, limit), wasDone);
      if (!hurried) {
        events.acceptChildren(api.children(directory, id, limit));
      }
      return true;
    } catch (IOException e) {
      LOG.log(Level.WARNING, "cannot read the opencode session " + id, e);
      return false;
    }
  }
}
