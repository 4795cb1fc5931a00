package dev.ralph.cli.loop;

import dev.ralph.Agent;
import dev.ralph.Gate;
import dev.ralph.agents.AcpAgent;
import dev.ralph.agents.AcpAgent.Permission;
import dev.ralph.agents.AcpClient;
import dev.ralph.agents.ClaudeAgent;
import dev.ralph.agents.ClientBuilder;
import dev.ralph.agents.CodexAgent;
import dev.ralph.agents.McpServerCommand;
import dev.ralph.agents.OpencodeAgent;
import dev.ralph.agents.Prices;
import dev.ralph.agents.internal.ClientCheck;
import dev.ralph.cli.call.AcpCommand;
import dev.ralph.cli.call.Arguments;
import dev.ralph.cli.call.CommandSyntax;
import dev.ralph.cli.call.Environment;
import dev.ralph.cli.call.Invocation;
import dev.ralph.cli.call.UsageException;
import dev.ralph.cli.text.SafeText;
import dev.ralph.core.CommandAgent;
import dev.ralph.log.RalphException;
import dev.ralph.log.StoreInfo;
import dev.ralph.tool.Tools;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.commons.cli.Option;
import org.jspecify.annotations.Nullable;

/**
 * The agent selected by a call. A known client or an agent of the Agent Client Protocol gets the
 * session's tools from an MCP server. Any other command line runs the tools as shell commands.
 */
public final class AgentChoice {

  static final String USUAL_AGENT = "opencode";

  /** The known clients, in the order in which they are offered. */
  static final List<String> CLIENTS =
      List.of("opencode", "claude", "codex", "copilot", "gemini", "kilo");

  private static final List<String> OF_OPENCODE = List.of("port", "no-server");
  private static final List<String> OF_CLIENTS = List.of("model", "max-silence", "prices");

  private static final String RULE = "agent-permission";
  private static final List<String> OF_ACP = List.of("agent-mode", "agent-auth", RULE);

  /**
   * The variables of the launcher and of the user's trust. A client may pass only named variables
   * on to its servers.
   */
  private static final List<String> FOR_SERVER =
      List.of("JAVA_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME");

  /** The client's name, or the program of the command line. */
  private final String program;

  private final @Nullable ClientBuilder<?> client;
  private final String toolPrefix;
  private final List<String> command;

  private AgentChoice(
      String program, @Nullable ClientBuilder<?> client, String toolPrefix, List<String> command) {
    this.program = program;
    this.client = client;
    this.toolPrefix = toolPrefix;
    this.command = command;
  }

  /** Adds the options that select and configure the agent. */
  static CommandSyntax addTo(CommandSyntax syntax) {
    return syntax
        .value("m", "model", "MODEL", "the model (default: chosen by the client)")
        .value(
            "agent",
            "AGENT",
            String.join(", ", CLIENTS)
                + ", acp:COMMAND or a command line (default: the installed client); plan=AGENT"
                + " plans, review=AGENT reviews")
        .passedOn("agent-arg", "ARG", "an additional argument for the agent; repeatable")
        .value(
            "agent-mode",
            "MODE",
            "the mode of copilot, gemini, kilo or acp:COMMAND (default: chosen by the agent)")
        .value(RULE, "RULE", "permission requests of the agent: allow (default), deny or ask")
        .value("agent-auth", "METHOD", "the login method of copilot, gemini, kilo or acp:COMMAND")
        .value("port", "PORT", "the port of opencode's server (default: 4096, or a free port)")
        .flag("no-server", "run opencode without its server and web page")
        .value("max-silence", "TIME", "end a client without output after this time (default: 15m)")
        .value("prices", "FILE", "prices of models, for clients that report tokens without cost");
  }

  /** Returns the names of the options of {@link #addTo} except the agent itself. */
  static List<String> optionNames() {
    List<String> names = new ArrayList<>();
    for (Option option : addTo(CommandSyntax.of("")).inOrder()) {
      names.add(option.getLongOpt());
    }
    names.remove("agent");
    return names;
  }

