package dev.ralph.tool;

/**
 * The definition of a tool, as a model is given it.
 *
 * @param name the tool's name, such as {@code task_list}
 * @param description what it is for, in a few sentences
 * @param schema the JSON schema of its arguments, that of an object, as text, on one line, always
 *     the same
 * @param readOnly whether the tool changes nothing
 */
public record ToolDefinition(String name, String description, String schema, boolean readOnly) {

  @Override
  public String toString() {
    return name + " " + schema;
  }
}
