package dev.ralph;

import dev.ralph.log.Meta;
import dev.ralph.log.RalphException;
import dev.ralph.tool.AgentTools;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Additional tools that a host serves to an agent together with the tools of a session. Safe for
 * use by many threads.
 */
public interface HostTools extends AutoCloseable {

  /** Returns the definitions of the tools for a model. Each call returns the same definitions. */
  List<AgentTools.Definition> definitions();

  /** Returns the instructions that an agent gets before its first tool call; may be empty. */
  default String instructions() {
    return "";
  }

  /**
   * Returns a hint to add to the result of each tool call, also of the session's tools, for example
   * that mail has arrived. Called with each tool call.
   *
   * @param ralph the served store
   * @return a single line; empty for no hint
   */
  default String hint(Ralph ralph) {
    return "";
  }

  /**
   * Calls a tool. A server calls tools that are not {@linkplain AgentTools.Definition#readOnly
   * read-only} one at a time, in the order of the requests, together with the session's tools.
   *
   * @param ralph the served store
   * @param name the name of the tool
   * @return the result for the model
   * @throws RalphException if the call fails; the model gets the message
   */
  AgentTools.Result call(Ralph ralph, String name, Meta arguments);

  /**
   * Begins a call whose result may not reach the agent, for example because the client cancels the
   * call. Override the method if the tool must know whether the agent got the result: the server
   * calls {@link AgentTools.Call#answered()} after sending the result. Neither this method nor
   * {@code answered()} may wait, because the server answers no other request meanwhile.
   *
   * @param ralph returns the served store, and opens it if necessary; only for the run of the call
   * @param name the name of the tool
   * @return the call, which throws the exceptions of {@link #call}
   */
  default AgentTools.Call begin(Supplier<Ralph> ralph, String name, Meta arguments) {
    return new AgentTools.Call() {
      @Override
      public AgentTools.Result run(Consumer<String> progress) {
        return call(ralph.get(), name, arguments);
      }

      @Override
      public void answered() {
        // the default ignores the delivery
      }
    };
  }

  /** Releases resources after the agent has ended. The store is still open. Idempotent. */
  @Override
  void close();
}
