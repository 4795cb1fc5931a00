package dev.ralph.agents;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ralph.Agent;
import dev.ralph.AgentResult;
import dev.ralph.RalphException;
import dev.ralph.Turn;
import dev.ralph.core.process.ManagedProcess;
import dev.ralph.core.process.ProcessExit;
import dev.ralph.core.process.ProcessMark;
import dev.ralph.core.process.ProcessSpec;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
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

  /** The port of the server where none is given. */
  public static final int DEFAULT_PORT = 4096;

  private static final System.Logger LOG = System.getLogger(OpencodeAgent.class.getPackageName());

  private static final String PASSWORD = "OPENCODE_SERVER_PASSWORD";
  private static final String USER = "OPENCODE_SERVER_USERNAME";

  private static final Duration LOOK_EVERY = Duration.ofMillis(250);
  private static final Duration ASK_SERVER_EVERY = Duration.ofSeconds(1);

  /** A model that will not be asked again for longer than this has turned the agent away. */
  private static final Duration LONGEST_RETRY_WAIT = Duration.ofSeconds(60);

  /** So many answers in a row that break off are not chance. */
  private static final int CUT_OFF_STEPS_ALLOWED = 20;

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

  private final String program;
  private final int port;
  private final boolean withServer;
  @Nullable private final String model;
  private final List<String> arguments;
  private final Map<String, String> environment;
  private final String user;
  private final String password;
  private final boolean passwordMadeUp;

  /** Guards what close and run both change; never held while waiting for anything. */
  private final ReentrantLock lock = new ReentrantLock();

  @Nullable private OpencodeServer server;
  private boolean closed;

  private OpencodeAgent(Builder builder) {
    program = builder.program;
    port = builder.port;
    withServer = builder.withServer;
    model = builder.model;
    arguments = List.copyOf(builder.arguments);
    environment = Map.copyOf(builder.environment);
    user = Optional.ofNullable(variable(USER)).orElse("opencode");
    String given = variable(PASSWORD);
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
    RunRecord record = new RunRecord(turn::output);
    AgentResult result;
    try {
      result = withServer ? runAttached(turn, record) : runAlone(turn, record);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      result = cutShort(turn);
    } catch (OpencodeServer.StartException e) {
      result = AgentResult.fatal(String.valueOf(e.getMessage()));
    } catch (ProgramException e) {
      result = AgentResult.fatal(String.valueOf(e.getMessage()));
    }
    return result.usage(record.usage());
  }

  private AgentResult runAlone(Turn turn, RunRecord record)
      throws InterruptedException, ProgramException {
    OutputTail stderr = new OutputTail();
    ProcessSpec.Builder spec = command(turn, runArguments(turn, List.of()));
    try (ManagedProcess client = startClient(spec, turn, record, stderr)) {
      End end = await(client, turn, record, null);
      return end.kind() == EndKind.EXITED
          ? resultOf(end.exited(), record, stderr)
          : end.result(turn);
    }
  }

  private AgentResult runAttached(Turn turn, RunRecord record)
      throws InterruptedException, OpencodeServer.StartException, ProgramException {
    Attached attached;
    try {
      attached = attach(turn);
    } catch (IOException e) {
      return AgentResult.failure("the opencode server failed: " + e.getMessage());
    }
    OpencodeServer server = attached.server();
    OutputTail stderr = new OutputTail();
    ProcessSpec.Builder spec =
        attachable(
            command(
                turn,
                runArguments(
                    turn,
                    List.of(
                        "--attach", server.url().toString(), "--session", attached.session()))));
    End end;
    try (ManagedProcess client = startClient(spec, turn, record, stderr)) {
      end = await(client, turn, record, attached);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      end = new End(EndKind.CUT_SHORT, null, null);
    }
    boolean interrupted = Thread.interrupted();
    Optional<String> died = Optional.empty();
    boolean told;
    try {
      boolean atRest = settle(attached, end);
      told = readBack(attached, record, end);
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
    if (end.kind() != EndKind.EXITED) {
      return end.result(turn);
    }
    if (died.isPresent()) {
      return AgentResult.failure("the opencode server ended in mid-iteration, " + died.get());
    }
    return told
        ? resultOf(end.exited(), record, stderr)
        : AgentResult.failure("the opencode server can't be asked what came of the session");
  }

  /**
   * Makes a session for this turn. A server that has just been started drops a request now and
   * then, and one that is just dying can't be told from one that lives: so more than one try.
   */
  private Attached attach(Turn turn)
      throws IOException, InterruptedException, OpencodeServer.StartException, ProgramException {
    Path directory = directory(turn);
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

  /** Waits for the client; every other end but its own has to be carried out by the caller. */
  private End await(ManagedProcess client, Turn turn, RunRecord record, @Nullable Attached attached)
      throws InterruptedException {
    long asked = System.nanoTime();
    while (true) {
      if (turn.cancelled() || deadlinePassed(turn)) {
        return new End(EndKind.CUT_SHORT, null, null);
      }
      Optional<ProcessExit> exit = client.await(lookAfter(turn));
      if (exit.isPresent()) {
        return new End(EndKind.EXITED, exit.get(), null);
      }
      if (record.cutOffSteps() > CUT_OFF_STEPS_ALLOWED) {
        return new End(
            EndKind.GIVEN_UP,
            null,
            AgentResult.failure(
                "the model's answers broke off " + record.cutOffSteps() + " times in a row"));
      }
      if (attached != null && System.nanoTime() - asked > ASK_SERVER_EVERY.toNanos()) {
        asked = System.nanoTime();
        Optional<AgentResult> reason = whyGiveUp(attached);
        if (reason.isPresent()) {
          return new End(EndKind.GIVEN_UP, null, reason.get());
        }
      }
    }
  }

  private Optional<AgentResult> whyGiveUp(Attached attached) throws InterruptedException {
    Optional<String> ended = attached.server().ending(Duration.ZERO);
    if (ended.isPresent()) {
      return Optional.of(
          AgentResult.failure("the opencode server ended in mid-iteration, " + ended.get()));
    }
    try {
      return attached
          .server()
          .api()
          .retry(attached.directory(), attached.session(), HURRIED_REQUEST)
          .map(retry -> new Wait(retry.message(), Duration.between(Instant.now(), retry.next())))
          .filter(wait -> wait.time().compareTo(LONGEST_RETRY_WAIT) > 0)
          .map(wait -> AgentResult.rateLimited("the model's limit: " + wait.why(), wait.time()));
    } catch (IOException busyElsewhere) {
      // Asked again soon; a server that never answers again is a matter for the time limit.
      return Optional.empty();
    }
  }

  /**
   * Brings the session to rest.
   *
   * @return whether it is, and nothing of a run cut short is left
   */
  private static boolean settle(Attached attached, End end) {
    OpencodeServer server = attached.server();
    if (!server.isRunning()) {
      return true;
    }
    Duration limit = end.kind() == EndKind.EXITED ? REQUEST_LIMIT : HURRIED_REQUEST;
    ProcessExit exit = end.exit();
    boolean success = exit != null && exit.isSuccess();
    try {
      // A client that ended well did so because the session is idle, or will be in a moment.
      if (success && awaitIdle(attached, limit)) {
        return true;
      }
      if (end.kind() == EndKind.EXITED && !isBusy(attached, limit)) {
        return true;
      }
      server.api().abort(attached.directory(), attached.session(), limit);
      return awaitIdle(attached, limit) && awaitNoLeftovers(attached);
    } catch (IOException e) {
      LOG.log(Level.DEBUG, "opencode session " + attached.session() + " can't be aborted", e);
      return false;
    }
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
   * @return whether it said
   */
  private static boolean readBack(Attached attached, RunRecord record, End end) {
    OpencodeServer server = attached.server();
    if (!server.isRunning()) {
      return false;
    }
    boolean hurried = end.kind() != EndKind.EXITED;
    Duration limit = hurried ? HURRIED_REQUEST : REQUEST_LIMIT;
    try {
      OpencodeApi api = server.api();
      record.acceptMessages(api.messages(attached.directory(), attached.session(), limit));
      if (!hurried) {
        for (JsonNode child : api.children(attached.directory(), attached.session(), limit)) {
          record.addUsage(child.path("tokens"), child.path("cost"));
        }
      }
      return true;
    } catch (IOException e) {
      LOG.log(Level.WARNING, "opencode session " + attached.session() + " can't be read back", e);
      return false;
    }
  }

  private AgentResult resultOf(ProcessExit exit, RunRecord record, OutputTail stderr) {
    if (exit.code() > 128) {
      return AgentResult.failure(
          "opencode was killed by signal " + (exit.code() - 128) + stderr.afterColon());
    }
    ModelError error = record.error();
    if (error != null) {
      return error.result();
    }
    if (exit.code() != 0) {
      return AgentResult.failure(
          "opencode ended with exit code " + exit.code() + stderr.afterColon());
    }
    if (!record.answered()) {
      return AgentResult.failure(
          "opencode ended without an answer of its model" + stderr.afterColon());
    }
    String text = record.finalText();
    return AgentResult.success().summary(text.isEmpty() ? null : text);
  }

  private ManagedProcess startClient(
      ProcessSpec.Builder spec, Turn turn, RunRecord record, OutputTail stderr)
      throws ProgramException {
    ProcessSpec client =
        spec.mark(ProcessMark.of(turn.processMark()))
            .stdin(turn.prompt())
            .onStdout(record::acceptOutput)
            .onStderr(stderr::accept)
            .build();
    try {
      return ManagedProcess.start(client);
    } catch (RalphException e) {
      throw new ProgramException(e);
    }
  }

  /** The server for this turn: the one there is, or a new one. */
  private OpencodeServer server(Turn turn)
      throws InterruptedException, OpencodeServer.StartException, ProgramException {
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
    List<String> arguments =
        List.of("serve", "--hostname", "127.0.0.1", "--port", String.valueOf(port));
    OpencodeServer started;
    try {
      started =
          OpencodeServer.start(
              withCredentials(command(turn, arguments)),
              mark,
              port,
              user,
              password,
              directory(turn),
              turn::cancelled);
    } catch (RalphException e) {
      throw new ProgramException(e);
    }
    keep(started);
    turn.notice("Web UI: " + started.url());
    turn.notice(
        "Sign in there as "
            + user
            + (passwordMadeUp
                ? " with the password " + password
                : " with the password in " + PASSWORD));
    return started;
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
    lock.lock();
    try {
      closed = true;
      last = server;
      server = null;
    } finally {
      lock.unlock();
    }
    if (last != null) {
      last.close();
    }
  }

  private ProcessSpec.Builder command(Turn turn, List<String> arguments) {
    List<String> command = new ArrayList<>();
    command.add(program);
    command.addAll(arguments);
    // opencode works in the folder that PWD names, as a shell sets it, before the one it is in.
    ProcessSpec.Builder spec =
        ProcessSpec.command(command)
            .directory(directory(turn))
            .environment("PWD", directory(turn).toString());
    environment.forEach(spec::environment);
    return spec;
  }

  /** The client asks the server directly, whatever proxy there is for the rest of the world. */
  private ProcessSpec.Builder attachable(ProcessSpec.Builder spec) {
    for (String name : List.of("NO_PROXY", "no_proxy")) {
      String others = variable(name);
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
    if (model != null) {
      all.addAll(List.of("-m", model));
    }
    all.addAll(arguments);
    return all;
  }

  private static Path directory(Turn turn) {
    return turn.directory().toAbsolutePath().normalize();
  }

  private static String title(Turn turn) {
    return turn.session().name() + " - Iteration #" + turn.iteration();
  }

  private static boolean deadlinePassed(Turn turn) {
    Instant deadline = turn.deadline();
    return deadline != null && !Instant.now().isBefore(deadline);
  }

  private static Duration lookAfter(Turn turn) {
    Instant deadline = turn.deadline();
    if (deadline == null) {
      return LOOK_EVERY;
    }
    Duration left = Duration.between(Instant.now(), deadline);
    return left.compareTo(LOOK_EVERY) < 0 ? left : LOOK_EVERY;
  }

  private static AgentResult cutShort(Turn turn) {
    return AgentResult.failure(
        deadlinePassed(turn)
            ? "opencode was ended: the iteration's time was up"
            : "opencode was ended: the iteration was cancelled");
  }

  @Nullable
  private String variable(String name) {
    String value = environment.getOrDefault(name, System.getenv(name));
    return value == null || value.isEmpty() ? null : value;
  }

  private static String newPassword() {
    byte[] random = new byte[12];
    new SecureRandom().nextBytes(random);
    return HexFormat.of().formatHex(random);
  }

  /** A session on our server that a client is attached to; and what ran there before it. */
  private record Attached(
      OpencodeServer server, Path directory, String session, Set<ProcessHandle> before) {}

  private record Wait(String why, Duration time) {}

  private enum EndKind {
    /** The client ended by itself. */
    EXITED,
    /** Time is up, or the loop was cancelled. */
    CUT_SHORT,
    /** It goes on, and there is no use in it. */
    GIVEN_UP
  }

  /** How waiting for a client ended. */
  private record End(
      EndKind kind, @Nullable ProcessExit exit, @Nullable AgentResult reasonGivenUp) {

    /** Returns how the client ended; only if it ended by itself. */
    ProcessExit exited() {
      return Objects.requireNonNull(exit, "the client has not ended");
    }

    AgentResult result(Turn turn) {
      return reasonGivenUp != null ? reasonGivenUp : cutShort(turn);
    }
  }

  /** opencode itself can't be started. */
  private static final class ProgramException extends Exception {
    private static final long serialVersionUID = 1L;

    ProgramException(RalphException cause) {
      super(cause.getMessage() + " (to install opencode: npm install -g opencode-ai)", cause);
    }
  }

  /** Sets up an {@link OpencodeAgent}. For one thread. */
  public static final class Builder {

    private String program = "opencode";
    private int port = DEFAULT_PORT;
    private boolean withServer = true;
    @Nullable private String model;
    private final List<String> arguments = new ArrayList<>();
    private final Map<String, String> environment = new TreeMap<>();

    private Builder() {}

    /** Sets the program: a name to be found on the PATH, or a path. */
    public Builder program(String program) {
      this.program = program;
      return this;
    }

    /**
     * Sets the port on 127.0.0.1 that the server listens on; {@value #DEFAULT_PORT} if not set.
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

    /** Sets the model, as {@code provider/model}; opencode's own choice if not set. */
    public Builder model(String model) {
      this.model = model;
      return this;
    }

    /** Adds arguments for {@code opencode run}, after all others, such as {@code --auto}. */
    public Builder arguments(List<String> arguments) {
      this.arguments.addAll(arguments);
      return this;
    }

    /** Sets a variable in the environment of opencode, on top of those of this program. */
    public Builder environment(String name, String value) {
      environment.put(name, value);
      return this;
    }

    /** Makes the agent; nothing is started yet. */
    public OpencodeAgent build() {
      return new OpencodeAgent(this);
    }
  }
}
