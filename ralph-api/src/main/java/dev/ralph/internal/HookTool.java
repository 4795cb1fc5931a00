package dev.ralph.internal;

/**
 * The tool of the MCP server that is not listed. A client's hook calls the tool after each call of
 * the client's own tools. The reply is the hook's output, with the operator's new messages.
 * Arguments: {@code after}, the called tool; {@code event}, the event of the hook; {@code agent},
 * the name of a subagent that made the call, or empty.
 */
public final class HookTool {
  /** The name of the tool. */
  public static final String NAME = "operator_messages_hook";

  private HookTool() {}
}
