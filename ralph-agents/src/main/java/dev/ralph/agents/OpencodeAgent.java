package dev.ralph.agents;

import dev.ralph.Agent;
import dev.ralph.AgentResult;
import dev.ralph.AgentResult.Cause;
import dev.ralph.Turn;
import dev.ralph.agents.ClientRun.End;
import dev.ralph.agents.ClientRun.EndKind;
import dev.ralph.core.internal.process.PrivateFolder;
import dev.ralph.core.internal.process.ProcessSpec;
import dev.ralph.log.RalphException;
import dev.ralph.tool.McpServerCommand;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

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
 * <p>With a server, {@link #run} is for one thread at a time; {@link #close} is for any.
 */
public final class OpencodeAgent implements Agent {

  /** What opencode puts before the names of the session's tools. */
  public static final String TOOL_PREFIX = "ralph_";

  /** The port of the server where none is given, unless somebody else uses it. */
  public static final int DEFAULT_PORT = 4096;

  /** Errors stand in its log, on standard error; an event may only refer to one. */
  static final String LOGS = "--print-logs";

  private final ClientSettings settings;
  private final TestedVersion version;
  private final boolean withServer;
  private final KeptServer kept;

  private OpencodeAgent(Builder builder) {
    settings = builder.settings();
    version = new TestedVersion(ClientName.OPENCODE, settings);
    if (settings.tools() != null) {
      // What can't be added to is better known before the first iteration.
      OpencodeConfiguration.with(settings, settings.tools(), Map.of());
    }
    withServer = builder.withServer;
    kept = new KeptServer(settings, builder.port);
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

  /** Returns whether it has no server: what a server's sessions run has its environment. */
  @Override
  public boolean canBeOneOfSeveral() {
    return !withServer;
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
    OpencodeSession session;
    try {
      session = kept.session(turn, title(turn));
      McpServerCommand tools = settings.tools();
      Optional<AgentResult> missing = tools == null ? Optional.empty() : session.missing(tools);
      if (missing.isPresent()) {
        // The next turn has a new server, and that a new tool server.
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
        // With its server, everything ends that the session started; the next turn has a new one.
        kept.drop(session.server());
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

  /** The client asks the server directly, whatever proxy there is for the rest of the world. */
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

  /** Ends the server and all that its sessions started, and returns when they are gone. */
  @Override
  public void close() {
    kept.close();
  }

  /** Sets up an {@link OpencodeAgent}. For one thread. */
  public static final class Builder extends ClientBuilder<Builder> {

    private @Nullable Integer port;
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
