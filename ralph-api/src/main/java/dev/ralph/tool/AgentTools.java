package dev.ralph.tool;

import dev.ralph.log.Meta;
import dev.ralph.log.RalphException;
import java.util.List;
import java.util.function.Consumer;
import javax.annotation.concurrent.Immutable;
import org.jspecify.annotations.Nullable;

/**
 * A session's tools for an agent in this program, such as a model called by the host itself. The
 * tools are those that {@code ralph mcp} serves to agent clients.
 *
 * <pre>{@code
 * try (AgentTools tools = turn.openTools()) {
 *   Reply reply = model.ask(turn.prompt(), tools.definitions());
 *   while (reply.callsTool()) {
 *     AgentTools.Result result = tools.call(reply.toolName(), reply.toolArguments());
 *     reply = model.answer(result.text(), result.isError());
 *   }
 * }
 * }</pre>
 *
 * <p>The result of a call also contains new messages of the operator. They stay unread until the
 * model marks them, or completes the session with the word that it gets with them. The agent holds
 * its claimed tasks until the tools are closed; then unfinished tasks are free again.
 *
 * <p>Safe for use by many threads: an agent may call several tools at once.
 */
public interface AgentTools extends AutoCloseable {

  /** Returns the definitions for the model, which are the same for every session. */
  List<Definition> definitions();

  /**
   * Calls a tool. The result counts as delivered to the model when the method returns.
   *
   * @param name the name of the tool
   * @param arguments a JSON object; blank or null for no arguments
   * @return the result for the model. Failures are error results, which name a remedy; the method
   *     does not throw
   */
  default Result call(String name, @Nullable String arguments) {
    Meta given;
    try {
      given = arguments == null || arguments.isBlank() ? Meta.empty() : Meta.parse(arguments);
    } catch (RalphException e) {
      return Result.error("the arguments are " + e.getMessage());
    }
    Call call = begin(name, given);
    Result result = call.run();
    call.answered();
    return result;
  }

  /**
   * Returns the operator's messages that the agent has not seen, to be added to the result of a
   * tool of the host.
   *
   * @return the messages as text for the model; empty if there are none
   */
  default String messages() {
    Call call = beginMessages();
    String text = call.run().text();
    call.answered();
    return text;
  }

  /**
   * Begins a call for a host whose results may reach the agent late or never.
   *
   * @param arguments the arguments; {@link Meta#parse} parses a model's text
   */
  Call begin(String name, Meta arguments);

  /** Begins a call of {@link #messages}. */
  Call beginMessages();

  /**
   * Releases the unfinished tasks of the agent, and the messages that it may not have seen. Later
   * calls are refused. Idempotent.
   */
  @Override
  void close();

  /** A call of a tool. */
  interface Call {

    /** Runs the call, once, on the calling thread. An interrupt ends a running gate. */
    default Result run() {
      return run(message -> {});
    }

    /**
     * Runs the call, once, on the calling thread. An interrupt ends a running gate.
     *
     * @param progress gets the progress of a long call every few seconds, on another thread
     */
    Result run(Consumer<String> progress);

    /**
     * Confirms that the result was sent to the agent. Otherwise the messages of the result are
     * shown again.
     */
    void answered();
  }

  /**
   * The definition of a tool for a model.
   *
   * @param name the tool's name, such as {@code task_list}
   * @param description the purpose, in a few sentences
   * @param schema the JSON schema of the arguments object, as text on one line; always the same
   * @param readOnly whether the tool changes nothing
   */
  record Definition(String name, String description, String schema, boolean readOnly) {

    @Override
    public String toString() {
      return name + " " + schema;
    }
  }

  /** The result of a tool call for a model. Immutable. */
  @Immutable
  final class Result {

    private final String text;
    private final boolean error;

    private Result(String text, boolean error) {
      this.text = text;
      this.error = error;
    }

    /** Returns the result of a successful call. */
    public static Result of(String text) {
      return new Result(text, false);
    }

    /**
     * Returns the result of a failed call. The text begins with {@code ERROR:}, because some
     * clients pass only the text to the model.
     *
     * @param reason the reason, with a remedy
     */
    public static Result error(String reason) {
      return new Result("ERROR: " + reason, true);
    }

    /** Returns a copy with more text at the end. */
    public Result plus(String more) {
      return more.isEmpty() ? this : new Result(text + more, error);
    }

    /** Returns the text for the model. */
    public String text() {
      return text;
    }

    /** Returns whether the call failed. */
    public boolean isError() {
      return error;
    }

    @Override
    public String toString() {
      return text;
    }
  }
}
