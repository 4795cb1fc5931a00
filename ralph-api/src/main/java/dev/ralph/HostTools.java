package dev.ralph;

import dev.ralph.log.Meta;
import dev.ralph.log.RalphException;
import dev.ralph.tool.AgentTools;
import dev.ralph.tool.ToolDefinition;
import dev.ralph.tool.ToolResult;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Tools of a host's own, to be served to an agent beside those of a session. Safe for use by many
 * threads.
 */
public interface HostTools extends AutoCloseable {

  /** Returns what a model is told of the tools, always the same. */
  List<ToolDefinition> definitions();

  /** Returns what an agent is told of the tools before it calls any; empty for nothing. */
  default String instructions() {
    return "";
  }

  /**
   * Returns what an agent is to know with the result of whatever tool it calls, also of those of
   * the session, such as that something waits. Asked with each call.
   *
   * @param ralph the store that is served
   * @return one line; empty for nothing
   */
  default String hint(Ralph ralph) {
    return "";
  }

  /**
   * Calls a tool. A server makes calls of tools that are not {@linkplain ToolDefinition#readOnly
   * read-only} one at a time, in the order in which they came, also those of the session's tools.
   *
   * @param ralph the store that is served
   * @param name of one of the tools
   * @return what is shown to the model
   * @throws RalphException if it can't be done; the model is shown the message
   */
  ToolResult call(Ralph ralph, String name, Meta arguments);

  /**
   * Begins what {@link #call} does in one go, for a server whose results may never reach the agent,
   * because the client has cancelled the call, say. Tools to which it matters what the agent has
   * seen make a call of their own, and go by its {@link AgentTools.Call#answered()}; others need
   * not. Neither this nor that may wait, because nothing else is answered meanwhile.
   *
   * @param ralph returns the store that is served, and may have to open it: for the call's run
   * @param name of one of the tools
   * @return the call, which throws what {@link #call} would
   */
  default AgentTools.Call begin(Supplier<Ralph> ralph, String name, Meta arguments) {
    return new AgentTools.Call() {
      @Override
      public ToolResult run(Consumer<String> progress) {
        return call(ralph.get(), name, arguments);
      }

      @Override
      public void answered() {
        // It does not matter here.
      }
    };
  }

  /** Says that the agent has ended; the store is still open. Closing again does nothing. */
  @Override
  void close();
}
