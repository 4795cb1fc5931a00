package dev.ralph.agents;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.ralph.Turn;
import dev.ralph.core.internal.process.ProcessMark;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.UnaryOperator;

/**
 * The server of the session's tools in one turn. Immutable.
 *
 * @param toolsListed the file that exists after the agent listed the session's tools
 * @param variables all variables of the server, because an agent may pass almost none of its own
 *     environment on
 */
record AcpToolServer(McpServerCommand tools, Path toolsListed, Map<String, String> variables) {

  /** Returns the server for a turn. The process mark identifies the server. */
  static AcpToolServer of(McpServerCommand tools, Turn turn, Path toolsListed) {
    Map<String, String> all = new TreeMap<>(tools.environment());
    all.put(McpServerCommand.READY_FILE, toolsListed.toString());
    if (turn.agent() > 0) {
      all.put(Turn.AGENT, Integer.toString(turn.agent()));
    }
    all.put(
        ProcessMark.VARIABLE,
        ProcessMark.append(
            System.getenv(ProcessMark.VARIABLE), List.of(ProcessMark.of(turn.processMark()))));
    return new AcpToolServer(tools, toolsListed, all);
  }

  /** Returns whether the agent has listed the session's tools. */
  boolean isListed() {
    return Files.exists(toolsListed);
  }

  /**
   * Adds the server to the parameters of a new session.
   *
   * @param escape escapes the value of a variable
   */
  void addTo(ArrayNode servers, UnaryOperator<String> escape) {
    ObjectNode server = servers.addObject().put("name", ClientSettings.TOOL_SERVER);
    server.put("command", tools.command().get(0));
    ClientSettings.argumentsOf(tools).forEach(server.putArray("args")::add);
    ArrayNode environment = server.putArray("env");
    variables.forEach(
        (name, value) ->
            environment.addObject().put("name", name).put("value", escape.apply(value)));
  }

  /**
   * Returns the server as a configuration with the key {@code mcpServers}.
   *
   * @param escape escapes the arguments and the values of the variables
   */
  String configuration(UnaryOperator<String> escape) {
    ObjectNode config = JsonNodeFactory.instance.objectNode();
    ObjectNode server = config.putObject("mcpServers").putObject(ClientSettings.TOOL_SERVER);
    server.put("type", "local").put("command", escape.apply(tools.command().get(0)));
    ArrayNode arguments = server.putArray("args");
    ClientSettings.argumentsOf(tools).forEach(argument -> arguments.add(escape.apply(argument)));
    ObjectNode environment = server.putObject("env");
    variables.forEach((name, value) -> environment.put(name, escape.apply(value)));
    server.putArray("tools").add("*");
    return config.toString();
  }
}
