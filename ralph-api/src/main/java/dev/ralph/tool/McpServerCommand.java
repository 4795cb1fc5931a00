package dev.ralph.tool;

import dev.ralph.log.RalphException;
import dev.ralph.log.StoreInfo;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * How a client starts the MCP server of a session: a command line, as a list of words that no shell
 * takes apart, and variables to add to its environment. Immutable.
 *
 * <p>A client may hand hardly any of its own environment on, so whatever the server needs must be
 * here: {@code JAVA_HOME} and {@code XDG_CACHE_HOME} where they are set, and the mark by which what
 * a loop started is found ({@link dev.ralph.Turn#processMark()}).
 */
public final class McpServerCommand {

  /**
   * The variable that names a file for the server to make, empty, once a client has connected and
   * asks for the tools. It tells a program whose client says nothing about its servers that the
   * server is in use.
   */
  public static final String READY_FILE = "RALPH_MCP_READY";

  /**
   * A tool of the server that no list of tools shows: for a client's hook to call after each call
   * of the client's own tools. Its reply is the hook's output, and has the operator's messages that
   * are new. Arguments: {@code after}, the tool that was called; {@code event}, the hook's event;
   * {@code agent}, empty unless an agent below the client's own called it.
   */
  public static final String HOOK_TOOL = "operator_messages_hook";

  private final List<String> command;
  private final Map<String, String> environment;

  private McpServerCommand(List<String> command, Map<String, String> environment) {
    this.command = command;
    this.environment = environment;
  }

  /**
   * Returns how the {@code ralph} launcher starts the server for the agent of a loop.
   *
   * @param launcher the launcher; taken as an absolute path
   * @param session the session that the server is for
   * @param store where the session is
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
   * Returns how another server is started.
   *
   * @param command the program, best as an absolute path, and its arguments
   * @throws RalphException INVALID if there is no program
   */
  public static McpServerCommand of(List<String> command) {
    if (command.isEmpty() || command.get(0).isEmpty()) {
      throw RalphException.invalid("an MCP server's command needs a program; name one");
    }
    return new McpServerCommand(List.copyOf(command), Map.of());
  }

  /**
   * Returns this command for the agent of one iteration. What the agent adds is marked with its
   * number.
   */
  public McpServerCommand iteration(int number) {
    return with("--iteration", Integer.toString(number));
  }

  /**
   * Returns this command with one more gate for the server to run when the agent says that all is
   * done: the agent then has the gate's output at once, and not with the next prompt.
   *
   * @param command the gate's program and its arguments
   */
  public McpServerCommand gate(List<String> command) {
    return with("--gate", command.stream().map(ShellWord::quote).collect(Collectors.joining(" ")));
  }

  private McpServerCommand with(String option, String value) {
    List<String> longer = new ArrayList<>(command);
    longer.add(option);
    longer.add(value);
    return new McpServerCommand(List.copyOf(longer), environment);
  }

  /** Returns this command with one more variable, or another value of it. */
  public McpServerCommand variable(String name, String value) {
    Map<String, String> more = new LinkedHashMap<>(environment);
    more.put(name, value);
    return new McpServerCommand(command, java.util.Collections.unmodifiableMap(more));
  }

  /** Returns the command's words; the first is the program, an absolute path. */
  public List<String> command() {
    return command;
  }

  /** Returns the variables to add to the environment, in the order they were given. */
  public Map<String, String> environment() {
    return environment;
  }
}
