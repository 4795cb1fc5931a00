package dev.ralph.tool;

/** The definition of a tool, as a model is given it. Immutable. */
public final class ToolDefinition {

  private final String name;
  private final String description;
  private final String schema;
  private final boolean readOnly;

  /**
   * Describes a tool.
   *
   * @param schema the JSON schema of its arguments, as text; that of an object
   * @param readOnly whether it changes nothing
   */
  public ToolDefinition(String name, String description, String schema, boolean readOnly) {
    this.name = name;
    this.description = description;
    this.schema = schema;
    this.readOnly = readOnly;
  }

  /** Returns the tool's name, such as {@code task_list}. */
  public String name() {
    return name;
  }

  /** Returns what it is for, in a few sentences. */
  public String description() {
    return description;
  }

  /** Returns the JSON schema of the arguments as text, on one line, always the same. */
  public String schema() {
    return schema;
  }

  /** Returns whether the tool changes nothing. */
  public boolean readOnly() {
    return readOnly;
  }

  @Override
  public String toString() {
    return name + " " + schema;
  }
}
