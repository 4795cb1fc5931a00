package dev.ralph.agents;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import dev.ralph.core.internal.text.Sha256;
import dev.ralph.tool.McpServerCommand;
import java.util.List;
import java.util.Map;

/**
 * The hook by which Codex hands the operator's messages to its agent after each call of a tool.
 *
 * <p>Codex runs no hook that nobody has approved. This one is approved by its hash, as Codex counts
 * it, for the run only that it is given to; the user's own hooks, and those of the folder that the
 * agent works in, keep the approval that they have or lack. Where a version of Codex counts
 * otherwise, the hook does not run.
 */
final class CodexHook {

  /** What Codex says of a hook that calls a tool, if it is too old to know any. */
  static final String NOT_KNOWN = "unknown variant `mcp_tool`";

  private static final int LIMIT_SECONDS = 30;

  /** How Codex names the first hook of its arguments. */
  private static final String KEY = "/<session-flags>/config.toml:post_tool_use:0:0";

  private static final ObjectMapper SORTED =
      new ObjectMapper().enable(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS);

  private static final Map<String, String> INPUT =
      Map.of("after", "${tool_name}", "event", "${hook_event_name}");

  private CodexHook() {}

  /** Returns the value of Codex's setting {@code hooks}. */
  static String setting() {
    return "{PostToolUse=[{hooks=[{type=\"mcp_tool\",server=\""
        + ClientSettings.TOOL_SERVER
        + "\",tool=\""
        + McpServerCommand.HOOK_TOOL
        + "\",input={after=\""
        + INPUT.get("after")
        + "\",event=\""
        + INPUT.get("event")
        + "\"},timeout="
        + LIMIT_SECONDS
        + "}]}],state={\""
        + KEY
        + "\"={trusted_hash=\""
        + hash()
        + "\"}}}";
  }

  /** Returns the hash of the hook, which is that of its JSON, sorted and without blanks. */
  private static String hash() {
    Map<String, Object> hook =
        Map.of(
            "type",
            "mcp_tool",
            "server",
            ClientSettings.TOOL_SERVER,
            "tool",
            McpServerCommand.HOOK_TOOL,
            "input",
            INPUT,
            "timeout",
            LIMIT_SECONDS);
    try {
      String json =
          SORTED.writeValueAsString(Map.of("event_name", "post_tool_use", "hooks", List.of(hook)));
      return "sha256:" + Sha256.of(json);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
  }
}
