package dev.ralph;

import dev.ralph.log.RalphException;
import dev.ralph.spi.FrameStore;
import dev.ralph.tool.AgentTools;
import dev.ralph.tool.ToolDefinition;
import java.time.Clock;
import java.util.List;
import java.util.function.Supplier;

/**
 * What turns a store into sessions, tasks and loops. The library brings the only one there is, in
 * the module {@code ralph-core}; {@link java.util.ServiceLoader} finds it.
 */
public interface Engine {

  /**
   * Returns the engine that the thread's context class loader or the loader of this library finds.
   *
   * @throws RalphException UNSUPPORTED if there is none, saying what to add
   */
  static Engine installed() {
    return Library.engine();
  }

  /**
   * Returns the sessions of a store.
   *
   * @param clock the source of time for decisions
   * @param redactor takes secrets out of what agents say
   * @return what closes the store when it is closed
   */
  Ralph over(FrameStore store, Clock clock, Redactor redactor);

  /** Returns the text of the template that a loop uses when it is given none. */
  String builtInTemplate();

  /** Returns the definitions of a session's tools, as a model is given them. */
  List<ToolDefinition> toolDefinitions();

  /**
   * Opens the tools of a session that is looked up with the first call, as by a server that answers
   * before its store is open. {@link Session#openTools} is for all others.
   *
   * @param session looks the session up, with the first call; again if that failed
   */
  AgentTools openTools(Supplier<Session> session, ToolSettings settings);
}
