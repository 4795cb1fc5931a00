package dev.ralph.tool;

import dev.ralph.Ralph;
import dev.ralph.RalphException;
import dev.ralph.log.Meta;
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

  /**
   * Calls a tool.
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
