package dev.ralph.mcp;

import io.modelcontextprotocol.spec.McpSchema;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.annotation.Nullable;

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
    return argument(name, "string", description, null, null);
  }

  Tool requiredText(String name, String description) {
    required.add(name);
    return text(name, description);
  }

  Tool choice(String name, String description, List<String> words) {
    return argument(name, "string", description, "enum", words);
  }

  Tool requiredChoice(String name, String description, List<String> words) {
    required.add(name);
    return choice(name, description, words);
  }

  Tool number(String name, String description) {
    return argument(name, "integer", description, null, null);
  }

  Tool texts(String name, String description) {
    return argument(name, "array", description, "items", Map.of("type", "string"));
  }

  /**
   * @param item has what each of the objects may hold as its arguments
   */
  Tool objects(String name, String description, Tool item) {
    return argument(name, "array", description, "items", item.schema());
  }

  /** In one order for ever: a model that has read the same text before reads it for less. */
  private Tool argument(
      String name,
      String type,
      String description,
      @Nullable String keyword,
      @Nullable Object constraint) {
    Map<String, Object> schema = new LinkedHashMap<>();
    schema.put("type", type);
    if (keyword != null) {
      schema.put(keyword, constraint);
    }
    if (!description.isEmpty()) {
      schema.put("description", description);
    }
    properties.put(name, schema);
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
    Tool session = new Tool(name, description, work);
    if (sessionNeeded) {
      session.requiredText(SESSION, "Session to work on");
    } else {
      session.text(SESSION, "Not needed");
    }
    session.properties.putAll(properties);
    session.required.addAll(required);
    Map<String, Object> schema = session.schema();
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

  private Map<String, Object> schema() {
    Map<String, Object> schema = new LinkedHashMap<>();
    schema.put("type", "object");
    schema.put("properties", properties);
    if (!required.isEmpty()) {
      schema.put("required", required);
    }
    return schema;
  }
}
