package dev.ralph.mcp;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.ralph.tool.McpServerCommand;
import io.modelcontextprotocol.spec.McpSchema;
import java.util.Map;

/**
 * The tool that a client's hook calls after each call of the client's own tools, so that the
 * operator's messages reach an agent that calls none of the session's. It isn't listed: it is not
 * for models. Its reply is what Claude Code and Codex read from a hook.
 */
final class SteeringHook {

  /** The tool that the agent called. */
  private static final String AFTER = "after";

  /** The name of the client's event, which the reply has to repeat. */
  private static final String EVENT = "event";

  /** The agent's id, if it is one that the client's agent has started; else empty. */
  private static final String AGENT = "agent";

  private static final ObjectMapper JSON = new ObjectMapper();

  private SteeringHook() {}

  static McpSchema.Tool definition() {
    return McpSchema.Tool.builder(McpServerCommand.HOOK_TOOL, Map.of("type", "object")).build();
  }

  /**
   * Returns whether there is somebody to tell: not an agent below the one that works on the
   * session, and not after one of the session's own tools, whose reply has told it already.
   */
  static boolean isWanted(Arguments arguments) {
    String agent = arguments.text(AGENT);
    String after = arguments.text(AFTER);
    boolean ownTool =
        after != null
            && SessionTools.all().stream().anyMatch(tool -> after.endsWith("__" + tool.name()));
    return (agent == null || agent.isEmpty()) && !ownTool;
  }

  /**
   * Returns the reply.
   *
   * @param text what the agent is to be told; may be empty
   */
  static String reply(Arguments arguments, String text) {
    ObjectNode reply = JSON.createObjectNode();
    if (!text.isBlank()) {
      String event = arguments.text(EVENT);
      reply
          .putObject("hookSpecificOutput")
          .put("hookEventName", event == null ? "PostToolUse" : event)
          .put("additionalContext", text.strip());
    }
    return reply.toString();
  }
}
