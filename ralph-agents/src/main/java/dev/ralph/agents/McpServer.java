package dev.ralph.agents;

import dev.ralph.RalphException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * How to start the server of tools, over standard input and output, that an agent client is to use
 * besides those it has: for the runs of one agent only, whatever the user has configured.
 *
 * @param name what the client calls it; its tools' names begin with that
 * @param command the program, as an absolute path, and its arguments
 * @param environment variables for the server, on top of the client's own. The client and its shell
 *     commands may see them too, so they are no place for secrets that the agent must not know
 */
public record McpServer(String name, List<String> command, Map<String, String> environment) {

  /**
   * Names a file that the server makes once a client is connected, where a client itself does not
   * tell.
   */
  public static final String READY_FILE = "RALPH_MCP_READY";

  private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9-]{0,30}");

  /**
   * Makes a server's description.
   *
   * @throws RalphException INVALID if the name is other than lower-case letters, digits and
   *     hyphens, or if there is no program
   */
  public McpServer {
    if (!NAME.matcher(name).matches()) {
      throw RalphException.invalid(
          "the tool server's name "
              + RalphException.quote(name)
              + " can't be used: take lower-case letters, digits and hyphens, a letter first");
    }
    if (command.isEmpty() || command.get(0).isEmpty()) {
      throw RalphException.invalid("the tool server " + name + " has no program; name one");
    }
    command = List.copyOf(command);
    environment = Map.copyOf(new TreeMap<>(environment));
  }

  String program() {
    return command.get(0);
  }

  List<String> arguments() {
    return command.subList(1, command.size());
  }
}
