package dev.ralph.tool;

import dev.ralph.log.StoreInfo;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;

/** Describes the tools of a session in the prompt of an agent. */
public interface Tools {

  /** Returns the text for the prompt: the tools and their use. */
  String describe(String session, StoreInfo store);

  /**
   * Returns the text for an agent with one assigned task. The default is the text for all agents.
   *
   * @param task the number of the assigned task, from 1
   */
  default String describe(String session, StoreInfo store, int task) {
    return describe(session, store);
  }

  /** Returns the instruction to mark a message as read, in one line. */
  String markReadInstruction(String session, StoreInfo store);

  /**
   * Returns environment variables that the agent's processes need for these tools, in addition to
   * the {@linkplain dev.ralph.Turn#variables variables} of a turn. A loop adds them.
   */
  default Map<String, String> variables() {
    return Map.of();
  }

  /**
   * Checks that an agent can reach sessions of a store by these tools. A loop calls the method when
   * it is built.
   *
   * @throws dev.ralph.log.RalphException INVALID if the tools can't reach the store
   */
  default void requireReady(StoreInfo store) {}

  /**
   * Returns the tools as shell commands of the {@code ralph} launcher. The commands work in any
   * folder, because they find the launcher, the store and the session by the {@linkplain
   * dev.ralph.Turn#variables variables} of the agent's processes, including {@code RALPH}. Each
   * call is a process, so the store must support several processes at once.
   *
   * <p>A loop refuses a missing launcher. If the launcher exists only in the agent's container,
   * wrap these tools in an own implementation.
   *
   * @param launcher the path of the launcher as the agent sees it
   */
  static Tools commands(Path launcher) {
    return new CommandTools(Objects.requireNonNull(launcher, "launcher"));
  }

  /**
   * Returns the tools of the session's MCP server, which the agent's client starts, for example
   * with the {@code McpServerCommand} of {@code ralph-agents}.
   *
   * @param prefix the client's prefix of tool names, such as {@code ralph_} or {@code
   *     mcp__ralph__}; may be empty
   */
  static Tools mcp(String prefix) {
    return new McpTools(Objects.requireNonNull(prefix, "prefix"));
  }
}
