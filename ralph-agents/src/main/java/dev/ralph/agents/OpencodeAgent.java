package dev.ralph.agents;

import dev.ralph.Agent;
import dev.ralph.AgentResult;
import dev.ralph.AgentResult.Cause;
import dev.ralph.RalphException;
import dev.ralph.Turn;
import dev.ralph.agents.ClientRun.End;
import dev.ralph.agents.ClientRun.EndKind;
import dev.ralph.core.internal.process.ProcessExit;
import dev.ralph.core.internal.process.ProcessMark;
import dev.ralph.core.internal.process.ProcessSpec;
import dev.ralph.tool.McpServerCommand;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantLock;
import javax.annotation.Nullable;

/**
 * The opencode client as an agent, each iteration a session of its own.
 *
 * <p>By default it keeps one opencode server for all iterations, whose web page shows every
 * session; the address, and the password made up for it, come as a {@link Turn#notice notice}. The
 * server is started with the first iteration, again when it has ended, and ends with {@link
 * #close}. With {@link Builder#withoutServer} each iteration is a plain {@code opencode run}.
 *
 * <p>With a server, the agent's shell commands are the server's children: they see the environment
 * and the mark of the iteration that started the server. All that an agent needs has to stand in
 * its prompt. What a shell command leaves running in the background goes on until the agent is
 * closed, or until an iteration is cut short.
 *
 * <p>The user's own configuration of opencode counts and is never changed.
 *
 * <p>{@link #run} is for one thread at a time; {@link #close} is for any.
 */
public final class OpencodeAgent implements Agent {

  /** What opencode puts before the names of the session's tools. */
  public static final String TOOL_PREFIX = "ralph_";

  /** The port of the server where none is given, unless somebody else uses it. */
  public static final int DEFAULT_PORT = 4096;

  private static final System.Logger LOG = System.getLogger(OpencodeAgent.class.getPackageName());

  private static final String PASSWORD = "OPENCODE_SERVER_PASSWORD";
  private static final String USER = "OPENCODE_SERVER_USERNAME";

  /** Errors stand in its log, on standard error; an event may only refer to one. */
  private static final String LOGS = "--print-logs";

  /**
   * With the ends of client and server, half a second each, these have to fit into the time that a
   * loop gives an agent to end: 5 seconds if nobody sets it.
   */
  private static final Duration HURRIED_REQUEST = Duration.ofMillis(800);

  private static final Duration IDLE_LIMIT = Duration.ofMillis(1_500);
  private static final Duration LEFTOVER_LIMIT = Duration.ofMillis(500);

  /** Nothing can interrupt a request: several short ones leave sooner than a long one. */
  private static final Duration SESSION_LIMIT = Duration.ofSeconds(3);

  private static final int SESSION_TRIES = 10;
  private static final Duration SEE_END = Duration.ofSeconds(1);
  private static final Duration REQUEST_LIMIT = Duration.ofSeconds(10);
  private static final Duration POLL_EVERY = Duration.ofMillis(25);

  /** The tool server has to start within this time; on a machine at its limits that takes some. */
  private static final Duration TOOLS_LIMIT = Duration.ofSeconds(60);

  private final ClientSettings settings;
  private final TestedVersion version;
  @Nullable private final Integer port;
  private final boolean withServer;
  private final String user;
  private final String password;
  private final boolean passwordMadeUp;

  /** Guards what close and run both change; never held while waiting for anything. */
  private final ReentrantLock lock = new ReentrantLock();

  @Nullable private OpencodeServer server;
  @Nullable private PrivateFolder passwordFolder;
  private boolean closed;

  private OpencodeAgent(Builder builder) {
    settings = builder.settings();
    version = new TestedVersion(ClientName.OPENCODE, settings);
    port = builder.port;
    if (settings.tools() != null) {
      // What can't be added to is better known before the first iteration.
      configuration(settings.tools(), Map.of());
    }
    withServer = builder.withServer;
    user = Optional.ofNullable(settings.variable(USER)).orElse("opencode");
    String given = settings.variable(PASSWORD);
    passwordMadeUp = given == null;
    password = given == null && withServer ? newPassword() : String.valueOf(given);
  }

  /** Begins an agent that runs {@code opencode} as found on the PATH, with a server. */
  public static Builder builder() {
    return new Builder();
  }

  /** Returns true: opencode reaches the session by commands in its prompt only. */
  @Override
  public boolean needsTools() {
    return true;
  }

