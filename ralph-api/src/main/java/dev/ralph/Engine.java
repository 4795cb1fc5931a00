package dev.ralph;

import dev.ralph.log.RalphException;
import dev.ralph.spi.FrameStore;
import dev.ralph.tool.AgentTools;
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
   * @throws RalphException UNSUPPORTED if none exists; the message names the missing module
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

  /**
   * Returns the sessions of a store. Requires that other processes of this user can open the store
   * at the location in {@link FrameStore#info()}. {@link #over} serves the commands of agents on a
   * socket instead, because a wrapper may have the location of the wrapped store. This
   * implementation calls {@link #over}.
   *
   * @param clock the source of time for decisions
   * @param redactor removes secrets from the output of agents
   * @return the sessions; closing them closes the store
   */
  default Ralph overProvided(FrameStore store, Clock clock, Redactor redactor) {
    return over(store, clock, redactor);
  }

  /** Returns the default template of the prompt. */
  String builtInTemplate();

  /** Returns the definitions of a session's tools for a model. */
  List<AgentTools.Definition> toolDefinitions();

  /**
   * Opens the tools of a session with a lookup on the first tool call, for a server that answers
   * before opening the store. Otherwise use {@link Session#openTools}.
   *
   * @param session returns the session on the first tool call; called again after a failure
   */
  AgentTools openTools(Supplier<Session> session, ToolSettings settings);
}
