package dev.ralph.tool;

import java.util.Set;

/**
 * One call of a tool by an agent at work, as far as messages go. The agent is shown messages with
 * the call's reply. A later call does not say that its model has seen them: a model may call
 * several tools at once.
 *
 * @param reader the agent: a name that no other run of an agent has
 * @param id the call: a name that no other call of this reader has
 * @param answered the reader's calls whose replies were on their way to it before this call began:
 *     what those showed is not shown again
 * @param iteration the iteration that the reader's work ends with, or 0 if with none: what it has
 *     seen only counts as read if that iteration succeeds
 */
public record ToolCall(String reader, String id, Set<String> answered, int iteration) {

  /** A call by an agent that no loop has started. */
  public ToolCall(String reader, String id, Set<String> answered) {
    this(reader, id, answered, 0);
  }

  /** Keeps a copy of what was given. */
  public ToolCall {
    answered = Set.copyOf(answered);
  }

  /** Returns this call as one by the agent of an iteration; 0 if it belongs to none. */
  public ToolCall in(int number) {
    return number == iteration ? this : new ToolCall(reader, id, answered, number);
  }
}
