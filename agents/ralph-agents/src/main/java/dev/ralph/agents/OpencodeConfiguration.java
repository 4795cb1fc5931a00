package dev.ralph.agents;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.json.JsonReadFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.ralph.log.RalphException;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The configuration that opencode reads from its environment, in addition to the user's files. */
final class OpencodeConfiguration {

  static final String VARIABLE = "OPENCODE_CONFIG_CONTENT";

  /**
   * The time limit in milliseconds for the start of a server and for each call. The default of
   * opencode is 60 seconds.
   */
  private static final int LIMIT = 3_600_000;

  private static final ObjectMapper JSON =
      JsonMapper.builder()
          .enable(JsonReadFeature.ALLOW_JAVA_COMMENTS, JsonReadFeature.ALLOW_TRAILING_COMMA)
          .build();

  private OpencodeConfiguration() {}

  /**
   * Adds a tool server to the user's configuration in the variable.
   *
   * @param more variables of the tool server in addition to its own
   * @throws RalphException INVALID if the user's value is no valid configuration
   */
  static String with(ClientSettings settings, McpServerCommand tools, Map<String, String> more) {
    Map<String, String> variables = new TreeMap<>(tools.environment());
    variables.putAll(more);
    return with(settings.variable(VARIABLE), tools, variables);
  }

  private static String with(
      @Nullable String given, McpServerCommand tools, Map<String, String> variables) {
    ObjectNode config = read(given);
    ObjectNode server = config.withObject("/mcp").putObject(ClientSettings.TOOL_SERVER);
    server.put("type", "local").put("enabled", true).put("timeout", LIMIT);
    tools.command().forEach(server.putArray("command")::add);
    ObjectNode environment = server.putObject("environment");
    variables.forEach(environment::put);
    return config.toString();
  }

  private static ObjectNode read(@Nullable String given) {
    if (given == null || given.isBlank()) {
      return JSON.createObjectNode();
    }
    try {
      JsonNode config = JSON.readTree(given);
      if (config instanceof ObjectNode && !config.path("mcp").isValueNode()) {
        return (ObjectNode) config;
      }
    } catch (JsonProcessingException notUnderstood) {
      // Reported below.
    }
    throw RalphException.invalid(
        "cannot add a tool server to the configuration in the variable "
            + VARIABLE
            + "; repair or unset the variable");
  }
}
