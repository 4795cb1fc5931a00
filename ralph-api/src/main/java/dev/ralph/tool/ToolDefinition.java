package dev.ralph.tool;

/**
 * The definition of a tool for a model.
 *
 * @param name the tool's name, such as {@code task_list}
 * @param description the purpose, in a few sentences
 * @param schema the JSON schema of the arguments object, as text on one line; always the same
 * @param readOnly whether the tool changes nothing
 */
public record ToolDefinition(String name, String description, String schema, boolean readOnly) {

  @Override
  public String toString() {
    return name + " " + schema;
  }
}
