package dev.ralph.agents;

import dev.ralph.Agent;
import dev.ralph.AgentResult;
import dev.ralph.Turn;
import dev.ralph.Usage;
import dev.ralph.agents.ClientRun.End;
import dev.ralph.agents.ClientRun.EndKind;
import dev.ralph.agents.internal.ClientName;
import dev.ralph.core.Worktree;
import dev.ralph.core.internal.process.PrivateFolder;
import dev.ralph.core.internal.process.ProcessSpec;
import dev.ralph.core.internal.process.ScriptArgument;
import dev.ralph.log.RalphException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Runs any program as an agent if the program speaks the Agent Client Protocol, version 1, over
 * standard input and output. Each iteration is a separate process with a single session and prompt.
 *
 * <p>The client receives the session's tools as an MCP server of its session. An iteration fails if
 * the client never requested these tools, whatever the client reports.
 *
 * <p>No person is present, so each permission request is allowed once, unless a {@link Permission}
 * sets another rule. The client is offered neither files nor terminals of this process, because it
 * has its own.
 *
 * <p>Immutable, and safe for use by many loops.
 */
public final class AcpAgent implements Agent {

  /** The answer to a permission request. */
  public enum Permission {
    /** Allows the request once. */
    ALLOW,
    /** Denies the request once. */
    DENY,
    /** Asks the operator by a question of the session. The agent waits for the answer. */
    ASK
  }

  private final AcpSettings settings;
  private final ClientName client;
  private final @Nullable TestedVersion version;

  private AcpAgent(Builder builder) {
    settings = builder.acpSettings();
    client = settings.clientName();
    version = settings.named() == null ? null : new TestedVersion(client, settings.client());
  }

  /**
   * Returns a builder of an agent that runs a program.
   *
   * @param command the program, by name on the PATH or by path, and the arguments
   * @throws RalphException INVALID if the command names no program
   */
  public static Builder builder(List<String> command) {
    if (command.isEmpty() || command.get(0).isEmpty()) {
      throw RalphException.invalid("the agent's command is empty; name a program");
    }
    return new Builder(null, command.get(0)).arguments(command.subList(1, command.size()));
  }

  /** Returns a builder of an agent that runs a client with its tested settings. */
  public static Builder builder(AcpClient client) {
    return new Builder(client, client.program());
  }

  /**
   * Queries the name and version of a program that speaks the Agent Client Protocol, and stops the
   * program. Creates no session and uses no model. Waits at most 20 seconds.
   *
   * @param command the program with the arguments
   * @return the name, the version and the login instructions
   * @throws RalphException INVALID if the program cannot be started, does not respond in time,
   *     responds with an error, or speaks another version of the protocol; the message states the
   *     reason
   * @throws InterruptedException if interrupted; the program was stopped
   */
  public static String query(List<String> command) throws InterruptedException {
    return AcpCheck.ask(command);
  }

  /** Returns true: the agent reaches the session only through the tools described in the prompt. */
  @Override
  public boolean needsTools() {
    return true;
  }

  /**
   * Checks that a program named by path exists and is executable. In a work tree of Ralph, also
   * checks that the script of an interpreter is not only in the user's checkout.
   *
   * @throws RalphException INVALID if not, with the reason
   */
  @Override
  public void requireReady(Path directory) {
    String program = settings.client().program();
    if (program.indexOf('/') >= 0) {
      ProcessSpec.command(program).directory(directory).build().requireProgram();
    }
    List<String> command = new ArrayList<>(List.of(program));
    command.addAll(settings.client().arguments());
    ScriptArgument.requirePresent(command, directory, Worktree.PLACE);
  }

