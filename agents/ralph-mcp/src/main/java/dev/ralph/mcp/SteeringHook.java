package dev.ralph.mcp;

import dev.ralph.log.Meta;
import dev.ralph.tool.AgentTools;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The tool that a client's hook calls after each call of the client's own tools. So the operator's
 * messages also reach an agent that does not call the session's tools. The tool is not listed,
 * because models must not call it. Claude Code and Codex read its result as the output of a hook.
 */
final class SteeringHook implements AgentTools.Call {

  /** The argument with the tool that the agent called. */
  private static final String AFTER = "after";

  /** The argument with the client's event, which the result must repeat. */
  private static final String EVENT = "event";

  /** The argument with the id of a sub-agent; empty for the main agent. */
  private static final String AGENT = "agent";

  /**
   * A call without a session. Its result is empty, because an error would disturb the agent's work.
   */
  static final AgentTools.Call SILENT = new SteeringHook(null, Meta.empty(), () -> "");

  /** Reads the messages, or null for an empty result. */
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
   * @param ownTools the names of the session's tools, whose results contain the messages already
   * @param hint returns further text for the agent, or an empty string
   */
  static SteeringHook begin(
      AgentTools tools, Meta arguments, List<String> ownTools, Supplier<String> hint) {
    String agent = arguments.string(AGENT);
    String after = arguments.string(AFTER);
    boolean below = agent != null && !agent.isEmpty();
    boolean told = after != null && ownTools.stream().anyMatch(tool -> after.endsWith("__" + tool));
    return new SteeringHook(below || told ? null : tools.beginMessages(), arguments, hint);
  }

  /** Returns an empty result after any failure, because an error would disturb the agent's work. */
  @Override
  public AgentTools.Result run(Consumer<String> progress) {
    try {
      if (messages == null) {
        return AgentTools.Result.of("{}");
      }
      String news = messages.run(progress).text();
      String more = hint.get();
      String text = news.isEmpty() || more.isEmpty() ? news + more : news + "\n\n" + more;
      return AgentTools.Result.of(text.isEmpty() ? "{}" : reply(text));
    } catch (RuntimeException e) {
      System.getLogger(SteeringHook.class.getName())
          .log(Level.WARNING, "messages could not be returned to a client's hook", e);
      return AgentTools.Result.of("{}");
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