  /**
   * Reads the options of a call.
   *
   * @throws UsageException if the command line is invalid, or an option does not apply to this
   *     agent
   */
  static AgentChoice of(Arguments arguments, Environment environment) {
    int port = arguments.number("port", OpencodeAgent.DEFAULT_PORT, 1, 65_535);
    String agent = name(arguments);
    if (!agent.equals("opencode")) {
      refuse(arguments, OF_OPENCODE, "opencode");
    }
    List<String> acp = AcpCommand.of(arguments);
    if (acp != null) {
      return acp(arguments, environment, acp);
    }
    AcpClient named = AcpClient.of(agent);
    if (named != null) {
      AcpAgent.Builder builder = configured(arguments, AcpAgent.builder(named));
      return client(arguments, environment, agent, builder, named.toolPrefix());
    }
    refuse(arguments, OF_ACP, "copilot, gemini, kilo and acp:COMMAND");
    switch (agent) {
      case "opencode":
        OpencodeAgent.Builder opencode = OpencodeAgent.builder();
        if (arguments.has("port")) {
          opencode.port(port);
        }
        if (arguments.has("no-server")) {
          opencode.withoutServer();
        }
        return client(arguments, environment, agent, opencode, OpencodeAgent.TOOL_PREFIX);
      case "claude":
        return client(
            arguments, environment, agent, ClaudeAgent.builder(), ClaudeAgent.TOOL_PREFIX);
      case "codex":
        return client(arguments, environment, agent, CodexAgent.builder(), CodexAgent.TOOL_PREFIX);
      default:
        refuse(arguments, OF_CLIENTS, String.join(", ", CLIENTS) + " and acp:COMMAND");
        List<String> command =
            new ArrayList<>(AcpCommand.words(arguments.written("agent", 0), agent));
        command.addAll(arguments.values("agent-arg"));
        return new AgentChoice(command.get(0), null, "", command);
    }
  }

  /** Returns the agent's name or command line. */
  static String name(Arguments arguments) {
    String given = arguments.text("agent");
    return given == null ? USUAL_AGENT : given;
  }

  private static AgentChoice acp(
      Arguments arguments, Environment environment, List<String> command) {
    AcpAgent.Builder builder = configured(arguments, AcpAgent.builder(command));
    // An ACP agent chooses the tool names itself; the prompt names the server too.
    return client(arguments, environment, command.get(0), builder, "");
  }

  /** Sets the options of the Agent Client Protocol. */
  private static AcpAgent.Builder configured(Arguments arguments, AcpAgent.Builder builder) {
    builder.permission(permission(arguments));
    String mode = arguments.text("agent-mode");
    if (mode != null) {
      builder.mode(mode);
    }
    String method = arguments.text("agent-auth");
    if (method != null) {
      builder.authentication(method);
    }
    return builder;
  }

  private static Permission permission(Arguments arguments) {
    String word = arguments.text(RULE);
    if (word == null) {
      return Permission.ALLOW;
    }
    return switch (word) {
      case "allow" -> Permission.ALLOW;
      case "deny" -> Permission.DENY;
      case "ask" -> Permission.ASK;
      default ->
          throw new UsageException(
              arguments.written(RULE, 0)
                  + " must be allow, deny or ask, not "
                  + RalphException.quote(word));
    };
  }

  private static AgentChoice client(
      Arguments arguments,
      Environment environment,
      String name,
      ClientBuilder<?> builder,
      String toolPrefix) {
    String model = arguments.text("model");
    if (model != null) {
      builder.model(model);
    }
    Duration silence = arguments.duration("max-silence");
    if (silence != null) {
      builder.longestSilence(silence);
    }
    String prices = arguments.text("prices");
    if (prices != null) {
      builder.prices(Prices.read(environment.path(prices)));
    }
    builder.arguments(arguments.values("agent-arg"));
    return new AgentChoice(name, builder, toolPrefix, List.of());
  }

  /**
   * Validates that the agent's program exists, before any resource is created.
   *
   * @param dry whether the agent is never run; a missing program is then only a warning
   * @throws UsageException if the program does not exist
   */
  void requireProgram(Invocation call, boolean dry) {
    Environment environment = call.environment();
    if (environment.variable("PATH") == null || environment.program(program) != null) {
      return;
    }
    String message = CLIENTS.contains(program) ? noClient(environment) : noProgram();
    if (!dry) {
      throw new UsageException(message);
    }
    call.warn("warning: " + message);
  }