  /**
   * Runs an iteration.
   *
   * @return SUCCESS with the agent's last message; RATE_LIMITED with the requested wait, if known;
   *     FATAL if the program is missing, speaks another version of the protocol, is not logged in,
   *     lacks the requested mode or model, or if the prompt is too long; otherwise FAILURE with the
   *     cause
   */
  @Override
  public AgentResult run(Turn turn) {
    RunRecord record = new RunRecord(turn::output, turn::record);
    record.put(settings.client().client(client));
    try (PrivateFolder folder = PrivateFolder.create();
        AcpInput input = new AcpInput()) {
      McpServerCommand tools = settings.client().tools();
      AcpToolServer server =
          tools == null ? null : AcpToolServer.of(tools, turn, folder.file("ready"));
      AcpConversation talk = new AcpConversation(settings, turn, record, server, input);
      AgentResult result =
          run(turn, record, input, talk, arguments(server))
              .usage(talk.isPrompted() ? record.usage() : Usage.NONE);
      return version == null ? result : version.note(turn, result);
    } catch (IOException e) {
      return AgentResult.failure("cannot create a temporary folder: " + e.getMessage());
    }
  }

  private List<String> arguments(@Nullable AcpToolServer server) {
    List<String> all = new ArrayList<>();
    if (settings.named() != null) {
      all.addAll(settings.named().arguments(settings.client().model(), server));
    }
    all.addAll(settings.client().arguments());
    return all;
  }

  private AgentResult run(
      Turn turn, RunRecord record, AcpInput input, AcpConversation talk, List<String> arguments) {
    EventLines lines = new EventLines(talk, record::show);
    try (ClientRun run =
        ClientRun.start(
            client,
            settings.client().command(turn, arguments, Map.of()).talks(),
            turn,
            record,
            lines)) {
      input.to(run.stdin());
      talk.begin();
      End end = await(run, talk);
      return run.result(end, (code, stderr) -> Optional.of(talk.exited(code, stderr)));
    } catch (ClientRun.StartException e) {
      return e.result();
    }
  }

  private End await(ClientRun run, AcpConversation talk) {
    boolean interrupted = false;
    End end;
    try {
      end = run.await(settings.client().longestSilence(), talk::poll);
    } catch (InterruptedException e) {
      interrupted = true;
      end = End.cutShort();
    }
    try {
      talk.close(end.kind() == EndKind.CUT_SHORT);
    } catch (InterruptedException e) {
      interrupted = true;
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    return end;
  }

  /** Builds an {@link AcpAgent}. Not thread-safe. */
  public static final class Builder extends ClientBuilder<Builder> {

    private Permission permission = Permission.ALLOW;
    private @Nullable String mode;
    private @Nullable String authentication;
    private Duration answerLimit = AcpConversation.ANSWER_LIMIT;
    private Duration toolsLimit = AcpConversation.TOOLS_LIMIT;

    private final @Nullable AcpClient named;

    private Builder(@Nullable AcpClient named, String program) {
      super(program);
      this.named = named;
    }

    @Override
    Builder self() {
      return this;
    }

    @Override
    String usualPermissions() {
      String requests =
          switch (permission) {
            case ALLOW -> "each request of the agent is allowed";
            case DENY -> "each request of the agent is refused";
            case ASK -> "each request of the agent becomes a question";
          };
      return requests + (named == null ? "" : named.permissions());
    }

    /** Sets the answer to permission requests. The default is {@link Permission#ALLOW}. */
    public Builder permission(Permission permission) {
      this.permission = permission;
      return this;
    }

    /** Sets the agent's mode, by its name or id. By default the agent chooses its mode. */
    public Builder mode(String mode) {
      this.mode = mode;
      return this;
    }

    /** Sets the agent's login method. By default the agent must be logged in already. */
    public Builder authentication(String method) {
      authentication = method;
      return this;
    }

    /** Sets the time limits. For tests. */
    Builder limits(Duration answer, Duration tools) {
      answerLimit = answer;
      toolsLimit = tools;
      return this;
    }

    private AcpSettings acpSettings() {
      return new AcpSettings(
          settings(), named, permission, mode, authentication, answerLimit, toolsLimit);
    }

    @Override
    public AcpAgent build() {
      return new AcpAgent(this);
    }
  }
}
