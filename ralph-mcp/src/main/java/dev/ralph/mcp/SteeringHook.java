package dev.ralph.mcp;

import dev.ralph.log.Meta;
import dev.ralph.tool.AgentTools;
import dev.ralph.tool.ToolResult;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The tool that a client's hook calls after each call of the client's own tools, so that the
 * operator's messages reach an agent that calls none of the session's. It isn't listed, because it
 * is not for models. Its reply is what Claude Code and Codex read from a hook.
 */
final class SteeringHook implements AgentTools.Call {

  /** The tool that the agent called. */
  private static final String AFTER = "after";

  /** The name of the client's event, which the reply has to repeat. */
  private static final String EVENT = "event";

  /** The agent's id, if it is one that the client's agent has started; else empty. */
  private static final String AGENT = "agent";

  /** A call for no session. Its hook is told nothing: the agent's own work must not suffer. */
  static final AgentTools.Call SILENT = new SteeringHook(null, Meta.empty(), () -> "");

  /** Null if nobody is told anything. */
  private final AgentTools.@Nullable Call messages;

  private final Meta arguments;
  private final Supplier<String> hint;

  private SteeringHook(AgentTools.@Nullable Call messages, Meta arguments, Supplier<String> hint) {
    this.messages = messages;
    this.arguments = arguments;
    this.hint = hint;
  }

  /**
   * Begins a call of the hook.
   *
   * @param ownTools the names of the session's own tools, whose replies have the messages already
   * @param hint returns what else the agent is to be told, or nothing
   */
  static SteeringHook begin(
      AgentTools tools, Meta arguments, List<String> ownTools, Supplier<String> hint) {
    String agent = arguments.string(AGENT);
    String after = arguments.string(AFTER);
    boolean below = agent != null && !agent.isEmpty();
    boolean told = after != null && ownTools.stream().anyMatch(tool -> after.endsWith("__" + tool));
    return new SteeringHook(below || told ? null : tools.beginMessages(), arguments, hint);
  }

  /** Whatever goes wrong, the agent's own work must not suffer. */
  @Override
  public ToolResult run(Consumer<String> progress) {
    try {
      if (messages == null) {
        return ToolResult.of("{}");
      }
      String news = messages.run(progress).text();
      String more = hint.get();
      String text = news.isEmpty() || more.isEmpty() ? news + more : news + "\n\n" + more;
      return ToolResult.of(text.isEmpty() ? "{}" : reply(text));
    } catch (RuntimeException e) {
      System.getLogger(SteeringHook.class.getName())
          .log(Level.WARNING, "a client's hook could not be told of messages", e);
      return ToolResult.of("{}");
    }
  }

  private String reply(String text) {
    String event = arguments.string(EVENT);
    return Meta.of(
            "hookSpecificOutput",
            Meta.of("hookEventName", event == null ? "PostToolUse" : event)
                .with("additionalContext", text))
        .json();
  }

  @Override
  public void answered() {
    if (messages != null) {
      messages.answered();
    }
  }
}
