package dev.ralph.agents;

import dev.ralph.Turn;
import dev.ralph.agents.internal.ClientName;
import dev.ralph.core.internal.process.PrivateFolder;
import dev.ralph.core.internal.process.ProcessMark;
import dev.ralph.core.internal.process.ProcessSpec;
import dev.ralph.log.RalphException;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import javax.annotation.concurrent.GuardedBy;
import org.jspecify.annotations.Nullable;

/**
 * An agent's server, kept between iterations, with a generated password. The server starts with the
 * first session. One thread at a time may create sessions; any thread may call {@link #close}.
 */
final class KeptServer implements AutoCloseable {

  private static final System.Logger LOG = System.getLogger(OpencodeAgent.class.getPackageName());

  private static final String PASSWORD = "OPENCODE_SERVER_PASSWORD";
  private static final String USER = "OPENCODE_SERVER_USERNAME";

  /**
   * The time limit of a request. Requests are not interruptible, so several short requests end
   * earlier than one long request. Later requests are longer because a busy server needs more time.
   */
  private static final Duration SESSION_LIMIT = Duration.ofSeconds(3);

  private static final int LONGER = 3;

  private static final int SESSION_TRIES = 10;
  static final Duration SEE_END = Duration.ofSeconds(1);

  private final ClientSettings settings;
  private final @Nullable Integer port;
  private final String user;
  private final String password;
  private final boolean passwordMadeUp;

  /** Guards the shared state. Never held while waiting. */
  private final ReentrantLock lock = new ReentrantLock();

  @GuardedBy("lock")
  private @Nullable OpencodeServer server;

  @GuardedBy("lock")
  private @Nullable PrivateFolder passwordFolder;

  @GuardedBy("lock")
  private boolean closed;

  /**
   * Creates an object without a server.
   *
   * @param port the port of the server, or null for the default port or a free port
   */
  KeptServer(ClientSettings settings, @Nullable Integer port) {
    this.settings = settings;
    this.port = port;
    this.user = Optional.ofNullable(settings.variable(USER)).orElse("opencode");
    String given = settings.variable(PASSWORD);
    this.passwordMadeUp = given == null;
    this.password = given == null ? newPassword() : given;
  }

  /**
   * Creates a session for a turn. Retries, because a new server may drop requests, and a failing
   * server cannot be distinguished from a running server.
   */
  OpencodeSession session(Turn turn, String title)
      throws IOException,
          InterruptedException,
          OpencodeServer.StartException,
          ClientRun.StartException {
    Path directory = ClientSettings.directory(turn);
    for (int tries = 1; ; tries++) {
      OpencodeServer server = serving(turn);
      try {
        Duration limit = SESSION_LIMIT.multipliedBy(Math.min(tries, LONGER));
        String session = server.api().createSession(directory, title, limit);
        return new OpencodeSession(server, directory, session);
      } catch (IOException e) {
        if (server.ending(SEE_END).isEmpty() && tries >= SESSION_TRIES) {
          drop(server);
          throw e;
        }
        if (tries > SESSION_TRIES || turn.cancelled()) {
          throw e;
        }
      }
    }
  }

