package dev.ralph.agents;

import dev.ralph.Agent;
import dev.ralph.AgentResult;
import dev.ralph.AgentResult.Cause;
import dev.ralph.Turn;
import dev.ralph.agents.ClientRun.End;
import dev.ralph.agents.ClientRun.EndKind;
import dev.ralph.agents.internal.ClientName;
import dev.ralph.core.internal.process.PrivateFolder;
import dev.ralph.core.internal.process.ProcessSpec;
import dev.ralph.log.RalphException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * An agent that runs the opencode client. Each iteration has a separate session.
 *
 * <p>By default the agent keeps one opencode server for all iterations, whose web page shows all
 * sessions. Its address and the place of its generated password are sent as a {@link Turn#notice
 * notice}. The server starts with the first iteration, is restarted if it has ended, and stops with
 * {@link #close}. With {@link Builder#withoutServer} each iteration is a plain {@code opencode
 * run}.
 *
 * <p>With a server, the agent's shell commands are children of the server. They inherit the
 * environment and the process mark of the iteration that started the server. Therefore the prompt
 * must contain everything that the agent needs. Background processes of shell commands run until
 * the agent is closed or an iteration is cut short.
 *
 * <p>The user's configuration of opencode applies and is never changed.
 *
 * <p>With a server, one thread at a time may call {@link #run}; any thread may call {@link #close}.
 */
public final class OpencodeAgent implements Agent {

  /** The prefix of opencode for the names of the session's tools. */
  public static final String TOOL_PREFIX = "ralph_";

  /** The default port of the server, unless already in use. */
  public static final int DEFAULT_PORT = 4096;

  /** The option to log to standard error. The log contains errors that an event only refers to. */
  static final String LOGS = "--print-logs";

  private final ClientSettings settings;
  private final TestedVersion version;
  private final boolean withServer;
  private final KeptServer kept;

  private OpencodeAgent(Builder builder) {
    settings = builder.settings();
    version = new TestedVersion(ClientName.OPENCODE, settings);
    if (settings.tools() != null) {
      // Validates the configuration before the first iteration.
      OpencodeConfiguration.with(settings, settings.tools(), Map.of());
    }
    withServer = builder.withServer;
    kept = new KeptServer(settings, builder.port);
  }

  /** Returns a builder of an agent that runs {@code opencode} from the PATH, with a server. */
  public static Builder builder() {
    return new Builder();
  }

  /** Returns true: opencode reaches the session only through the tools described in the prompt. */
  @Override
  public boolean needsTools() {
    return true;
  }

  /**
   * Returns whether the agent has no server, because all sessions of a server share its
   * environment.
   */
  @Override
  public boolean canBeOneOfSeveral() {
    return !withServer;
  }

  /**
   * Runs an iteration.
   *
   * @return SUCCESS with the agent's last message; RATE_LIMITED with the requested wait, if known;
   *     FATAL if opencode is not installed or not logged in, or if its server cannot be started,
   *     for example because its port is in use; otherwise FAILURE: the model failed, opencode was
   *     killed, or time ran out
   * @throws RalphException CLOSED if the agent is closed
   */
  @Override
  public AgentResult run(Turn turn) {
    kept.requireOpen();
    RunRecord record =
        new RunRecord(
            text -> turn.output(kept.withoutPassword(text)),
            entry -> turn.record(entry.redacted(kept::withoutPassword)));
    record.put(settings.client(ClientName.OPENCODE));
    OpencodeEvents events =
        new OpencodeEvents(record, turn.deadline() != null, settings.model(), settings.prices());
    AgentResult result;
    try {
      result = withServer ? runAttached(turn, record, events) : runAlone(turn, record, events);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      result = cutShort(turn, record);
    } catch (OpencodeServer.StartException e) {
      result = e.result();
    } catch (ClientRun.StartException e) {
      result = e.result();
    }
    String summary = result.summary();
    return version.note(
        turn,
        result
            .summary(summary == null ? null : kept.withoutPassword(summary))
            .usage(record.usage()));
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
              OpencodeConfiguration.with(
                  settings, tools, Map.of(McpServerCommand.READY_FILE, ready.toString())));
      // opencode calls the model only after all tool servers have started or failed.
      ClientRun.Watch connected =
          () ->
              record.answered() && !Files.exists(ready)
                  ? Optional.of(ToolsMissing.of(ClientName.OPENCODE, tools, ""))
                  : Optional.empty();
      return runAlone(turn, record, events, variables, connected);
    } catch (IOException e) {
      return AgentResult.failure("cannot create a temporary folder: " + e.getMessage());
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
    OpencodeSession session;
    try {
      session = kept.session(turn, title(turn));
      McpServerCommand tools = settings.tools();
      Optional<AgentResult> missing = tools == null ? Optional.empty() : session.missing(tools);
      if (missing.isPresent()) {
        // The next turn starts a new server with a new tool server.
        kept.drop(session.server());
        return missing.get();
      }
    } catch (IOException e) {
      return AgentResult.failure("the opencode server failed: " + e.getMessage());
    }
    OpencodeServer server = session.server();
    List<String> attachment =
        List.of("--attach", server.url().toString(), "--session", session.id());
    ProcessSpec.Builder spec =
        attachable(settings.command(turn, runArguments(turn, attachment), Map.of()));
    ClientRun client = startClient(spec, turn, record, events);
    OpencodeWatch watch =
        OpencodeWatch.start(turn, server, session.directory(), session.id(), record, events);
    End end;
    try (client) {
      end = client.await(settings.longestSilence(), watch);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      end = End.cutShort();
    }
    watch.end(
        end.kind() == EndKind.EXITED
            ? OpencodeSession.REQUEST_LIMIT
            : OpencodeSession.HURRIED_REQUEST);
    return resultOf(client, end, session, record, events);
  }

  private AgentResult resultOf(
      ClientRun client, End end, OpencodeSession session, RunRecord record, OpencodeEvents events)
      throws InterruptedException {
    boolean interrupted = Thread.interrupted();
    Optional<String> died = Optional.empty();
    boolean told;
    try {
      OpencodeSession.Rest rest = session.settle(end);
      boolean atRest = rest != OpencodeSession.Rest.NONE;
      boolean wasDone = rest == OpencodeSession.Rest.ABORTED && OpencodeSession.hasEndedWell(end);
      told = session.readBack(events, end, wasDone);
      events.explain(session.server().log());
      if (end.kind() == EndKind.EXITED && !(atRest && told)) {
        died = session.server().ending(KeptServer.SEE_END);
      }
      if (!atRest) {
        // Stopping the server stops all processes of the session. The next turn starts a new
        // server.
        kept.drop(session.server());
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
    if (end.kind() == EndKind.EXITED && record.givenUp() == null) {
      if (died.isPresent()) {
        return AgentResult.failure("the opencode server ended during the iteration, " + died.get())
            .cause(Cause.KILLED);
      }
      if (!told) {
        return AgentResult.failure(
            "cannot read the result of the session from the opencode server");
      }
    }
    return client.result(end, (code, stderr) -> Optional.empty());
  }

  private ClientRun startClient(
      ProcessSpec.Builder spec, Turn turn, RunRecord record, OpencodeEvents events)
      throws ClientRun.StartException {
    return ClientRun.start(
        ClientName.OPENCODE,
        spec.stdin(turn.prompt()),
        turn,
        record,
        new EventLines(events, record::show));
  }

  /** Excludes the server from proxies and adds the credentials. */
  private ProcessSpec.Builder attachable(ProcessSpec.Builder spec) {
    for (String name : List.of("NO_PROXY", "no_proxy")) {
      String others = settings.variable(name);
      spec.environment(name, others == null ? "127.0.0.1" : others + ",127.0.0.1");
    }
    return kept.withCredentials(spec);
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

  /** Stops the server and all processes of its sessions, and waits for their end. */
  @Override
  public void close() {
    kept.close();
  }

  /** Builds an {@link OpencodeAgent}. Not thread-safe. */
  public static final class Builder extends ClientBuilder<Builder> {

    private @Nullable Integer port;
    private boolean withServer = true;

    private Builder() {
      super("opencode");
    }

    @Override
    String usualPermissions() {
      return "as configured in opencode";
    }

    @Override
    Builder self() {
      return this;
    }

    /**
     * Sets the port on 127.0.0.1 of the server. The default is {@value #DEFAULT_PORT}, or a free
     * port if another program uses the default.
     *
     * @param port 1 to 65535, or 0 for a port that opencode chooses
     * @throws RalphException INVALID if the port is out of range
     */
    public Builder port(int port) {
      if (port < 0 || port > 65_535) {
        throw RalphException.invalid("port " + port + ": use 1 to 65535, or 0 for a free port");
      }
      this.port = port;
      return this;
    }

    /** Runs each iteration as a separate program, without a server and its web page. */
    public Builder withoutServer() {
      withServer = false;
      return this;
    }

    /**
     * Builds the agent. Starts no process.
     *
     * @throws RalphException INVALID if {@code OPENCODE_CONFIG_CONTENT} is set to a value that the
     *     tool server cannot be added to
     */
    @Override
    public OpencodeAgent build() {
      return new OpencodeAgent(this);
    }
  }
}
