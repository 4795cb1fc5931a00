package dev.ralph.mcp;

import io.modelcontextprotocol.spec.McpSchema;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** One tool: what a client is told of it, and what it does. For one thread while it is set up. */
final class Tool {

  /** What a tool does: it returns its reply. */
  @FunctionalInterface
  interface Work {
    /**
     * Does it.
     *
     * @throws dev.ralph.RalphException if it can't; the message says what to do instead
     */
    String run(Scope scope, Arguments arguments);
  }

  static final String SESSION = "session_name";

  private final String name;
  private final String description;
  private final Work work;
  private final Map<String, Object> properties = new LinkedHashMap<>();
  private final List<String> required = new ArrayList<>();
  private boolean readOnly;
  private boolean listsInbox;

  Tool(String name, String description, Work work) {
    this.name = name;
    this.description = description;
    this.work = work;
  }

  String name() {
    return name;
  }

  Work work() {
    return work;
  }

  /** Returns whether its reply shows the unread messages anyway. */
  boolean listsInbox() {
    return listsInbox;
  }

  Set<String> arguments() {
    return properties.keySet();
  }

  Tool text(String name, String description) {
    properties.put(name, Map.of("type", "string", "description", description));
    return this;
  }

  Tool requiredText(String name, String description) {
    required.add(name);
    return text(name, description);
  }

  Tool choice(String name, String description, List<String> words) {
    Map<String, Object> schema = new LinkedHashMap<>();
    schema.put("type", "string");
    schema.put("enum", words);
    if (!description.isEmpty()) {
      schema.put("description", description);
    }
    properties.put(name, schema);
    return this;
  }

  Tool requiredChoice(String name, String description, List<String> words) {
    required.add(name);
    return choice(name, description, words);
  }

  Tool number(String name, String description) {
    properties.put(name, Map.of("type", "integer", "description", description));
    return this;
  }

  Tool texts(String name, String description) {
    properties.put(
        name,
        Map.of("type", "array", "items", Map.of("type", "string"), "description", description));
    return this;
  }

  /** Says that it changes nothing. */
  Tool readOnly() {
    readOnly = true;
    return this;
  }

  /** Says that its reply shows the unread messages anyway. */
  Tool asInbox() {
    listsInbox = true;
    return readOnly();
  }

  /**
   * Returns what a client is told.
   *
   * @param sessionNeeded whether the session has to be named with each call
   */
  McpSchema.Tool definition(boolean sessionNeeded) {
    Map<String, Object> all = new LinkedHashMap<>();
    List<String> needed = new ArrayList<>(required);
    if (sessionNeeded) {
      all.put(SESSION, Map.of("type", "string", "description", "Session to work on"));
      needed.add(0, SESSION);
    } else {
      all.put(SESSION, Map.of("type", "string", "description", "Not needed"));
    }
    all.putAll(properties);
    Map<String, Object> schema = new LinkedHashMap<>();
    schema.put("type", "object");
    schema.put("properties", all);
    if (!needed.isEmpty()) {
      schema.put("required", needed);
    }
    schema.put("additionalProperties", false);
    return McpSchema.Tool.builder(name, schema)
        .description(description)
        .annotations(
            McpSchema.ToolAnnotations.builder()
                .readOnlyHint(readOnly)
                .destructiveHint(false)
                .openWorldHint(false)
                .build())
        .build();
  }
}