  /** Returns the present server if it can serve the turn, or else a new server. */
  private OpencodeServer serving(Turn turn)
      throws InterruptedException, OpencodeServer.StartException, ClientRun.StartException {
    ProcessMark mark = ProcessMark.of(turn.processMark());
    OpencodeServer present = present();
    if (present != null) {
      if (present.serves(mark)) {
        return present;
      }
      Optional<String> ending = present.ending(Duration.ZERO);
      drop(present);
      if (ending.isPresent()) {
        turn.notice("the opencode server ended, " + ending.get() + "; starting a new server");
      }
    }
    turn.notice("Starting opencode...");
    int wanted = port == null ? OpencodeServer.freePort(OpencodeAgent.DEFAULT_PORT) : port;
    List<String> arguments =
        List.of(
            "serve",
            "--hostname",
            "127.0.0.1",
            "--port",
            String.valueOf(wanted),
            OpencodeAgent.LOGS,
            "--log-level",
            "ERROR");
    McpServerCommand tools = settings.tools();
    Map<String, String> variables =
        tools == null
            ? Map.of()
            : Map.of(
                OpencodeConfiguration.VARIABLE,
                OpencodeConfiguration.with(settings, tools, Map.of()));
    OpencodeServer started;
    try {
      started =
          OpencodeServer.start(
              withCredentials(settings.serverCommand(turn, arguments, variables)),
              mark,
              wanted,
              user,
              password,
              ClientSettings.directory(turn),
              turn::cancelled);
    } catch (RalphException e) {
      throw new ClientRun.StartException(ClientName.OPENCODE, e);
    }
    keep(started);
    if (port == null && wanted != OpencodeAgent.DEFAULT_PORT) {
      turn.notice("Port " + OpencodeAgent.DEFAULT_PORT + " is already in use; using a free port:");
    }
    turn.notice("Web UI: " + started.url());
    turn.notice("Sign in as " + user + " with the password in " + passwordPlace());
    return started;
  }

  /**
   * Returns the place of the password. Notices may be logged or seen by others, so they do not
   * contain the password.
   */
  private String passwordPlace() {
    if (!passwordMadeUp) {
      return PASSWORD;
    }
    lock.lock();
    try {
      if (passwordFolder == null) {
        passwordFolder = PrivateFolder.create();
        Files.writeString(passwordFolder.file("password"), password + "\n");
      }
      return passwordFolder.file("password") + " (readable only by you)";
    } catch (IOException e) {
      LOG.log(Level.DEBUG, "cannot write the password", e);
      return PASSWORD
          + ": set this variable before the next start, because the password file"
          + " cannot be written";
    } finally {
      lock.unlock();
    }
  }

  private @Nullable OpencodeServer present() {
    lock.lock();
    try {
      return server;
    } finally {
      lock.unlock();
    }
  }

  private void keep(OpencodeServer started) {
    boolean tooLate;
    lock.lock();
    try {
      tooLate = closed;
      server = closed ? null : started;
    } finally {
      lock.unlock();
    }
    if (tooLate) {
      started.close();
      throw closedFailure();
    }
  }

  /** Stops a server. The next session starts a new server. */
  void drop(OpencodeServer ended) {
    lock.lock();
    try {
      if (server == ended) {
        server = null;
      }
    } finally {
      lock.unlock();
    }
    ended.close();
  }

  /**
   * Rejects calls after {@link #close}.
   *
   * @throws RalphException CLOSED if the agent is closed
   */
  void requireOpen() {
    lock.lock();
    try {
      if (closed) {
        throw closedFailure();
      }
    } finally {
      lock.unlock();
    }
  }

  private static RalphException closedFailure() {
    return RalphException.closed("the opencode agent");
  }

  /**
   * Replaces the password in a text. Shell commands of the server see its environment, and an agent
   * may repeat the password.
   */
  String withoutPassword(String text) {
    return text.replace(password, "[password]");
  }

  /** Adds the user name and password of the server to a process environment. */
  ProcessSpec.Builder withCredentials(ProcessSpec.Builder spec) {
    return spec.environment(USER, user).environment(PASSWORD, password);
  }

  private static String newPassword() {
    byte[] random = new byte[12];
    new SecureRandom().nextBytes(random);
    return HexFormat.of().formatHex(random);
  }

  /** Stops the server and all processes of its sessions, and waits for their end. */
  @Override
  public void close() {
    OpencodeServer last;
    PrivateFolder folder;
    lock.lock();
    try {
      closed = true;
      last = server;
      server = null;
      folder = passwordFolder;
      passwordFolder = null;
    } finally {
      lock.unlock();
    }
    if (folder != null) {
      folder.close();
    }
    if (last != null) {
      last.close();
    }
  }
}
