package dev.ralph;

import dev.ralph.log.RalphException;
import dev.ralph.spi.FrameStore;
import dev.ralph.tool.AgentTools;
import dev.ralph.tool.ToolDefinition;
import java.time.Clock;
import java.util.List;
import java.util.function.Supplier;

/**
 * Creates sessions, tasks and loops over a store. The module {@code ralph-core} contains the only
 * implementation; {@link java.util.ServiceLoader} finds it.
 */
public interface Engine {

  /**
   * Returns the engine that the thread's context class loader or the library's class loader finds.
   *
   * @throws RalphException UNSUPPORTED if there is none; the message names the missing module
   */
  static Engine installed() {
    return Library.engine();
  }

  /**
   * Returns the sessions of a store.
   *
   * @param clock the clock for decisions
   * @param redactor removes secrets from text of agents
   * @return an instance that closes the store when it is closed
   */
  Ralph over(FrameStore store, Clock clock, Redactor redactor);

  /** Returns the default template of the prompt. */
  String builtInTemplate();

  /** Returns the definitions of a session's tools for a model. */
  List<ToolDefinition> toolDefinitions();

  /**
   * Opens the tools of a session that is looked up on the first tool call, for a server that
   * answers before its store is open. Otherwise use {@link Session#openTools}.
   *
   * @param session returns the session on the first tool call; called again after a failure
   */
  AgentTools openTools(Supplier<Session> session, ToolSettings settings);
}