  /**
   * Runs one iteration.
   *
   * @return SUCCESS with the agent's last words; RATE_LIMITED, with the wait asked for where the
   *     model's provider said; FATAL if opencode is not installed or not logged in, or if its
   *     server can't be started, such as when another program has the port; else FAILURE: the model
   *     failed, opencode was killed, time ran out
   * @throws RalphException CLOSED if the agent was closed before
   */
  @Override
  public AgentResult run(Turn turn) {
    requireOpen();
    RunRecord record = new RunRecord(text -> turn.output(withoutPassword(text)));
    OpencodeEvents events = new OpencodeEvents(record, turn.deadline() != null);
    AgentResult result;
    try {
      result = withServer ? runAttached(turn, record, events) : runAlone(turn, record, events);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      result = cutShort(turn, record);
    } catch (OpencodeServer.StartException e) {
      result = AgentResult.fatal(String.valueOf(e.getMessage()));
    } catch (ClientRun.StartException e) {
      result = e.result();
    }
    String summary = result.summary();
    return version.note(
        turn,
        result.summary(summary == null ? null : withoutPassword(summary)).usage(record.usage()));
  }

  /** The server's shell commands see its environment, and an agent may repeat what it sees. */
  private String withoutPassword(String text) {
    return withServer ? text.replace(password, "[password]") : text;
  }

  private AgentResult runAlone(Turn turn, RunRecord record, OpencodeEvents events)
      throws InterruptedException, ClientRun.StartException {
    McpServerCommand tools = settings.tools();
    if (tools == null) {
      return runAlone(turn, record, events, Map.of(), Optional::empty);
    }
    try (PrivateFolder folder = PrivateFolder.create()) {
      Path ready = folder.file("ready");
      Map<String, String> variables =
          Map.of(
              OpencodeConfiguration.VARIABLE,
              configuration(tools, Map.of(McpServerCommand.READY_FILE, ready.toString())));
      // opencode asks its model only when its tool servers are up, or when it has given them up.
      ClientRun.Watch connected =
          () ->
              record.answered() && !Files.exists(ready)
                  ? Optional.of(ToolsMissing.of(ClientName.OPENCODE, tools, ""))
                  : Optional.empty();
      return runAlone(turn, record, events, variables, connected);
    } catch (IOException e) {
      return AgentResult.failure("no temporary folder can be made: " + e.getMessage());
    }
  }

  private AgentResult runAlone(
      Turn turn,
      RunRecord record,
      OpencodeEvents events,
      Map<String, String> variables,
      ClientRun.Watch watch)
      throws InterruptedException, ClientRun.StartException {
    ProcessSpec.Builder spec = settings.command(turn, runArguments(turn, List.of()), variables);
    try (ClientRun client = startClient(spec, turn, record, events)) {
      End end = client.await(settings.longestSilence(), watch);
      events.explain(client.stderr());
      Optional<AgentResult> found =
          end.kind() == EndKind.EXITED ? watch.reasonToGiveUp() : Optional.empty();
      return client.result(end, (code, stderr) -> found);
    }
  }

  private AgentResult runAttached(Turn turn, RunRecord record, OpencodeEvents events)
      throws InterruptedException, OpencodeServer.StartException, ClientRun.StartException {
    Attached attached;
    try {
      attached = attach(turn);
      Optional<AgentResult> missing = toolsMissing(attached);
      if (missing.isPresent()) {
        // The next turn has a new server, and that a new tool server.
        drop(attached.server());
        return missing.get();
      }
    } catch (IOException e) {
      return AgentResult.failure("the opencode server failed: " + e.getMessage());
    }
    OpencodeServer server = attached.server();
    List<String> attachment =
        List.of("--attach", server.url().toString(), "--session", attached.session());
    ProcessSpec.Builder spec =
        attachable(settings.command(turn, runArguments(turn, attachment), Map.of()));
    ClientRun client = startClient(spec, turn, record, events);
    OpencodeWatch watch =
        OpencodeWatch.start(turn, server, attached.directory(), attached.session(), record, events);
    End end;
    try (client) {
      end = client.await(settings.longestSilence(), watch);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      end = End.cutShort();
    }
    watch.end(end.kind() == EndKind.EXITED ? REQUEST_LIMIT : HURRIED_REQUEST);
    return resultOf(client, end, attached, record, events);
  }

