package dev.ralph.agents;

import dev.ralph.RecordEntry;
import dev.ralph.Turn;
import dev.ralph.agents.internal.ClientName;
import dev.ralph.core.internal.process.ProcessSpec;
import dev.ralph.core.internal.process.TurnVariables;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a client. Immutable.
 *
 * @param program a name on the PATH, or a path
 * @param model the model, or null for the client's choice
 * @param arguments the user's arguments, appended last
 * @param environment variables in addition to those of this process
 * @param tools the server of the session's tools, or null for none
 * @param longestSilence the time after which a silent client counts as hung; zero for no limit
 * @param prices values tokens if the client reports no cost
 */
record ClientSettings(
    String program,
    @Nullable String model,
    List<String> arguments,
    Map<String, String> environment,
    @Nullable McpServerCommand tools,
    Duration longestSilence,
    Prices prices) {

  /**
   * The server of the session's tools has this name in clients, which prefix the tools' names with
   * it.
   */
  static final String TOOL_SERVER = "ralph";

  /** The variables with the same value in all turns of a session. */
  private static final Set<String> LASTING = Set.of("RALPH_SESSION", "RALPH_STORE");

  ClientSettings {
    arguments = List.copyOf(arguments);
    environment = Map.copyOf(environment);
  }

  /**
   * Returns the command of a turn with its folder and environment. Later variables override earlier
   * ones: those of this process, the turn, the caller, the tool server and the user.
   */
  ProcessSpec.Builder command(Turn turn, List<String> words, Map<String, String> variables) {
    List<String> command = new ArrayList<>();
    command.add(program);
    command.addAll(words);
    Path folder = directory(turn);
    // Clients trust PWD, as a shell sets it, more than their actual working directory.
    ProcessSpec.Builder spec =
        ProcessSpec.command(command).directory(folder).environment("PWD", folder.toString());
    Map<String, String> all = new TreeMap<>(turn.variables());
    all.putAll(variables);
    if (tools != null) {
      all.putAll(tools.environment());
    }
    all.putAll(environment);
    TurnVariables.addTo(spec, all);
    return spec;
  }

  /**
   * Returns the command of a server that serves several turns of a session. The environment has
   * only the constant turn variables.
   */
  ProcessSpec.Builder serverCommand(Turn turn, List<String> words, Map<String, String> variables) {
    ProcessSpec.Builder spec = command(turn, words, variables);
    for (String name : turn.variables().keySet()) {
      if (!LASTING.contains(name) && !environment.containsKey(name)) {
        spec.withoutEnvironment(name);
      }
    }
    return spec;
  }

  /** Returns the record entry of the client as known before its start. */
  RecordEntry client(ClientName client) {
    return RecordEntry.client(client.name(), null, model, arguments, null);
  }

  /**
   * Returns the value of a variable in the client's environment, or null if it is unset or empty.
   */
  @Nullable String variable(String name) {
    String value = environment.getOrDefault(name, System.getenv(name));
    return value == null || value.isEmpty() ? null : value;
  }

  /**
   * Returns whether the user's arguments contain one of the options, alone or with {@code =} and a
   * value.
   */
  boolean argumentsHaveAnyOf(List<String> options) {
    return arguments.stream()
        .anyMatch(
            given ->
                options.stream()
                    .anyMatch(option -> given.equals(option) || given.startsWith(option + "=")));
  }

  /** Returns the arguments in the command of a server, without the program. */
  static List<String> argumentsOf(McpServerCommand server) {
    return server.command().subList(1, server.command().size());
  }

  static Path directory(Turn turn) {
    return turn.directory().toAbsolutePath().normalize();
  }
}
