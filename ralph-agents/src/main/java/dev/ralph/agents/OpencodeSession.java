package dev.ralph.agents;

import dev.ralph.AgentResult;
import dev.ralph.agents.ClientRun.End;
import dev.ralph.agents.ClientRun.EndKind;
import dev.ralph.core.internal.process.ProcessExit;
import dev.ralph.tool.McpServerCommand;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;

/**
 * A session on our server that a client is attached to: what it has to work with, how it comes to
 * rest, and what it came to. For one thread.
 */
final class OpencodeSession {

  private static final System.Logger LOG = System.getLogger(OpencodeAgent.class.getPackageName());

  /**
   * With the ends of client and server, half a second each, these have to fit into the time that a
   * loop gives an agent to end: 5 seconds if nobody sets it.
   */
  static final Duration HURRIED_REQUEST = Duration.ofMillis(800);

  static final Duration REQUEST_LIMIT = Duration.ofSeconds(10);
  private static final Duration IDLE_LIMIT = Duration.ofMillis(1_500);
  private static final Duration LEFTOVER_LIMIT = Duration.ofMillis(500);
  private static final Duration POLL_EVERY = Duration.ofMillis(25);

  /** The tool server has to start within this time; on a machine at its limits that takes some. */
  private static final Duration TOOLS_LIMIT = Duration.ofSeconds(60);

  /** How a session came to rest. */
  enum Rest {
    FOUND,
    ABORTED,
    NONE
  }

  private final OpencodeServer server;
  private final Path directory;
  private final String id;

  /** What ran on the server before the session. */
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

  /** The server starts its tool servers for a folder when that is first needed: now, if not yet. */
  Optional<AgentResult> missing(McpServerCommand tools) throws IOException {
    OpencodeApi.ToolServerStatus status =
        server.api().toolServer(directory, ClientSettings.TOOL_SERVER, TOOLS_LIMIT);
    return status.isConnected()
        ? Optional.empty()
        : Optional.of(ToolsMissing.of(ClientName.OPENCODE, tools, status.error()));
  }

  /** Brings the session to rest, so that nothing of a run cut short is left. */
  Rest settle(End end) {
    if (!server.isRunning()) {
      return Rest.FOUND;
    }
    Duration limit = end.kind() == EndKind.EXITED ? REQUEST_LIMIT : HURRIED_REQUEST;
    try {
      // A client that ended well did so because the session is idle, or will be in a moment. But a
      // message that came with its last answer lets it begin again.
      if (hasEndedWell(end) && awaitIdle(limit)) {
        return Rest.FOUND;
      }
      if (end.kind() == EndKind.EXITED && !isBusy(limit)) {
        return Rest.FOUND;
      }
      server.api().abort(directory, id, limit);
      return awaitIdle(limit) && awaitNoLeftovers() ? Rest.ABORTED : Rest.NONE;
    } catch (IOException e) {
      LOG.log(Level.DEBUG, "opencode session " + id + " can't be aborted", e);
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
   * Asks the server for what the session came to; what the client told stays if it can't say.
   *
   * @param wasDone whether the session was done before it was aborted
   * @return whether it said
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
      LOG.log(Level.WARNING, "opencode session " + id + " can't be read back", e);
      return false;
    }
  }
}
