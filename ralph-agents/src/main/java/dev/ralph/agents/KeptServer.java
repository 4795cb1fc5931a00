package dev.ralph.agents;

import dev.ralph.Turn;
import dev.ralph.core.internal.process.PrivateFolder;
import dev.ralph.core.internal.process.ProcessMark;
import dev.ralph.core.internal.process.ProcessSpec;
import dev.ralph.log.RalphException;
import dev.ralph.tool.McpServerCommand;
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
 * The server that an agent keeps from one iteration to the next, and the password made up for it.
 * Nothing is started before the first session. One thread at a time makes sessions; {@link #close}
 * is for any.
 */
final class KeptServer implements AutoCloseable {

  private static final System.Logger LOG = System.getLogger(OpencodeAgent.class.getPackageName());

  private static final String PASSWORD = "OPENCODE_SERVER_PASSWORD";
  private static final String USER = "OPENCODE_SERVER_USERNAME";

  /**
   * Nothing can interrupt a request: several short ones leave sooner than a long one. A busy server
   * needs more, so the later ones are longer.
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

  /** Guards what all threads change; never held while waiting for anything. */
  private final ReentrantLock lock = new ReentrantLock();

  @GuardedBy("lock")
  private @Nullable OpencodeServer server;

  @GuardedBy("lock")
  private @Nullable PrivateFolder passwordFolder;

  @GuardedBy("lock")
  private boolean closed;

  /**
   * Makes it; nothing is started yet.
   *
   * @param port where it listens, or null for the usual one, or another if that is taken
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
   * Makes a session for this turn. A server that has just been started drops a request now and
   * then, and one that is just dying can't be told from one that lives: so more than one try.
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

  /** The server for this turn: the one there is, or a new one. */
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
        turn.notice("the opencode server had ended, " + ending.get() + "; it is started again");
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
      turn.notice(
          "Port "
              + OpencodeAgent.DEFAULT_PORT
              + " is used by another program, so this is another one:");
    }
    turn.notice("Web UI: " + started.url());
    turn.notice("Sign in there as " + user + " with the password in " + passwordPlace());
    return started;
  }

  /**
   * Returns where to find the password. A notice may end in a log, or on a screen that others see:
   * so it says where, not what.
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
      return passwordFolder.file("password") + ", which only you can read";
    } catch (IOException e) {
      LOG.log(Level.DEBUG, "the password can't be written", e);
      return PASSWORD + ": set it before the next start, because no file can be written";
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

  /** Ends that server; the next session has a new one. */
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
   * @throws RalphException CLOSED if it was closed
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

  /** The server's shell commands see its environment, and an agent may repeat what it sees. */
  String withoutPassword(String text) {
    return text.replace(password, "[password]");
  }

  /** Tells a process who may use the server. */
  ProcessSpec.Builder withCredentials(ProcessSpec.Builder spec) {
    return spec.environment(USER, user).environment(PASSWORD, password);
  }

  private static String newPassword() {
    byte[] random = new byte[12];
    new SecureRandom().nextBytes(random);
    return HexFormat.of().formatHex(random);
  }

  /** Ends the server and all that its sessions started, and returns when they are gone. */
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
