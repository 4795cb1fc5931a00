package dev.ralph.agents;

import dev.ralph.RecordEntry;
import dev.ralph.Turn;
import dev.ralph.core.internal.process.ProcessSpec;
import dev.ralph.core.internal.process.TurnVariables;
import dev.ralph.tool.McpServerCommand;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * How a user wants a client to be run. Immutable.
 *
 * @param program a name on the PATH, or a path
 * @param model null for the client's own choice
 * @param arguments the user's own, after all others
 * @param environment on top of this program's
 * @param tools the server of the session's tools, or null for none
 * @param longestSilence after which the client counts as hung; zero for no limit
 * @param prices value tokens where the client tells no cost
 */
record ClientSettings(
    String program,
    @Nullable String model,
    List<String> arguments,
    Map<String, String> environment,
    @Nullable McpServerCommand tools,
    Duration longestSilence,
    Prices prices) {

  /** What clients call the server of the session's tools; its tools' names begin with that. */
  static final String TOOL_SERVER = "ralph";

  /** The variables that are the same in all turns on a session. */
  private static final Set<String> LASTING = Set.of("RALPH_SESSION", "RALPH_STORE");

  ClientSettings {
    arguments = List.copyOf(arguments);
    environment = Map.copyOf(environment);
  }

  /**
   * Returns the command for a turn, with its folder, and with its environment: what this program
   * has, the turn's own variables, those for the tool server, and over all the user's.
   */
  ProcessSpec.Builder command(Turn turn, List<String> words, Map<String, String> variables) {
    List<String> command = new ArrayList<>();
    command.add(program);
    command.addAll(words);
    Path folder = directory(turn);
    // Clients trust PWD, as a shell sets it, more than the folder that they are started in.
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
   * Returns the command for a server that stays for further turns on the session: it has those of
   * the turn's variables only that will not change.
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

  /** Returns what is known of the client before it runs, for the iteration's record. */
  RecordEntry client(ClientName client) {
    return RecordEntry.client(client.name(), null, model, arguments, null);
  }

  /** Returns the value that the client will see, or null if it is not set or empty. */
  @Nullable String variable(String name) {
    String value = environment.getOrDefault(name, System.getenv(name));
    return value == null || value.isEmpty() ? null : value;
  }

  /** Returns whether the user gave one of these options, alone or with {@code =} and a value. */
  boolean argumentsHaveAnyOf(List<String> options) {
    return arguments.stream()
        .anyMatch(
            given ->
                options.stream()
                    .anyMatch(option -> given.equals(option) || given.startsWith(option + "=")));
  }

  /** Returns what follows the program in the command of a server. */
  static List<String> argumentsOf(McpServerCommand server) {
    return server.command().subList(1, server.command().size());
  }

  static Path directory(Turn turn) {
    return turn.directory().toAbsolutePath().normalize();
  }
}
