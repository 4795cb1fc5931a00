package dev.ralph.tool;

import dev.ralph.log.StoreInfo;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;

/** Tells an agent, in its prompt, how it reaches the session. */
public interface Tools {

  /** Returns the text that stands in the prompt: what there is and how to call it. */
  String describe(String session, StoreInfo store);

  /**
   * Returns the text for an agent that has one task of the session and works on no other. The
   * default is the text for all agents.
   *
   * @param task the number of the agent's task, from 1
   */
  default String describe(String session, StoreInfo store, int task) {
    return describe(session, store);
  }

  /** Returns how one message is marked as read, as an instruction in one line. */
  String markReadInstruction(String session, StoreInfo store);

  /**
   * Returns variables that the agent's processes need for these tools, besides those that every
   * {@linkplain dev.ralph.Turn#variables turn} has. A loop adds them.
   */
  default Map<String, String> variables() {
    return Map.of();
  }

  /**
   * Checks whether an agent can reach a session of that store by these tools. A loop asks when it
   * is built.
   *
   * @throws dev.ralph.log.RalphException INVALID if it can't, saying why
   */
  default void requireReady(StoreInfo store) {}

  /**
   * Returns the tools as shell commands of the {@code ralph} launcher. They find the launcher, the
   * store and the session by the {@linkplain dev.ralph.Turn#variables variables} of the agent's
   * processes, {@code RALPH} among them, and so work from any folder. Each call is a process of its
   * own, so they need a store that several processes can use at once.
   *
   * <p>A loop refuses a launcher that is not there. Where it is in a container only, with the
   * agent, hand on the texts of these by tools of your own.
   *
   * @param launcher its path as the agent sees it
   */
  static Tools commands(Path launcher) {
    return new CommandTools(Objects.requireNonNull(launcher, "launcher"));
  }

  /**
   * Returns the tools as those of the session's MCP server, which the agent's client has started;
   * see {@link McpServerCommand}.
   *
   * @param prefix what the client puts before each tool's name, such as {@code ralph_} or {@code
   *     mcp__ralph__}; empty for nothing
   */
  static Tools mcp(String prefix) {
    return new McpTools(Objects.requireNonNull(prefix, "prefix"));
  }
}
