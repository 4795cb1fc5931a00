package dev.ralph.tool;

import dev.ralph.Ralph;
import dev.ralph.RalphException;
import dev.ralph.log.Meta;
import java.util.List;

/**
 * Tools of a host's own, to be served to an agent beside those of a session. Safe for use by many
 * threads.
 */
public interface HostTools extends AutoCloseable {

  /** Returns what a model is told of the tools, always the same. */
  List<ToolDefinition> definitions();

  /**
   * Calls a tool.
   *
   * @param ralph the store that is served
   * @param name of one of the tools
   * @return what is shown to the model
   * @throws RalphException if it can't be done; the model is shown the message
   */
  ToolResult call(Ralph ralph, String name, Meta arguments);

  /** Says that the agent has ended; the store is still open. Closing again does nothing. */
  @Override
  void close();
}
