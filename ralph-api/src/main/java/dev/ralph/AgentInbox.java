package dev.ralph;

import dev.ralph.log.RalphException;
import dev.ralph.tool.AgentTools;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/**
 * Shows the messages of a session's {@link Inbox} to an agent at work. A message is leased to the
 * reader that it is shown to, so that an agent gets it once, and only one of several agents that no
 * loop coordinates. The agents of one loop, whose calls name different iterations, are each shown
 * it. It stays unread until it is marked as read, or known to have been seen: see {@link
 * #acknowledge}.
 *
 * <p>{@link AgentTools} does all of this with each call of a tool. Use this only for an agent that
 * is shown messages in some other way.
 *
 * <p>Safe for use by many threads.
 */
public interface AgentInbox {

  /**
   * Takes the messages that an agent is to be shown with the reply to a tool call, and leases them
   * to it: the unread ones, but for those that stand in the prompt of the iteration that runs,
   * follow-ups, those addressed to another agent of the loop, and those leased to another reader,
   * unless both readers are in iterations, and in different ones. What this agent was shown by a
   * call already answered, or asked for, does not come again; its lease is made longer before it
   * runs out. A message that was shown to an agent before, but may not have arrived, comes again
   * and is marked as such.
   *
   * <p>Nothing is written unless there is something to show or a lease to make longer.
   *
   * @param lease for how long others are not shown them: 1 ms to 30 days
   * @return the messages to show with the reply, oldest first
   * @throws RalphException INVALID if the lease is outside that range
   */
  List<Delivery> deliver(Call call, Duration lease);

  /**
   * Leases messages to an agent that asks for them: no other agent is shown them meanwhile, and
   * this one is shown them only when it asks. They stay unread until they are marked as read.
   *
   * @param lease for how long: 1 ms to 30 days
   * @param ids of the messages
   * @return those that it may be shown: the unread ones that no other agent has
   * @throws RalphException INVALID if the lease is outside that range
   */
  List<Message> take(Call call, Duration lease, List<String> ids);

  /**
   * Marks messages as read that the agent's model has surely seen: it has answered a request that
   * held them, or said what it could not say without. If the call belongs to an iteration, that
   * counts once the iteration succeeds. Those that are read already, or leased to another reader,
   * stay as they are.
   *
   * @param call the call by which that is known
   * @param ids of the messages
   * @throws RalphException NOT_FOUND if there is no such message
   */
  void acknowledge(Call call, List<String> ids);

  /**
   * Waits until no unread message is leased to another reader in the call's iteration. An agent
   * that is shown messages in two ways has a reader for each, and what one of them shows may count
   * as read a moment after the agent acts on it.
   *
   * @param call the call that waits; one that belongs to no iteration returns at once
   * @param atMost how long to wait
   * @throws InterruptedException if the thread is interrupted while it waits
   */
  void awaitOthers(Call call, Duration atMost) throws InterruptedException;

  /**
   * Ends the leases of an agent that has ended, so that others are shown what it may not have seen.
   */
  void release(String reader);

  /**
   * Returns the unread messages that an agent at work may see, oldest first: not those leased to
   * another one, and no follow-up that was sent since the iteration that runs began.
   *
   * @param reader the agent
   */
  List<Message> unreadBy(String reader);

  /**
   * A message that is shown to an agent at work.
   *
   * @param message the message
   * @param again whether it was shown before, to an agent that may not have seen it
   */
  record Delivery(Message message, boolean again) {}

  /**
   * One call of a tool by an agent at work, as far as messages go. The agent is shown messages with
   * the call's reply. A later call does not say that its model has seen them: a model may call
   * several tools at once.
   *
   * @param reader the agent: a name that no other run of an agent has
   * @param id the call: a name that no other call of this reader has
   * @param answered the reader's calls whose replies were on their way to it before this call
   *     began: what those showed is not shown again
   * @param iteration the iteration that the reader's work ends with, or 0 if with none: what it has
   *     seen only counts as read if that iteration succeeds
   */
  record Call(String reader, String id, Set<String> answered, int iteration) {

    /** A call by an agent that no loop has started. */
    public Call(String reader, String id, Set<String> answered) {
      this(reader, id, answered, 0);
    }

    /** Keeps a copy of what was given. */
    public Call {
      answered = Set.copyOf(answered);
    }

    /** Returns this call as one by the agent of an iteration; 0 if it belongs to none. */
    public Call in(int number) {
      return number == iteration ? this : new Call(reader, id, answered, number);
    }
  }
}