  private AgentResult resultOf(
      ClientRun client, End end, Attached attached, RunRecord record, OpencodeEvents events)
      throws InterruptedException {
    OpencodeServer server = attached.server();
    boolean interrupted = Thread.interrupted();
    Optional<String> died = Optional.empty();
    boolean told;
    try {
      Rest rest = settle(attached, end);
      boolean atRest = rest != Rest.NONE;
      told = readBack(attached, events, end, rest == Rest.ABORTED && hasEndedWell(end));
      events.explain(server.log());
      if (end.kind() == EndKind.EXITED && !(atRest && told)) {
        died = server.ending(SEE_END);
      }
      if (!atRest) {
        // With its server, everything ends that the session started; the next turn has a new one.
        drop(server);
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
    if (end.kind() == EndKind.EXITED && record.givenUp() == null) {
      if (died.isPresent()) {
        return AgentResult.failure("the opencode server ended in mid-iteration, " + died.get())
            .cause(Cause.KILLED);
      }
      if (!told) {
        return AgentResult.failure("the opencode server can't be asked what came of the session");
      }
    }
    return client.result(end, (code, stderr) -> Optional.empty());
  }

  /**
   * Makes a session for this turn. A server that has just been started drops a request now and
   * then, and one that is just dying can't be told from one that lives: so more than one try.
   */
  private Attached attach(Turn turn)
      throws IOException,
          InterruptedException,
          OpencodeServer.StartException,
          ClientRun.StartException {
    Path directory = ClientSettings.directory(turn);
    for (int tries = 1; ; tries++) {
      OpencodeServer server = server(turn);
      try {
        String session = server.api().createSession(directory, title(turn), SESSION_LIMIT);
        return new Attached(server, directory, session, server.processes());
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

  /** The server starts its tool servers for a folder when that is first needed: now, if not yet. */
  private Optional<AgentResult> toolsMissing(Attached attached) throws IOException {
    McpServerCommand tools = settings.tools();
    if (tools == null) {
      return Optional.empty();
    }
    OpencodeApi.ToolServerStatus status =
        attached
            .server()
            .api()
            .toolServer(attached.directory(), ClientSettings.TOOL_SERVER, TOOLS_LIMIT);
    return status.isConnected()
        ? Optional.empty()
        : Optional.of(ToolsMissing.of(ClientName.OPENCODE, tools, status.error()));
  }

  /** Brings the session to rest, so that nothing of a run cut short is left. */
  private static Rest settle(Attached attached, End end) {
    OpencodeServer server = attached.server();
    if (!server.isRunning()) {
      return Rest.FOUND;
    }
    Duration limit = end.kind() == EndKind.EXITED ? REQUEST_LIMIT : HURRIED_REQUEST;
    try {
      // A client that ended well did so because the session is idle, or will be in a moment. But a
      // message that came with its last answer lets it begin again.
      if (hasEndedWell(end) && awaitIdle(attached, limit)) {
        return Rest.FOUND;
      }
      if (end.kind() == EndKind.EXITED && !isBusy(attached, limit)) {
        return Rest.FOUND;
      }
      server.api().abort(attached.directory(), attached.session(), limit);
      return awaitIdle(attached, limit) && awaitNoLeftovers(attached) ? Rest.ABORTED : Rest.NONE;
    } catch (IOException e) {
      LOG.log(Level.DEBUG, "opencode session " + attached.session() + " can't be aborted", e);
      return Rest.NONE;
    }
  }

  private static boolean hasEndedWell(End end) {
    ProcessExit exit = end.exit();
    return exit != null && exit.isSuccess();
  }

  private static boolean isBusy(Attached attached, Duration limit) throws IOException {
    return attached.server().api().isBusy(attached.directory(), attached.session(), limit);
  }

  private static boolean awaitIdle(Attached attached, Duration limit) throws IOException {
    long start = System.nanoTime();
    while (isBusy(attached, limit)) {
      if (System.nanoTime() - start > IDLE_LIMIT.toNanos() || !pause()) {
        return false;
      }
    }
    return true;
  }

  private static boolean awaitNoLeftovers(Attached attached) {
    long start = System.nanoTime();
    while (!attached.before().containsAll(attached.server().processes())) {
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
  private static boolean readBack(
      Attached attached, OpencodeEvents events, End end, boolean wasDone) {
    OpencodeServer server = attached.server();
    if (!server.isRunning()) {
      return false;
    }
    boolean hurried = end.kind() != EndKind.EXITED;
    Duration limit = hurried ? HURRIED_REQUEST : REQUEST_LIMIT;
    try {
      OpencodeApi api = server.api();
      events.acceptMessages(api.messages(attached.directory(), attached.session(), limit), wasDone);
      if (!hurried) {
        events.acceptChildren(api.children(attached.directory(), attached.session(), limit));
      }
      return true;
    } catch (IOException e) {
      LOG.log(Level.WARNING, "opencode session " + attached.session() + " can't be read back", e);
      return false;
    }
  }

  private ClientRun startClient(
      ProcessSpec.Builder spec, Turn turn, RunRecord record, OpencodeEvents events)
      throws ClientRun.StartException {
    return ClientRun.start(
        ClientName.OPENCODE, spec, turn, record, new EventLines(events, record::show));
  }

  /** The server for this turn: the one there is, or a new one. */
  private OpencodeServer server(Turn turn)
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
    int wanted = port == null ? OpencodeServer.freePort(DEFAULT_PORT) : port;
    List<String> arguments =
        List.of(
            "serve",
            "--hostname",
            "127.0.0.1",
            "--port",
            String.valueOf(wanted),
            LOGS,
            "--log-level",
            "ERROR");
    McpServerCommand tools = settings.tools();
    Map<String, String> variables =
        tools == null
            ? Map.of()
            : Map.of(OpencodeConfiguration.VARIABLE, configuration(tools, Map.of()));
    OpencodeServer started;
    try {
      started =
          OpencodeServer.start(
              withCredentials(settings.command(turn, arguments, variables)),
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
    if (port == null && wanted != DEFAULT_PORT) {
      turn.notice("Port " + DEFAULT_PORT + " is used by another program, so this is another one:");
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
      return PASSWORD + ": set it before the next start, for no file can be written";
    } finally {
      lock.unlock();
    }
  }

  @Nullable
  private OpencodeServer present() {
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

  private void drop(OpencodeServer ended) {
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

  private void requireOpen() {
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

  private String configuration(McpServerCommand tools, Map<String, String> more) {
    Map<String, String> variables = new TreeMap<>(tools.environment());
    variables.putAll(more);
    return OpencodeConfiguration.with(
        settings.variable(OpencodeConfiguration.VARIABLE), tools, variables);
  }

  /** The client asks the server directly, whatever proxy there is for the rest of the world. */
  private ProcessSpec.Builder attachable(ProcessSpec.Builder spec) {
    for (String name : List.of("NO_PROXY", "no_proxy")) {
      String others = settings.variable(name);
      spec.environment(name, others == null ? "127.0.0.1" : others + ",127.0.0.1");
    }
    return withCredentials(spec);
  }

  private ProcessSpec.Builder withCredentials(ProcessSpec.Builder spec) {
    return spec.environment(USER, user).environment(PASSWORD, password);
  }

  private List<String> runArguments(Turn turn, List<String> attachment) {
    List<String> all = new ArrayList<>(List.of("run"));
    all.addAll(attachment);
    all.addAll(List.of("--title", title(turn), "--format", "json"));
    if (attachment.isEmpty() && !settings.argumentsHaveAnyOf(List.of(LOGS, "--log-level"))) {
      all.addAll(List.of(LOGS, "--log-level", "ERROR"));
    }
    if (settings.model() != null) {
      all.addAll(List.of("-m", settings.model()));
    }
    all.addAll(settings.arguments());
    return all;
  }

  private static String title(Turn turn) {
    return turn.session().name() + " - Iteration #" + turn.iteration();
  }

  private static AgentResult cutShort(Turn turn, RunRecord record) {
    return ClientRun.cutShort(ClientName.OPENCODE, turn, record);
  }

  private static String newPassword() {
    byte[] random = new byte[12];
    new SecureRandom().nextBytes(random);
    return HexFormat.of().formatHex(random);
  }

  /** How a session came to rest. */
  private enum Rest {
    FOUND,
    ABORTED,
    NONE
  }

  /** A session on our server that a client is attached to; and what ran there before it. */
  private record Attached(
      OpencodeServer server, Path directory, String session, Set<ProcessHandle> before) {}

  /** Sets up an {@link OpencodeAgent}. For one thread. */
  public static final class Builder extends ClientBuilder<Builder> {

    @Nullable private Integer port;
    private boolean withServer = true;

    private Builder() {
      super("opencode");
    }

    @Override
    Builder self() {
      return this;
    }

    /**
     * Sets the port on 127.0.0.1 that the server listens on. If not set, {@value #DEFAULT_PORT}, or
     * any free one where somebody else uses that.
     *
     * @param port 1 to 65535, or 0 for one that opencode chooses
     * @throws RalphException INVALID if it is no port
     */
    public Builder port(int port) {
      if (port < 0 || port > 65_535) {
        throw RalphException.invalid("port " + port + ": use 1 to 65535, or 0 for any free one");
      }
      this.port = port;
      return this;
    }

    /** Runs each iteration as a program of its own, without a server and its web page. */
    public Builder withoutServer() {
      withServer = false;
      return this;
    }

    /**
     * Makes the agent; nothing is started yet.
     *
     * @throws RalphException INVALID if {@code OPENCODE_CONFIG_CONTENT} is set to something that
     *     the tool server can't be added to
     */
    @Override
    public OpencodeAgent build() {
      return new OpencodeAgent(this);
    }
  }
}
