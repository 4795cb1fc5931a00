package dev.ralph.cli;

import dev.ralph.Agent;
import dev.ralph.RalphException;
import dev.ralph.agents.ClaudeAgent;
import dev.ralph.agents.ClientBuilder;
import dev.ralph.agents.CodexAgent;
import dev.ralph.agents.OpencodeAgent;
import dev.ralph.cli.text.CommandLineWords;
import dev.ralph.core.CommandAgent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** The agent that a call names: a client known by its name, or a command line. */
final class AgentChoice {

  private static final String USUAL_OPENCODE_MODEL = "anthropic/claude-sonnet-4-5";
  private static final List<String> OF_OPENCODE = List.of("port", "no-server");
  private static final List<String> OF_CLIENTS = List.of("model", "max-silence");

  private final Arguments arguments;
  private final String given;

  AgentChoice(Arguments arguments) {
    this.arguments = arguments;
    String agent = arguments.text("agent");
    given = agent == null ? "opencode" : agent;
  }

  /** Adds the options that say which agent it is and how it is run. */
  static Syntax addTo(Syntax syntax) {
    return syntax
        .value("m", "model", "MODEL", "for opencode, claude, codex; else the client's own choice")
        .value(
            "agent", "AGENT", "opencode, claude, codex, or a command line; opencode if not given")
        .values("agent-arg", "ARG", "one more argument for the agent; may be given again")
        .value("port", "PORT", "of opencode's server; 4096 if not given")
        .flag("no-server", "run opencode without its server and web page")
        .value("max-silence", "TIME", "after which a client that says nothing has hung; 15m");
  }

  /**
   * Makes the agent; nothing is started yet.
   *
   * @throws UsageException if the command line is none, or an option is not for this agent
   */
  Agent agent() {
    int port = arguments.number("port", OpencodeAgent.DEFAULT_PORT, 1, 65_535);
    switch (given) {
      case "opencode":
        OpencodeAgent.Builder opencode =
            OpencodeAgent.builder().model(USUAL_OPENCODE_MODEL).port(port);
        if (arguments.has("no-server")) {
          opencode.withoutServer();
        }
        return client(opencode);
      case "claude":
        refuse(OF_OPENCODE, "opencode");
        return client(ClaudeAgent.builder());
      case "codex":
        refuse(OF_OPENCODE, "opencode");
        return client(CodexAgent.builder());
      default:
        refuse(OF_OPENCODE, "opencode");
        refuse(OF_CLIENTS, "opencode, claude and codex");
        List<String> command = new ArrayList<>(words("agent", given));
        command.addAll(arguments.values("agent-arg"));
        return CommandAgent.of(command);
    }
  }

  private Agent client(ClientBuilder<?> builder) {
    String model = arguments.text("model");
    if (model != null) {
      builder.model(model);
    }
    Duration silence = arguments.duration("max-silence");
    if (silence != null) {
      builder.longestSilence(silence);
    }
    return builder.arguments(arguments.values("agent-arg")).build();
  }

  private void refuse(List<String> options, String whose) {
    for (String option : options) {
      if (arguments.has(option)) {
        throw new UsageException(
            "--" + option + " is for " + whose + "; give this agent its own by --agent-arg");
      }
    }
  }

  /** Returns the words of a command line, as a shell would take them apart. */
  static List<String> words(String option, String line) {
    try {
      return CommandLineWords.split(line);
    } catch (IllegalArgumentException e) {
      throw new UsageException(
          "--" + option + " " + RalphException.quote(line) + ": " + e.getMessage());
    }
  }
}
