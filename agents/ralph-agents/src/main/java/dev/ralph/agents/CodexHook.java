package dev.ralph.agents;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import dev.ralph.core.internal.text.Sha256;
import dev.ralph.internal.HookTool;
import java.util.List;
import java.util.Map;

/**
 * The hook by which Codex passes the operator's messages to its agent after each tool call.
 *
 * <p>Codex runs only approved hooks. This hook is approved by its hash, computed as Codex computes
 * it, and only for the present run. The user's hooks and those of the working folder keep their
 * approval state. The hook does not run in a version of Codex that computes hashes in another way.
 */
final class CodexHook {

  /** The error of a Codex version without hooks for tools. */
  static final String NOT_KNOWN = "unknown variant `mcp_tool`";

  private static final int LIMIT_SECONDS = 30;

  /** The name of the first hook from the arguments in Codex. */
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
        + HookTool.NAME
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

  /** Returns the hash of the hook: the hash of its JSON with sorted members and without spaces. */
  private static String hash() {
    Map<String, Object> hook =
        Map.of(
            "type",
            "mcp_tool",
            "server",
            ClientSettings.TOOL_SERVER,
            "tool",
            HookTool.NAME,
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
