package dev.ralph.core.internal.tool;

import dev.ralph.log.Meta;
import dev.ralph.tool.AgentTools;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A tool with its definition for a model, and its action. Build a tool in one thread. */
final class SessionTool {

  /** The action of a tool, which returns its reply. */
  @FunctionalInterface
  interface Work {
    /**
     * Runs the action.
     *
     * @throws dev.ralph.log.RalphException on failure; the message has the remedy
     */
    String run(CallScope scope, ToolArguments arguments);
  }

  private final String name;
  private final String description;
  private final Work work;
  private Meta properties = Meta.empty();
  private final List<String> required = new ArrayList<>();
  private boolean readOnly;
  private boolean listsInbox;
  private boolean completes;

  SessionTool(String name, String description, Work work) {
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

  /** Returns whether the reply lists messages, so that none are appended. */
  boolean listsInbox() {
    return listsInbox;
  }

  /** Returns whether the tool is rejected while a message is unread. */
  boolean completes() {
    return completes;
  }

  Set<String> arguments() {
    return new HashSet<>(properties.keys());
  }

  SessionTool text(String name, String description) {
    return argument(name, "string", description, null, null);
  }

  SessionTool requiredText(String name, String description) {
    required.add(name);
    return text(name, description);
  }

  SessionTool choice(String name, String description, List<String> words) {
    return argument(name, "string", description, "enum", words);
  }

  SessionTool requiredChoice(String name, String description, List<String> words) {
    required.add(name);
    return choice(name, description, words);
  }

  SessionTool number(String name, String description) {
    return argument(name, "integer", description, null, null);
  }

  SessionTool texts(String name, String description) {
    return argument(name, "array", description, "items", Meta.of("type", "string"));
  }

  /**
   * @param item a tool whose arguments are the members of each object
   */
  SessionTool objects(String name, String description, SessionTool item) {
    return argument(name, "array", description, "items", item.schema());
  }

  /** The order of members never changes: models process a repeated text at a lower cost. */
  private SessionTool argument(
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

  /** Declares that the tool changes nothing. */
  SessionTool readOnly() {
    readOnly = true;
    return this;
  }

  /** Declares that the reply lists messages, so that none are appended. */
  SessionTool asInbox() {
    listsInbox = true;
    return readOnly();
  }

  /** Declares that the tool is rejected while a message is unread. */
  SessionTool asCompletion() {
    completes = true;
    return this;
  }

  /** Returns the definition for a model. */
  AgentTools.Definition definition() {
    String schema = schema().with("additionalProperties", false).json();
    return new AgentTools.Definition(name, description, schema, readOnly);
  }

  private Meta schema() {
    Meta schema = Meta.of("type", "object").with("properties", properties);
    return required.isEmpty() ? schema : schema.with("required", required);
  }
}
