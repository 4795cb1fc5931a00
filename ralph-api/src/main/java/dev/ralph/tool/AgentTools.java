package dev.ralph.tool;

import dev.ralph.log.Meta;
import dev.ralph.log.RalphException;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A session's tools for one agent in this program: what {@code ralph mcp} gives to an agent client,
 * for a model that the host calls itself.
 *
 * <pre>{@code
 * try (AgentTools tools = turn.openTools()) {
 *   Reply reply = model.ask(turn.prompt(), tools.definitions());
 *   while (reply.callsTool()) {
 *     ToolResult result = tools.call(reply.toolName(), reply.toolArguments());
 *     reply = model.answer(result.text(), result.isError());
 *   }
 * }
 * }</pre>
 *
 * <p>Messages that an operator sends while the agent works come with the result of its next call.
 * They stay unread until the model marks them, or completes the session with the word that it is
 * shown with them. Tasks that it claims are its own until the tools are closed; then those that it
 * has not finished are free again.
 *
 * <p>Safe for use by many threads: an agent may call several tools at once.
 */
public interface AgentTools extends AutoCloseable {

  /** Returns the definitions to give to the model; they are the same for every session. */
  List<ToolDefinition> definitions();

  /**
   * Calls a tool. The result is taken to be on its way to the model as soon as this returns.
   *
   * @param name the tool's name
   * @param arguments a JSON object, as models write them; blank or null for none
   * @return the result to show to the model. Whatever goes wrong is a result that is an error and
   *     says what to do instead; nothing is thrown
   */
  default ToolResult call(String name, @Nullable String arguments) {
    Meta given;
    try {
      given = arguments == null || arguments.isBlank() ? Meta.empty() : Meta.parse(arguments);
    } catch (RalphException e) {
      return ToolResult.error("the arguments are " + e.getMessage());
    }
    Call call = begin(name, given);
    ToolResult result = call.run();
    call.answered();
    return result;
  }

  /**
   * Returns the operator's messages that the agent has not been shown, to be put before the model
   * with the result of a tool of the host's own.
   *
   * @return empty if there are none
   */
  default String messages() {
    Call call = beginMessages();
    String text = call.run().text();
    call.answered();
    return text;
  }

  /**
   * Begins what {@link #call} does in one go, for a host whose results take their time to reach the
   * agent, or may never do so.
   *
   * @param arguments {@link Meta#parse} makes them of a model's text
   */
  Call begin(String name, Meta arguments);

  /** Begins what {@link #messages} does in one go. */
  Call beginMessages();

  /**
   * Gives back the tasks that the agent has claimed and not finished, and lets others have the
   * messages that it may not have seen. Later calls are refused. Closing again does nothing.
   */
  @Override
  void close();

  /** One call of a tool, which may have followed any result that was answered before it began. */
  interface Call {

    /** Does the work, once, in the calling thread. Interrupting that thread ends a gate. */
    default ToolResult run() {
      return run(message -> {});
    }

    /**
     * Does the work, once, in the calling thread. Interrupting that thread ends a gate.
     *
     * @param progress is told every few seconds how far a long call is, by another thread
     */
    ToolResult run(Consumer<String> progress);

    /**
     * Says that the result is on its way to the agent. Without this the messages in it are shown
     * again.
     */
    void answered();
  }
}
