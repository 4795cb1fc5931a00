package dev.ralph;

import java.util.Set;

/**
 * One call of a tool by an agent at work, as far as messages go: the agent sees what it is shown
 * with the call's reply, and says by any later call that it has.
 *
 * @param reader the agent: a name that no other run of an agent has
 * @param id the call: a name that no other call of this reader has
 * @param answered the reader's calls whose replies were on their way to it before this call began
 */
public record ToolCall(String reader, String id, Set<String> answered) {

  /** Keeps a copy of what was given. */
  public ToolCall {
    answered = Set.copyOf(answered);
  }
}
