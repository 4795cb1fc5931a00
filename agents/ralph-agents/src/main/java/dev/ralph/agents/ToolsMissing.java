package dev.ralph.agents;

import dev.ralph.AgentResult;
import dev.ralph.AgentResult.Cause;
import dev.ralph.agents.internal.ClientName;

/** The result of a turn whose client runs without the session's tools. */
final class ToolsMissing {

  private ToolsMissing() {}

  /**
   * Returns the result.
   *
   * @param why the reason reported by the client; may be empty
   */
  static AgentResult of(ClientName client, McpServerCommand server, String why) {
    return AgentResult.failure(
            client.name()
                + " has no session tools: the tool server "
                + ClientSettings.TOOL_SERVER
                + " is not connected"
                + (why.isBlank() ? "" : ", " + why.strip())
                + "; its command: "
                + String.join(" ", server.command()))
        .cause(Cause.TOOLS_MISSING);
  }
}