  private String noProgram() {
    return "the agent's program "
        + RalphException.quote(program)
        + (program.indexOf('/') < 0 ? " is not on the PATH" : " is not an executable file")
        + "; known clients: "
        + String.join(", ", CLIENTS)
        + "; or give the path of another program";
  }

  private String noClient(Environment environment) {
    List<String> there = new ArrayList<>();
    for (String name : CLIENTS) {
      if (environment.program(name) != null) {
        there.add("--agent " + name);
      }
    }
    return RalphException.quote(program)
        + " is not on the PATH; install it with: "
        + ClientCheck.howToInstall(program)
        + (there.isEmpty() ? "" : "; or use an installed agent: " + String.join(" or ", there));
  }

  /** Returns warnings about limits without effect. */
  static List<String> limitsNotInForce(Arguments arguments) {
    List<String> warnings = new ArrayList<>();
    for (String limit :
        List.of("max-cost", "max-tokens", "iteration-max-cost", "iteration-max-tokens")) {
      String why = arguments.has(limit) ? notInForce(arguments, limit) : null;
      if (why != null) {
        warnings.add(
            "warning: "
                + arguments.written(limit, 0)
                + " is not enforced "
                + why
                + "; see docs/agents.md");
      }
    }
    return warnings;
  }

  /**
   * Returns the condition under which a limit has no effect, as a clause for messages, or null if
   * the limit always has effect.
   *
   * @param limit the option's name
   */
  static @Nullable String notInForce(Arguments given, String limit) {
    if (!limit.endsWith("-cost") && !limit.endsWith("-tokens")) {
      return null;
    }
    String agent = given.text("agent");
    if (agent == null || agent.equals("opencode") || agent.equals("claude")) {
      return null;
    }
    if (agent.startsWith(AcpCommand.PREFIX) || AcpClient.of(agent) != null) {
      return limit.endsWith("-tokens")
          ? "before the end of an iteration, and only if the agent reports its tokens"
          : "unless the agent reports its cost";
    }
    if (!agent.equals("codex")) {
      return "until the agent reports its usage in the file of RALPH_USAGE";
    }
    return limit.endsWith("-tokens") || given.has("prices")
        ? null
        : "while the price of the model is unknown; give it with --prices";
  }

  /** Creates the agent of a session without starting a process. */
  Agent agent(
      Environment environment,
      Path launcher,
      String session,
      StoreInfo store,
      List<Gate.Command> gates) {
    if (client == null) {
      return CommandAgent.of(command);
    }
    McpServerCommand server = McpServerCommand.of(launcher, session, store);
    for (String name : FOR_SERVER) {
      String value = environment.variable(name);
      if (value != null) {
        server = server.variable(name, value);
      }
    }
    for (Gate.Command gate : gates) {
      server = server.gate(gate.command());
    }
    return client.tools(server).build();
  }

  /** Returns a description of the agent: its name and model, or its command line. */
  static String describe(Arguments arguments) {
    String model = arguments.text("model");
    return SafeText.line(name(arguments))
        + (model == null ? "" : ", model " + SafeText.line(model));
  }

  /** Returns the permissions with which the agent is started, as text for people. */
  String permissions() {
    return client == null
        ? "decided by the command"
        : SafeText.line(client.permissions().replace('\n', ' '));
  }

  /** Returns the access of the agent to the session. */
  Tools tools(Path launcher) {
    return client == null ? Tools.commands(launcher) : Tools.mcp(toolPrefix);
  }

  /** Returns the commands of {@code --gate}. */
  public static List<Gate.Command> gates(Arguments arguments) {
    List<String> lines = arguments.values("gate");
    List<Gate.Command> gates = new ArrayList<>();
    for (int i = 0; i < lines.size(); i++) {
      gates.add(Gate.of(AcpCommand.words(arguments.written("gate", i), lines.get(i))));
    }
    return gates;
  }

  private static void refuse(Arguments arguments, List<String> options, String whose) {
    for (String option : options) {
      if (arguments.has(option)) {
        throw new UsageException(
            arguments.written(option, 0) + " is for " + whose + "; use --agent-arg for this agent");
      }
    }
  }
}
