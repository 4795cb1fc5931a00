package dev.ralph.agents;

import dev.ralph.core.internal.text.CommandLineWords;
import dev.ralph.log.RalphException;
import dev.ralph.log.StoreInfo;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The command that starts the MCP server of a session: the program with its arguments, without a
 * shell, and additional environment variables. Immutable.
 *
 * <p>A client may pass on hardly any of its environment. So the command must contain all variables
 * that the server needs: {@code JAVA_HOME} and {@code XDG_CACHE_HOME} if they are set, and the
 * {@linkplain dev.ralph.Turn#processMark() mark} of the loop's processes.
 */
public final class McpServerCommand {

  /**
   * The variable with the path of an empty file that the server creates after a client has
   * connected and requested the tools. The file shows a program that the client uses the server.
   */
  public static final String READY_FILE = "RALPH_MCP_READY";

  private final List<String> command;
  private final Map<String, String> environment;

  private McpServerCommand(List<String> command, Map<String, String> environment) {
    this.command = command;
    this.environment = environment;
  }

  /**
   * Returns the command with which the {@code ralph} launcher starts the server for an agent of a
   * loop.
   *
   * @param launcher the path of the launcher; made absolute
   * @param session the name of the session
   * @param store the store of the session
   */
  public static McpServerCommand of(Path launcher, String session, StoreInfo store) {
    return new McpServerCommand(
        List.of(
            launcher.toAbsolutePath().normalize().toString(),
            "mcp",
            "--name",
            session,
            "--store",
            store.location(),
            "--in-loop"),
        Map.of());
  }

  /**
   * Returns the command of another server.
   *
   * @param command the program, preferably as an absolute path, and its arguments
   * @throws RalphException INVALID if the program is missing
   */
  public static McpServerCommand of(List<String> command) {
    if (command.isEmpty() || command.get(0).isEmpty()) {
      throw RalphException.invalid("an MCP server's command needs a program");
    }
    return new McpServerCommand(List.copyOf(command), Map.of());
  }

  /**
   * Returns a copy with one more gate, which the server runs when the agent claims completion. The
   * agent gets the output of a failed gate at once, and not with the next prompt.
   *
   * @param command the program of the gate and its arguments
   */
  public McpServerCommand gate(List<String> command) {
    return with(
        "--gate", command.stream().map(CommandLineWords::quote).collect(Collectors.joining(" ")));
  }

  private McpServerCommand with(String option, String value) {
    List<String> longer = new ArrayList<>(command);
    longer.add(option);
    longer.add(value);
    return new McpServerCommand(List.copyOf(longer), environment);
  }

  /** Returns a copy with one more environment variable, or a new value of it. */
  public McpServerCommand variable(String name, String value) {
    Map<String, String> more = new LinkedHashMap<>(environment);
    more.put(name, value);
    return new McpServerCommand(command, java.util.Collections.unmodifiableMap(more));
  }

  /** Returns the program and its arguments. */
  public List<String> command() {
    return command;
  }

  /** Returns the additional environment variables, in the order of the calls. */
  public Map<String, String> environment() {
    return environment;
  }
}
