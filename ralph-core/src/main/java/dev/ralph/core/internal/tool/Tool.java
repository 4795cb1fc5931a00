package dev.ralph.core.internal.tool;

import dev.ralph.log.Meta;
import dev.ralph.tool.ToolDefinition;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** One tool: what a model is told of it, and what it does. For one thread while it is set up. */
final class Tool {

  /** What a tool does: it returns its reply. */
  @FunctionalInterface
  interface Work {
    /**
     * Does it.
     *
     * @throws dev.ralph.log.RalphException if it can't; the message says what to do instead
     */
    String run(Scope scope, ToolArguments arguments);
  }

  private final String name;
  private final String description;
  private final Work work;
  private Meta properties = Meta.empty();
  private final List<String> required = new ArrayList<>();
  private boolean readOnly;
  private boolean listsInbox;
  private boolean completes;

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

  /** Returns whether its reply shows messages, and has no room for more of them. */
  boolean listsInbox() {
    return listsInbox;
  }

  /** Returns whether it is refused while a message is unread. */
  boolean completes() {
    return completes;
  }

  Set<String> arguments() {
    return new HashSet<>(properties.keys());
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
    return argument(name, "array", description, "items", Meta.of("type", "string"));
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
    Meta schema = Meta.of("type", type);
    if (keyword != null) {
      schema = schema.with(keyword, constraint);
    }
    if (!description.isEmpty()) {
      schema = schema.with("description", description);
    }
    properties = properties.with(name, schema);
    return this;
  }

  /** Says that it changes nothing. */
  Tool readOnly() {
    readOnly = true;
    return this;
  }

  /** Says that its reply shows messages, and has no room for more of them. */
  Tool asInbox() {
    listsInbox = true;
    return readOnly();
  }

  /** Says that it is refused while a message is unread. */
  Tool asCompletion() {
    completes = true;
    return this;
  }

  /** Returns what a model is told. */
  ToolDefinition definition() {
    String schema = schema().with("additionalProperties", false).json();
    return new ToolDefinition(name, description, schema, readOnly);
  }

  private Meta schema() {
    Meta schema = Meta.of("type", "object").with("properties", properties);
    return required.isEmpty() ? schema : schema.with("required", required);
  }
}
